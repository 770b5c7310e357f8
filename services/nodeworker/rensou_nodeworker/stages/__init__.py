"""Pure computations of the node worker: nothing here waits, reads a clock or knows a database."""
