"""Settings come from RENSOU_* variables, are read once, and an unknown one is an error."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

from rensou_shared.errors import ConfigurationError

PREFIX = "RENSOU_"
T = TypeVar("T")

# Every variable that any service of the deployment reads: one environment serves them all, and a misspelt name is
# found wherever it is set. A test holds this list against the services' settings.
KNOWN_VARIABLES = frozenset(
    PREFIX + name
    for name in (
        "ALLOW_UNAUTHENTICATED",
        "ANN_ABOVE_ROWS",
        "BUILD_EMBEDDING_TIMEOUT_S",
        "DATABASE_URL",
        "DEFAULT_DEADLINE_S",
        "DRAIN_S",
        "EMBEDDING_NEXT_PREFIXES",
        "EMBEDDING_NEXT_TOKEN",
        "EMBEDDING_NEXT_URL",
        "EMBEDDING_PREFIXES",
        "EMBEDDING_TIMEOUT_S",
        "EMBEDDING_TOKEN",
        "EMBEDDING_URL",
        "LEASE_S",
        "LISTEN",
        "LOG_LEVEL",
        "MAX_ATTEMPTS",
        "MAX_CONCURRENT_CALLS",
        "MAX_CONTENT_CHARS",
        "MAX_DEADLINE_S",
        "MAX_JOBS",
        "MAX_PENDING_BUILDS",
        "MAX_PENDING_BUILDS_IN_ALL",
        "METRICS_LISTEN",
        "PAGE_TOKEN_KEY",
        "POOL_SIZE",
        "REDIS_URL",
        "REFLECTION",
        "RERANK_TOKEN",
        "RERANK_URL",
        "RECONCILE_INTERVAL_S",
        "SWEEP_INTERVAL_S",
        "TOKENS_FILE",
    )
)

_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no")


def _parse(name: str, text: str, kind: Any) -> Any:
    try:
        if kind is bool:
            if text.lower() not in _TRUE + _FALSE:
                raise ConfigurationError(f"{name} must be true or false")
            return text.lower() in _TRUE
        if kind is int:
            return int(text)
        return float(text) if kind is float else text
    except ValueError as error:
        raise ConfigurationError(f"{name} must be a number") from error


def read_settings(kind: type[T], environment: Mapping[str, str]) -> T:
    """The dataclass `kind` filled from RENSOU_<FIELD>; fields of type str, int, float or bool.

    A field that is a dataclass itself is a group: it is filled from RENSOU_<GROUP>_<FIELD>.

    Raises:
        ConfigurationError: A variable is missing, malformed, or known to no service.
    """
    if unknown := sorted(k for k in environment if k.startswith(PREFIX) and k not in KNOWN_VARIABLES):
        raise ConfigurationError(f"no service reads {', '.join(unknown)}")
    return _fill(kind, PREFIX, environment)


def _fill(kind: type[T], prefix: str, environment: Mapping[str, str]) -> T:
    values: dict[str, Any] = {}
    hints = get_type_hints(kind)
    for field in fields(kind):  # pyright: ignore[reportArgumentType] - any dataclass
        name = prefix + field.name.upper()
        if is_dataclass(hints[field.name]):
            values[field.name] = _fill(hints[field.name], f"{name}_", environment)
        elif name in environment:
            values[field.name] = _parse(name, environment[name], hints[field.name])
        elif field.default is MISSING:
            raise ConfigurationError(f"{name} is not set")
    return kind(**values)
