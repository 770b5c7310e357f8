"""Bodies of /embed and /count_tokens."""

import json

import pytest

from rensou_embedded.embedding_engine import Side
from rensou_embedded.embedding_request import BadRequestError, parse_texts_request


def test_a_body_defaults_to_the_passage_side() -> None:
    asked = parse_texts_request(b'{"texts": ["a", ""]}')
    assert (asked.texts, asked.side, asked.wants_token_info) == (("a", ""), Side.PASSAGE, False)


def test_a_surrogate_pair_is_one_character() -> None:
    assert parse_texts_request(b'{"texts": ["\\ud83d\\ude00"]}').texts == ("\U0001f600",)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "object"),
        (b"{}", "texts"),
        (b'{"texts": []}', "texts"),
        (b'{"texts": "a"}', "texts"),
        (json.dumps({"texts": ["a"] * 101}).encode(), "101"),
        (b'{"texts": ["a", 1]}', r"texts\[1\]"),
        (b'{"texts": ["a", null]}', r"texts\[1\]"),
        (b'{"texts": ["a", "b\\u0000c"]}', r"texts\[1\].*NUL"),
        (b'{"texts": ["\\ud800"]}', r"texts\[0\].*surrogate"),
        (b'{"texts": ["a"], "token_info": 1}', "token_info"),
        (b'{"texts": ["a"], "side": "Query"}', "side"),
        (b'{"texts": ["a"], "side": null}', "side"),
    ],
)
def test_a_body_that_breaks_the_contract_is_refused_by_name(body: bytes, complaint: str) -> None:
    with pytest.raises(BadRequestError, match=complaint):
        parse_texts_request(body)
