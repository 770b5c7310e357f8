"""Settings of the services."""

from dataclasses import dataclass, field, fields, is_dataclass
from typing import get_type_hints

import pytest

from rensou_nodeworker.settings import Settings as WorkerSettings
from rensou_recall.settings import RecallSettings, RerankSettings
from rensou_shared.errors import ConfigurationError
from rensou_shared.settings import KNOWN_VARIABLES, PREFIX, read_settings

SERVICES = (RecallSettings, WorkerSettings)


@dataclass(frozen=True, slots=True)
class Sample:
    redis_url: str
    pool_size: int = 3
    drain_s: float = 1.5
    reflection: bool = False


@dataclass(frozen=True, slots=True)
class Grouped:
    redis_url: str
    rerank: RerankSettings = field(default_factory=RerankSettings)


def _variables(kind: type, prefix: str) -> set[str]:
    """The variables that fill a dataclass, those of its groups included."""
    hints, names = get_type_hints(kind), set[str]()
    for one in fields(kind):
        name = prefix + one.name.upper()
        names |= _variables(hints[one.name], f"{name}_") if is_dataclass(hints[one.name]) else {name}
    return names


def test_the_known_variables_are_those_that_the_services_read() -> None:
    read = {name for kind in SERVICES for name in _variables(kind, PREFIX)}
    assert read == KNOWN_VARIABLES


@pytest.mark.parametrize("kind", SERVICES)
def test_a_service_has_at_most_25_settings(kind: type) -> None:
    assert len(fields(kind)) <= 25


def test_every_kind_of_value_is_read() -> None:
    environment = {
        "RENSOU_REDIS_URL": "redis://x",
        "RENSOU_POOL_SIZE": "12",
        "RENSOU_DRAIN_S": "0.5",
        "RENSOU_REFLECTION": "Yes",
    }
    assert read_settings(Sample, environment) == Sample("redis://x", 12, 0.5, True)


def test_a_group_is_read_from_variables_that_begin_with_its_name() -> None:
    environment = {"RENSOU_REDIS_URL": "r", "RENSOU_RERANK_URL": "http://x/rerank"}
    assert read_settings(Grouped, environment) == Grouped("r", RerankSettings(url="http://x/rerank"))
    assert read_settings(Grouped, {"RENSOU_REDIS_URL": "r"}) == Grouped("r")


def test_defaults_stand_and_other_variables_are_left_alone() -> None:
    assert read_settings(Sample, {"RENSOU_REDIS_URL": "r", "PATH": "/bin", "RENSOU": "x"}) == Sample("r")


def test_a_variable_that_another_service_reads_is_no_error() -> None:
    assert read_settings(Sample, {"RENSOU_REDIS_URL": "r", "RENSOU_LEASE_S": "60"}) == Sample("r")


def test_a_misspelt_variable_is_an_error_that_names_it() -> None:
    with pytest.raises(ConfigurationError, match="RENSOU_REDIS_ULR"):
        read_settings(Sample, {"RENSOU_REDIS_URL": "r", "RENSOU_REDIS_ULR": "r"})


def test_a_missing_variable_is_an_error_that_names_it() -> None:
    with pytest.raises(ConfigurationError, match="RENSOU_REDIS_URL is not set"):
        read_settings(Sample, {})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("POOL_SIZE", "many"),
        ("POOL_SIZE", "1.5"),
        ("POOL_SIZE", ""),
        ("DRAIN_S", "soon"),
        ("REFLECTION", "on"),
        ("REFLECTION", ""),
    ],
)
def test_a_malformed_value_is_an_error_that_names_the_variable(name: str, text: str) -> None:
    with pytest.raises(ConfigurationError, match=f"RENSOU_{name}"):
        read_settings(Sample, {"RENSOU_REDIS_URL": "r", f"RENSOU_{name}": text})
