"""The embedding servers that an operator names."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from rensou_shared.embedding.cembedding import CEmbedding
from rensou_shared.embedding.counted import CountedEmbedding
from rensou_shared.embedding.deployment import (
    KINDS,
    EmbeddingSettings,
    NextServerSettings,
    ServerSettings,
    make_port,
    make_ports,
)
from rensou_shared.errors import ConfigurationError
from rensou_shared.settings import read_settings

ONE = EmbeddingSettings("http://one/embed", prefixes='["query: ", "passage: "]')
TWO = replace(ONE, next=NextServerSettings("http://two/embed", token="secret", prefixes='["Q ", ""]'))


@dataclass(frozen=True)
class _Service:
    embedding: EmbeddingSettings


def following(**change: Any) -> EmbeddingSettings:
    return replace(TWO, next=replace(TWO.next, **change))


def test_without_a_next_server_there_is_one() -> None:
    (port,) = make_ports(replace(ONE, next=NextServerSettings(prefixes="anything, for nobody")))
    assert isinstance(port, CEmbedding)


def test_the_next_server_is_of_a_kind_of_its_own() -> None:
    present, next_port = make_ports(following(kind="tei"))
    assert isinstance(present, CEmbedding) and isinstance(next_port, CountedEmbedding)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_port(kind: str) -> None:
    ending = "/embed" if kind in {"cembedding", "tei"} else "/v1/embeddings"
    make_port(ServerSettings("http://one" + ending, kind, model="m"), "RENSOU_EMBEDDING")
    with pytest.raises(ConfigurationError, match="RENSOU_EMBEDDING_URL"):
        make_port(ServerSettings("http://one/other", kind, model="m"), "RENSOU_EMBEDDING")


@pytest.mark.parametrize("prefixes", ["query: ", "{}", '["one"]', '["a", "b", "c"]', '["a", 1]', "null"])
def test_prefixes_that_are_no_list_of_two_texts_are_refused(prefixes: str) -> None:
    with pytest.raises(ConfigurationError, match="RENSOU_EMBEDDING_NEXT_PREFIXES"):
        make_ports(following(prefixes=prefixes))
    with pytest.raises(ConfigurationError, match="RENSOU_EMBEDDING_PREFIXES"):
        make_ports(replace(ONE, prefixes=prefixes))


@pytest.mark.parametrize("change", [{"url": "http://two/vectors"}, {"token": "two words"}])
def test_a_bad_address_or_token_of_the_next_server_is_said_to_be_its_own(change: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="RENSOU_EMBEDDING_NEXT_URL"):
        make_ports(following(**change))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"url": "ftp://one/embed"}, "RENSOU_EMBEDDING_URL"),
        ({"kind": "ollama"}, "RENSOU_EMBEDDING_KIND"),
        ({"kind": "vllm", "url": "http://one/v1/embeddings"}, "RENSOU_EMBEDDING_MODEL"),
        ({"tokenizer": "/nowhere"}, "RENSOU_EMBEDDING_WINDOW"),
        ({"window": -1}, "RENSOU_EMBEDDING_WINDOW"),
        ({"window": 512}, "no RENSOU_EMBEDDING_TOKENIZER"),
        ({"tokenizer": "/nowhere", "window": 512}, "/nowhere is no readable tokenizer"),
    ],
)
def test_a_bad_setting_is_named(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        make_ports(replace(ONE, **change))


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text('{"model": "none"}')
    with pytest.raises(ConfigurationError, match="no readable tokenizer"):
        make_ports(replace(ONE, tokenizer=str(path), window=512))


def test_the_variables_of_both_servers_are_read() -> None:
    environment = {
        "RENSOU_EMBEDDING_URL": "http://one/embed",
        "RENSOU_EMBEDDING_WINDOW": "512",
        "RENSOU_EMBEDDING_NEXT_URL": "http://two/v1/embeddings",
        "RENSOU_EMBEDDING_NEXT_KIND": "vllm",
    }

    settings = read_settings(_Service, environment).embedding
    assert settings == EmbeddingSettings(
        "http://one/embed", window=512, next=NextServerSettings("http://two/v1/embeddings", "vllm")
    )


def test_without_an_address_the_service_does_not_start() -> None:
    with pytest.raises(ConfigurationError, match="RENSOU_EMBEDDING_URL is not set"):
        read_settings(_Service, {})
