"""The worker's settings."""

import pytest

from rensou_nodeworker.settings import Settings
from rensou_shared.embedding.deployment import EmbeddingSettings
from rensou_shared.errors import ConfigurationError
from rensou_shared.jobs.redis_client import decode_job, encode_job, make_client
from rensou_shared.settings import read_settings

NEEDED = {"RENSOU_DATABASE_URL": "postgresql:///x", "RENSOU_EMBEDDING_URL": "http://localhost/embed"}


def test_what_is_not_set_has_its_default() -> None:
    assert read_settings(Settings, NEEDED) == Settings("postgresql:///x", EmbeddingSettings("http://localhost/embed"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("MAX_JOBS", "0"), ("MAX_JOBS", "65"), ("LEASE_S", "nan"), ("LEASE_S", "1"), ("SWEEP_INTERVAL_S", "0")],
)
def test_a_number_out_of_its_range_is_named(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=f"RENSOU_{name}"):
        read_settings(Settings, NEEDED | {f"RENSOU_{name}": value})


@pytest.mark.parametrize("url", ["", "http://localhost", "localhost:6379", "redis://localhost:port/0"])
def test_an_address_that_is_none_of_redis_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="RENSOU_REDIS_URL"):
        make_client(url, 1.0)


def test_a_password_is_unquoted_and_tls_checks_the_host() -> None:
    options = make_client("rediss://u:p%40ss@localhost:6380/1", 1.0).connection_pool.connection_kwargs
    assert options["password"] == "p@ss" and options["ssl_check_hostname"] is True


def test_jobs_are_json_and_survive_the_way() -> None:
    job = {"t": None, "f": "build", "a": ["あん", 1, 0], "k": {}, "et": 5}
    assert decode_job(encode_job(job)) == job
    assert decode_job(encode_job({"r": ValueError("secret")})) == {"r": "ValueError"}


@pytest.mark.parametrize("payload", [b"\x80\x04K\x01.", b"[1]", b"{", b"\xff"])
def test_a_payload_that_is_no_json_object_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError):
        decode_job(payload)
