"""The token file and the tokens that come with calls."""

import json
from pathlib import Path
from typing import Any

import pytest

from rensou_recall.credentials import read_tokens
from rensou_recall.interceptors.authentication import TokenBook
from rensou_recall.types.call import Principal
from rensou_shared.errors import ConfigurationError, PermissionDenied

TOKEN, OTHER_TOKEN = "0123456789abcdef", "fedcba9876543210"
ENTRY = {"name": "ann's client", "token": TOKEN, "agents": ["ann"]}


def written(path: Path, document: Any) -> Path:
    file = path / "tokens.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return file


def test_a_file_names_principals_by_their_token(tmp_path: Path) -> None:
    operator = {"name": "op", "token": OTHER_TOKEN, "agents": ["*"], "operator": True}
    assert read_tokens(written(tmp_path, {"tokens": [ENTRY, operator]})) == {
        TOKEN: Principal("ann's client", frozenset({"ann"}), False),
        OTHER_TOKEN: Principal("op", frozenset({"*"}), True),
    }


@pytest.mark.parametrize(
    "document",
    [
        "",
        "{",
        "[]",
        "null",
        '"tokens"',
        {},
        {"tokens": []},
        {"tokens": {}},
        {"tokens": None},
        {"tokens": [ENTRY], "more": 1},
        {"clients": [ENTRY]},
    ],
)
def test_a_document_of_another_form_is_refused(tmp_path: Path, document: Any) -> None:
    with pytest.raises(ConfigurationError, match="RENSOU_TOKENS_FILE"):
        read_tokens(written(tmp_path, document))


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": 1},
        {"token": "short"},
        {"token": "0123456789abcde"},
        {"token": "0123456789 abcdef"},
        {"token": "0123456789abcdefé"},
        {"token": "0123456789abcdef\n"},
        {"token": 1234567890123456},
        {"agents": []},
        {"agents": [""]},
        {"agents": [1]},
        {"agents": [" "]},
        {"agents": ["a\u0000b"]},
        {"agents": ["\ud800"]},
        {"agents": ["x" * 129]},
        {"agents": "ann"},
        {"agents": None},
        {"operator": "yes"},
        {"operator": 1},
        {"operator": None},
        {"grants": "all"},
    ],
)
def test_an_entry_with_any_defect_is_refused_and_its_place_named(tmp_path: Path, change: dict[str, Any]) -> None:
    document = {"tokens": [{**ENTRY, "token": OTHER_TOKEN}, {**ENTRY, **change}]}
    with pytest.raises(ConfigurationError, match=r"tokens\[1\]"):
        read_tokens(written(tmp_path, document))


@pytest.mark.parametrize("missing", ["name", "token", "agents"])
def test_an_entry_that_lacks_something_is_refused(tmp_path: Path, missing: str) -> None:
    entry = {key: value for key, value in ENTRY.items() if key != missing}
    with pytest.raises(ConfigurationError, match=r"tokens\[0\]"):
        read_tokens(written(tmp_path, {"tokens": [entry]}))


@pytest.mark.parametrize("entry", [None, [], "ann", 1])
def test_an_entry_that_is_no_object_is_refused(tmp_path: Path, entry: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"tokens\[0\]"):
        read_tokens(written(tmp_path, {"tokens": [entry]}))


def test_a_token_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"tokens\[1\]: the token stands twice"):
        read_tokens(written(tmp_path, {"tokens": [ENTRY, {**ENTRY, "agents": ["bob"]}]}))


def test_a_refusal_never_shows_a_token(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read_tokens(written(tmp_path, {"tokens": [{**ENTRY, "agents": []}]}))
    assert TOKEN not in str(refused.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "tokens.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="RENSOU_TOKENS_FILE"):
        read_tokens(path)


def test_a_token_is_found_whole_and_exactly() -> None:
    ann = Principal("ann", frozenset({"ann"}), False)
    book = TokenBook({TOKEN: ann, OTHER_TOKEN: Principal("bob", frozenset({"bob"}), False)})
    assert book.find(TOKEN.encode()) is ann
    for wrong in (b"", TOKEN[:-1].encode(), (TOKEN + "0").encode(), TOKEN.upper().encode(), b"\xff"):
        assert book.find(wrong) is None


def test_a_principal_reaches_its_agents_and_no_other() -> None:
    ann = Principal("ann", frozenset({"ann"}), False)
    assert ann.agent("ann") == ann.agent("") == "ann"
    for other in ("bob", "*", "ANN", "ann "):
        with pytest.raises(PermissionDenied):
            ann.agent(other)


def test_a_principal_of_several_agents_has_to_name_one() -> None:
    both = Principal("both", frozenset({"ann", "bob"}), False)
    assert both.agent("bob") == "bob"
    with pytest.raises(PermissionDenied):
        both.agent("")


def test_a_principal_of_every_agent_reaches_the_named_one() -> None:
    anybody = Principal("anybody", frozenset({"*"}), False)
    assert (anybody.agent("bob"), anybody.agent("")) == ("bob", "")
    assert (anybody.declares_as, Principal("op", frozenset({"*"}), True).declares_as) == ("agent", "operator")
