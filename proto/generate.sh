#!/bin/sh
# Writes the Python stubs of proto/rensou into $1 (default proto/gen): messages and types by buf, services by grpcio-tools.
set -eu
out=${1:-proto/gen}
image=$(mktemp)
trap 'rm -f "$image"' EXIT
buf generate --template buf.gen.yaml --output "$(dirname "$(dirname "$out")")"
buf build --as-file-descriptor-set -o "$image#format=binpb"
python3 -m grpc_tools.protoc --descriptor_set_in="$image" --grpc_python_out="$out" \
  $(cd proto && find rensou -name '*_service.proto' | sort)
