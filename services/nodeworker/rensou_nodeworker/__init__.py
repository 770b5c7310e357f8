"""The node worker: brings what is derived of each record up to date, and the reconciler that sees to it."""
