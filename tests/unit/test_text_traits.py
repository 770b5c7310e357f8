"""What a text asks and whether it names a time, in English and Japanese."""

import pytest

from rensou_shared.text.traits import Trait, traits_of


@pytest.mark.parametrize(
    "text", ["What is it?", "Really?! Tell me.", "元気？最近どう", "もう行きましたか。", "そうかな", "(why?)"]
)
def test_a_text_that_asks(text: str) -> None:
    assert Trait.ASKS in traits_of(text)


@pytest.mark.parametrize("text", ["I see.", "https://example.org/a?b=1", "なかなか良い本です。", ""])
def test_a_text_that_does_not_ask(text: str) -> None:
    assert Trait.ASKS not in traits_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "I went yesterday",
        "two weeks ago",
        "last Friday",
        "in May",
        "May 3",
        "at 5pm",
        "in 2022",
        "先週行った",
        "来年の春",
        "3月に",
    ],
)
def test_a_text_that_names_a_time(text: str) -> None:
    assert Trait.NAMES_A_TIME in traits_of(text)


@pytest.mark.parametrize("text", ["I may go", "the harbour", "港まで歩く", ""])
def test_a_text_that_names_none(text: str) -> None:
    assert Trait.NAMES_A_TIME not in traits_of(text)


def test_the_bits_are_stored_and_never_change() -> None:
    assert (Trait.ASKS.value, Trait.NAMES_A_TIME.value) == (1, 2)
