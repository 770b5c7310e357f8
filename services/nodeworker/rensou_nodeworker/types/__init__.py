"""Values that the worker's parts hand to one another."""
