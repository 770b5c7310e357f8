"""Statements, one a file in sql/, and the functions that run them. Nothing else speaks to Postgres."""
