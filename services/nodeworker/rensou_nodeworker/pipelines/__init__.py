"""Sequences of the worker: what waits for what."""
