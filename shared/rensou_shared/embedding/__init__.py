"""The embedding port, its adapters, and what is known about the health of the server behind it."""
