"""Page tokens: what was sealed is opened by the same call alone."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.page_token import open_position, seal_position
from rensou_recall.types.listing import PageBinding, Position
from rensou_shared.errors import InvalidPageToken
from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope

KEY, OTHER_KEY = b"k" * 32, b"l" * 32
SCOPE = ReadScope(AgentId("ann"), "P", "C", "chat:")
BINDING = PageBinding("ListRelations", SCOPE, ("ent:1", "knows"))
TOKEN = seal_position(KEY, BINDING, (7,))

_text = st.text(st.characters(codec="utf-8"), max_size=20)
_scopes = st.builds(ReadScope, _text.map(AgentId), st.none() | _text, _text, _text)
_bindings = st.builds(PageBinding, _text, _scopes, st.lists(_text, max_size=3).map(tuple))
_positions = st.lists(st.integers(0, 2**63 - 1) | _text, min_size=1, max_size=4).map(tuple)


def is_refused(token: str, binding: PageBinding = BINDING, key: bytes = KEY) -> bool:
    with pytest.raises(InvalidPageToken) as refused:
        open_position(key, binding, token)
    return refused.value.field == "page_token"


@given(_bindings, _positions)
def test_what_was_sealed_is_opened_whole(binding: PageBinding, position: Position) -> None:
    token = seal_position(KEY, binding, position)
    assert open_position(KEY, binding, token) == position
    assert token.isascii() and token == seal_position(KEY, binding, position)


def test_no_token_asks_for_the_first_page() -> None:
    assert open_position(KEY, BINDING, "") == ()


@given(_bindings, _bindings)
def test_a_token_is_good_for_one_binding(one: PageBinding, other: PageBinding) -> None:
    token = seal_position(KEY, one, (7,))
    assert one == other or is_refused(token, other)


@pytest.mark.parametrize(
    "other",
    [
        replace(BINDING, method="ListEntities"),
        replace(BINDING, filters=("ent:1", "knowing")),
        replace(BINDING, filters=("ent:1knows", "")),
        replace(BINDING, filters=("ent:1",)),
        replace(BINDING, scope=replace(SCOPE, agent_id=AgentId("bob"))),
        replace(BINDING, scope=replace(SCOPE, project_id="")),
        replace(BINDING, scope=replace(SCOPE, project_id=None)),
        replace(BINDING, scope=replace(SCOPE, channel="")),
        replace(BINDING, scope=replace(SCOPE, source_id="")),
        replace(BINDING, scope=ReadScope(AgentId("ann"), "PC", "", "chat:")),
    ],
)
def test_a_token_of_another_call_is_refused(other: PageBinding) -> None:
    assert is_refused(TOKEN, other)


def test_a_token_of_another_key_is_refused() -> None:
    assert is_refused(TOKEN, key=OTHER_KEY)


@pytest.mark.parametrize("place", range(len(TOKEN)))
def test_a_token_with_one_character_changed_is_refused(place: int) -> None:
    for other in "Aa0_-":
        changed = f"{TOKEN[:place]}{other}{TOKEN[place + 1 :]}"
        assert changed == TOKEN or is_refused(changed)


@pytest.mark.parametrize(
    "token",
    [
        " ",
        "x",
        TOKEN[:-1],
        TOKEN + "A",
        TOKEN + "=",
        f" {TOKEN}",
        f"{TOKEN}\n",
        "Ａ" * 44,
        "A" * 10**6,
        "\0",
        "-_" * 40,
    ],
)
def test_what_is_no_token_is_refused(token: str) -> None:
    assert is_refused(token)
