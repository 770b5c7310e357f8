"""The recall service: the gRPC server of rensou.v1."""
