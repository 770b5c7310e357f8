"""The embedding servers that an operator names."""

from dataclasses import replace

import pytest

from rensou_shared.embedding.deployment import ServerSettings
from rensou_shared.embedding.port import Side
from rensou_shared.errors import ConfigurationError

ONE = ServerSettings("http://one/embed", "", '["query: ", "passage: "]', "", "", "")
TWO = replace(ONE, next_url="http://two/embed", next_token="secret", next_prefixes='["Q ", ""]')


def test_without_a_next_server_there_is_one() -> None:
    (config,) = replace(ONE, next_prefixes="anything, for nobody").configs()
    assert (config.embed_url, config.prefix(Side.QUERY), config.prefix(Side.PASSAGE)) == (
        "http://one/embed",
        "query: ",
        "passage: ",
    )


def test_the_next_server_has_its_own_token_and_prefixes() -> None:
    present, following = TWO.configs()
    assert (present.bearer_token, present.query_prefix) == (None, "query: ")
    assert (following.bearer_token, following.query_prefix, following.passage_prefix) == ("secret", "Q ", "")
    assert replace(TWO, next_prefixes="").configs()[1].query_prefix == ""


@pytest.mark.parametrize("prefixes", ["query: ", "{}", '["one"]', '["a", "b", "c"]', '["a", 1]', "null"])
def test_prefixes_that_are_no_list_of_two_texts_are_refused(prefixes: str) -> None:
    with pytest.raises(ConfigurationError, match="RENSOU_EMBEDDING_NEXT_PREFIXES"):
        replace(TWO, next_prefixes=prefixes).configs()
    with pytest.raises(ConfigurationError, match="RENSOU_EMBEDDING_PREFIXES"):
        replace(ONE, prefixes=prefixes).configs()


@pytest.mark.parametrize("change", [{"next_url": "http://two/vectors"}, {"next_token": "two words"}])
def test_a_bad_address_or_token_of_the_next_server_is_said_to_be_its_own(change: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="RENSOU_EMBEDDING_NEXT_URL"):
        replace(TWO, **change).configs()


def test_a_bad_address_of_the_present_server_is_said_to_be_its_own() -> None:
    with pytest.raises(ConfigurationError, match="RENSOU_EMBEDDING_URL"):
        replace(TWO, url="ftp://one/embed").configs()
