"""Requests into the service's own words, and its answers back. Every problem names the field."""
