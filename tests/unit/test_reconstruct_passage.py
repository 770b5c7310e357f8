"""Which passage of a record is quoted."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.best_node import best_node, covers
from rensou_recall.stages.overlap import gram_weights, question_grams, shared_grams
from rensou_recall.stages.passage import choose_quote
from rensou_recall.types.evidence import ScoredNode
from rensou_recall.types.records import NodeSpan, QuoteBasis, StartReason

_FILLER = "The weather was mild and nobody said anything of note that day. "


def _nodes(content: str, *cuts: int, cosines: list[float | None] | None = None) -> list[ScoredNode]:
    ends = [*cuts, len(content)]
    spans = [NodeSpan(i, len(ends), start, end) for i, (start, end) in enumerate(zip([0, *cuts], ends, strict=True))]
    return [ScoredNode(span, None if cosines is None else cosines[span.index]) for span in spans]


def test_a_record_that_fits_is_quoted_whole_white_space_included():
    quote = choose_quote(" tea \n", [], question_grams("tea"), 6)
    assert (quote.content, quote.basis, quote.node) == (" tea \n", QuoteBasis.WHOLE, None)


def test_without_nodes_the_start_is_quoted_up_to_a_sentence_end():
    quote = choose_quote("One is here. Two is here. Three is here.", None, question_grams("three"), 30)
    assert (quote.content, quote.basis) == ("One is here. Two is here.", QuoteBasis.START)
    assert quote.start_reason is StartReason.NO_NODES


def test_nodes_that_do_not_cover_the_text_are_not_current():
    content = _FILLER * 10
    for stale in (_nodes(content, 100)[:1], []):
        quote = choose_quote(content, stale, question_grams("weather"), 100)
        assert (quote.basis, quote.start_reason) == (QuoteBasis.START, StartReason.NOT_CURRENT)


@pytest.mark.parametrize(
    "spans", [[], [(1, 9)], [(0, 4), (5, 9)], [(0, 5), (4, 9)], [(0, 8)], [(0, 10)]], ids=str
)  # fmt: skip
def test_gaps_overlaps_and_ends_elsewhere_do_not_cover(spans: list[tuple[int, int]]):
    nodes = [ScoredNode(NodeSpan(i, len(spans), start, end), None) for i, (start, end) in enumerate(spans)]
    assert not covers(nodes, 9)


def test_the_passage_that_shares_the_questions_wording_is_quoted():
    content = _FILLER * 8 + "Kirari moved the telescope to Sapporo.\n" + _FILLER * 8
    quote = choose_quote(content, _nodes(content, 600), question_grams("Where is the telescope of Kirari?"), 120)
    assert "Kirari moved the telescope to Sapporo." in quote.content
    assert quote.basis is QuoteBasis.NODE


def test_two_characters_of_japanese_are_enough_to_find_the_passage():
    content = "今日は雨だった。" * 40 + "明日は京都で会議がある。" + "今日は雨だった。" * 40
    quote = choose_quote(content, _nodes(content, 300, 500), question_grams("京都"), 60)
    assert "京都で会議がある。" in quote.content


def test_the_cosine_decides_between_nodes_of_equal_wording():
    nodes = _nodes("x" * 20, 10, cosines=[0.1, 0.9])
    assert best_node(nodes, [3, 3]) == 1


def test_the_wording_decides_before_the_cosine_and_the_earlier_node_wins_a_tie():
    assert best_node(_nodes("x" * 20, 10, cosines=[0.9, 0.1]), [3, 4]) == 1
    assert best_node(_nodes("x" * 20, 10, cosines=[0.9, 0.9]), [3, 3]) == 0


def test_one_unknown_cosine_leaves_the_wording_to_decide():
    nodes = _nodes("x" * 20, 10, cosines=[0.9, None])
    assert best_node(nodes, [3, 3]) == 0


def test_what_stands_in_one_sentence_tells_more_than_what_stands_everywhere():
    common = "The weather of the day was mild. " * 12
    content = common + "Nobody spoke. A sextant came. Nobody spoke."
    asked = question_grams("Which sextant in the mild weather of the day?")
    quote = choose_quote(content, _nodes(content, len(common)), asked, 40)
    assert "A sextant came." in quote.content and quote.node is not None and quote.node.index == 1


def test_a_node_is_chosen_by_the_passage_that_can_be_quoted_of_it():
    apart = "A sextant came. " + _FILLER * 6 + "It is of brass. "
    content = apart + "The sextant is of brass. " + _FILLER * 6
    asked = question_grams("Is a brass sextant here?")
    quote = choose_quote(content, _nodes(content, len(apart)), asked, 80)
    assert "The sextant is of brass." in quote.content


def test_weights_do_not_hang_on_the_order_of_what_is_weighed():
    segments = [frozenset({"a", "b"}), frozenset({"a"}), frozenset({"c"})]
    weights = gram_weights(segments)
    assert weights == gram_weights(reversed(segments))
    assert weights["b"] == weights["c"] > weights["a"] >= 1


def test_a_narrow_stop_inside_a_number_ends_no_sentence():
    content = "It is 3.14159 and so on" + " or more" * 20
    assert choose_quote(content, [], question_grams("x"), 25).content == "It is 3.14159 and so on"


def test_a_text_without_any_boundary_is_cut_between_visible_characters():
    content = "👩‍🚀" * 60  # three code points each
    quote = choose_quote(content, [], question_grams("x"), 100)
    assert quote.content == "👩‍🚀" * 33


def test_a_question_of_one_character_is_one_gram():
    assert shared_grams(question_grams("会"), "明日は会議") == {"会"}
    assert shared_grams(question_grams(""), "anything") == frozenset()


def test_overlap_ignores_case_and_width():
    assert shared_grams(question_grams("ＡＢＣ"), "xabcx") == {"abc"}


_TEXTS = st.text(alphabet=st.sampled_from("ab .。\n!」\u3000👩‍é"), min_size=1, max_size=200)


@given(_TEXTS, _TEXTS, st.integers(1, 60), st.lists(st.integers(1, 199), max_size=4, unique=True))
def test_every_quote_is_verbatim_within_its_bound_and_inside_its_node(content, question, most, cuts):
    nodes = _nodes(content, *sorted(cut for cut in cuts if cut < len(content)))
    quote = choose_quote(content, nodes, question_grams(question), most)
    assert quote.content == content[quote.start_char : quote.end_char]
    assert 1 <= len(quote.content) <= max(most, 1)
    assert quote.content_chars == len(content)
    if quote.node is not None:
        assert quote.node.start_char <= quote.start_char < quote.end_char <= quote.node.end_char


@given(_TEXTS, st.integers(1, 60))
def test_the_start_is_verbatim_and_near_the_beginning(content, most):
    quote = choose_quote(content, [], question_grams("a"), most)
    assert quote.content == content[quote.start_char : quote.end_char]
    assert 1 <= len(quote.content) <= most or quote.basis is QuoteBasis.WHOLE
    assert quote.end_char <= max(most, len(quote.content))


@pytest.mark.parametrize("text", ["." * 16_000, "a" * 16_000, "。" * 16_000, "! " * 8_000, "\n" * 15_999 + "a"])
def test_the_longest_record_is_quoted_in_little_time_whatever_it_holds(text: str):
    asked = question_grams(text[:8_000])
    started = time.process_time()
    choose_quote(text, _nodes(text, 4_000, 8_000, 12_000), asked, 500)
    assert time.process_time() - started < 1.0
