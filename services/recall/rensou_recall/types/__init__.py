"""The service's own words: frozen values that pass between pipelines, stages and store."""
