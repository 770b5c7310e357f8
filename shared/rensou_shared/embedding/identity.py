"""Reading which model a server runs."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import TypeGuard

from rensou_shared.embedding.checks import MAX_DIMENSIONS
from rensou_shared.embedding.errors import EmbeddingMalformedError
from rensou_shared.embedding.port import ModelIdentity
from rensou_shared.json_types import is_array, is_object


def parse_capabilities(answer: Mapping[str, object]) -> ModelIdentity:
    """Return the identity in a /capabilities answer.

    A server that cannot name everything gives no fingerprint and says what is missing; then the fingerprint is taken
    from what it does name.

    Raises:
        EmbeddingMalformedError: a missing or wrong field, or a fingerprint beside a list of what is missing.
    """
    identity, incomplete, fingerprint = (answer.get(key) for key in ("identity", "incomplete", "fingerprint"))
    if not is_object(identity) or not (incomplete is None or is_array(incomplete)):
        raise EmbeddingMalformedError("the capabilities have no identity")
    if fingerprint is not None and (not isinstance(fingerprint, str) or not fingerprint):
        raise EmbeddingMalformedError("the fingerprint is no text")
    if (fingerprint is None) != bool(incomplete):
        raise EmbeddingMalformedError(
            "the capabilities contradict themselves: a fingerprint or what it lacks, not both"
        )
    name, dimensions, window = (identity.get(key) for key in ("model", "dimensions", "window"))
    if not isinstance(name, str) or not _in_range(dimensions, MAX_DIMENSIONS):
        raise EmbeddingMalformedError("the identity has no model or no dimensions")
    if window is not None and not _in_range(window, None):
        raise EmbeddingMalformedError("the identity's window is no number of tokens")
    return ModelIdentity(fingerprint or fingerprint_of("partial", identity), name, dimensions, window)


def identity_by_probe(dimensions: int, window: int | None) -> ModelIdentity:
    """Return the identity of a server that has no /capabilities; another model of the same shape looks the same."""
    return ModelIdentity(fingerprint_of("probe", [dimensions, window]), "unknown", dimensions, window)


def with_prefixes(identity: ModelIdentity, query_prefix: str, passage_prefix: str) -> ModelIdentity:
    """Return `identity` with a fingerprint of its own for these prefixes: under others the vectors differ."""
    if not query_prefix and not passage_prefix:
        return identity
    fingerprint = fingerprint_of("prefixed", [identity.fingerprint, query_prefix, passage_prefix])
    return ModelIdentity(fingerprint, identity.name, identity.dimensions, identity.window)


def fingerprint_of(kind: str, value: object) -> str:
    """Return a fingerprint of `value`, what is known of a model as JSON; equal exactly for equal ones of one kind."""
    encoded = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return f"{kind}:{sha256(encoded.encode()).hexdigest()}"


def _in_range(value: object, highest: int | None) -> TypeGuard[int]:
    return type(value) is int and value >= 1 and (highest is None or value <= highest)
