"""What surrounds every call: telemetry, errors, authentication, limits, deadlines."""
