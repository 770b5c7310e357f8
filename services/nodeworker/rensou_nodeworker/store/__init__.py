"""The worker's statements, one a file; every function takes an open connection."""
