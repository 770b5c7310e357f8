"""Wake-up hints for the worker. Postgres owns the work; a hint that is lost delays it and loses nothing."""
