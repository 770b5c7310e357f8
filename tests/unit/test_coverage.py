"""Which parts of a question stand in which texts."""

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.coverage import MAX_PARTS, cover
from rensou_shared.ids import RecordId, RecordRef


def one(number: int) -> RecordRef:
    return RecordRef("mem", RecordId(number))


def held(question: str, *texts: str) -> dict[str, list[int]]:
    """The parts by their text in the question, with the numbers of the texts that hold them."""
    coverage = cover(question, {one(number): text for number, text in enumerate(texts, start=1)})
    return {question[part.start : part.end]: [ref.id for ref in part.refs] for part in coverage.parts}


def test_words_are_compared_whole_and_without_case() -> None:
    assert held("When is the CAKE baked?", "cakes are baked", "The cake is late") == {
        "When": [],
        "is": [2],
        "the": [2],
        "CAKE": [2],
        "baked": [1],
    }


def test_runs_of_kanji_and_katakana_are_parts_in_either_width() -> None:
    assert held("京都のカメラは三脚？", "京都駅で買った", "ｶﾒﾗと三脚") == {"京都": [1], "カメラ": [2], "三脚": [2]}


def test_a_single_character_is_no_part() -> None:
    assert held("a 木 ア", "a 木 ア") == {}


@given(st.text(max_size=200), st.lists(st.text(max_size=50), max_size=5))
def test_parts_are_bounded_in_order_and_within_the_question(question: str, texts: list[str]) -> None:
    coverage = cover(question, {one(number): text for number, text in enumerate(texts, start=1)})
    assert len(coverage.parts) <= MAX_PARTS
    ends = 0
    for part in coverage.parts:
        assert ends <= part.start < part.end <= len(question)
        ends = part.end
        assert list(part.refs) == sorted(part.refs, key=lambda ref: ref.id)


def test_what_is_beyond_the_bound_is_counted() -> None:
    coverage = cover(" ".join(f"word{number}" for number in range(40)), {})
    assert (len(coverage.parts), coverage.parts_omitted) == (MAX_PARTS, 8)


def test_the_bound_on_what_is_looked_at_is_shared() -> None:
    texts = {one(number): "x" * 2_000 + " tea" for number in range(1, 101)}
    assert cover("tea", texts).chars_a_hit == 2_000
    assert cover("tea", texts).parts[0].refs == ()
