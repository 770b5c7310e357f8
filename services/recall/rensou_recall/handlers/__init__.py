"""One class a gRPC service: decode, run the pipeline, encode."""
