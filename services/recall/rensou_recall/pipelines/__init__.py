"""Sequences: what waits for what. Decisions are in the stages, statements in the store."""
