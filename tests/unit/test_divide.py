"""Division of long texts into nodes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_nodeworker.stages.cut import choose_cut
from rensou_nodeworker.stages.divide import NodeSpan, ProbeRequest, TokensUnknownError, divide
from rensou_shared.embedding.port import TokenCount
from rensou_shared.text.grapheme import is_grapheme_boundary, last_grapheme_boundary
from tests.unit.fake_tokenizers import SPECIALS, TOKENIZERS, by_byte, by_char, by_triple, measure, run

CUTS = [
    ("aaa\n\nbbbbbb", 10, 5),
    ("aa\n\nbbbbbbbb", 10, 10),
    ("aaaaa\n\n\nbbbb", 9, 7),
    ("aaaaa\n \t\nbbbb", 10, 9),
    ("aaaa\r\n\r\nbbbbbb", 10, 8),
    ("あああ。いいいい", 6, 4),
    ("あああ。いいいい", 8, 4),
    ("pi is 3.14 ok now", 9, 6),
    ("pi is 3. ok now", 9, 8),
    ("end. ", 5, 4),
    ("abc.", 4, 4),
    ("abcdefghij", 6, 6),
    ("ab cdefghij", 6, 3),
    ("ああ\u3000いいいい", 5, 3),
    ("あああ.いいいい", 6, 6),
    ("ああ」。いい", 6, 4),
    ("😀😀😀。😀😀", 5, 4),
    ("ab", 2, 2),
    ("\n\n\nb", 3, 2),
    ("\n.", 2, 1),
    ("abc", 99, 3),
]


@pytest.mark.parametrize(("text", "window_end", "cut"), CUTS)
def test_a_cut_is_where_the_reference_puts_it(text: str, window_end: int, cut: int) -> None:
    assert choose_cut(text, window_end) == cut


@pytest.mark.parametrize(
    ("text", "window_end", "cut"),
    [
        ("aaaa👩\u200d🚀", 6, 4),
        ("aaaaか\u3099", 5, 4),
        ("🇯🇵🇫🇷🇩🇪", 3, 2),
        ("a" + "\u0301" * 9, 5, 5),
    ],
)
def test_a_hard_cut_keeps_visible_characters_whole_where_it_can(text: str, window_end: int, cut: int) -> None:
    assert choose_cut(text, window_end) == cut


@pytest.mark.parametrize("window_end", [0, -1])
def test_an_empty_window_has_no_cut(window_end: int) -> None:
    with pytest.raises(ValueError, match="one code point"):
        choose_cut("abc", window_end)


def test_the_nodes_of_the_reference_text() -> None:
    text = "a" * 86 + "\n\n" + "b" * 278
    nodes, _ = run(text, by_char, 120)
    assert nodes == (
        NodeSpan(0, 88, 90, 120),
        NodeSpan(88, 206, 120, 120),
        NodeSpan(206, 324, 120, 120),
        NodeSpan(324, 366, 44, 120),
    )


@pytest.mark.parametrize(("text", "probes"), [("", 0), ("short", 1), ("x" * 118, 1)])
def test_what_fits_has_no_nodes(text: str, probes: int) -> None:
    nodes, asked = run(text, by_char, 120)
    assert (nodes, len(asked)) == ((), probes)


def test_the_first_probe_is_whole_and_later_ones_read_twice_the_reach() -> None:
    _, probes = run("x" * 1000, by_char, 102)
    assert probes[:3] == [ProbeRequest(0, 1000), ProbeRequest(0, 100), ProbeRequest(100, 300)]


def test_a_probe_that_fits_is_doubled() -> None:
    text = "東" * 40 + "x" * 400
    nodes, probes = run(text, by_byte, 92)
    lengths = [probe.end_char - probe.start_char for probe in probes if probe.start_char == nodes[0].end_char]
    assert lengths[:2] == [60, 120]


def test_sixteen_thousand_characters_cost_two_probes_a_node() -> None:
    nodes, probes = run("a word or two. " * 1066, by_triple, 512)
    assert len(probes) <= 2 * len(nodes) + 2


def test_an_unknown_count_is_never_a_fit() -> None:
    division = divide("some text")
    next(division)
    with pytest.raises(TokensUnknownError, match="cannot count"):
        division.send(None)


def test_a_window_that_holds_no_character_is_unknown() -> None:
    with pytest.raises(TokensUnknownError, match="one character"):
        run("😀" * 10, by_byte, SPECIALS + 3)


def test_a_window_that_shrinks_on_every_cut_is_unknown() -> None:
    with pytest.raises(TokensUnknownError, match="one character"):
        run("abc", lambda part: [1, *by_char(part)], SPECIALS + 1)


def test_a_cut_that_does_not_fit_on_its_own_gets_shorter_each_time() -> None:
    division = divide("abcdefgh")
    asked = [next(division)]
    closed_after_four, fits = TokenCount(9, 8, True, 4), TokenCount(8, 8, False, 4)
    asked += [division.send(count) for count in (closed_after_four, fits, closed_after_four, closed_after_four)]
    spans = [(probe.start_char, probe.end_char) for probe in asked]
    assert spans == [(0, 8), (0, 4), (4, 8), (4, 8), (4, 7)]


def test_a_server_that_takes_back_its_count_gives_no_empty_node() -> None:
    division = divide("abcd")
    next(division)
    probe = division.send(TokenCount(9, 8, True, 4))
    with pytest.raises(StopIteration) as stop:
        division.send(TokenCount(8, 8, False, probe.end_char))
    assert stop.value.value == (NodeSpan(0, 4, 8, 8),)


SEPARATORS = (r"\n[ \t]*\n", r"\n", r"[。．！？]|[.!?](?=\s|\Z)", r"\s")
"""Blank line, line, sentence end, white space: the end of a match is where a node may end."""


def cut_by_the_table(text: str, window_end: int) -> int:
    """The rule as it is written: of each kind the last match within the window counts, if it keeps half of it."""
    for pattern in SEPARATORS:
        ends = [match.end() for match in re.finditer(pattern, text) if match.end() <= window_end]
        if ends and ends[-1] * 2 >= window_end:
            return ends[-1]
    return last_grapheme_boundary(text, window_end) or window_end


TEXTS = st.text(st.sampled_from("ab .!?\n\t\u3000。！京都が\u0301\u200d😀🏽🇯🇵"), max_size=200)
SEPARATED = st.text(st.sampled_from("ab\u0301👩\u200d🇯 \t\u3000\x85\r\n\n\n.!?。．！？」"), max_size=60)
NAMES = st.sampled_from(sorted(TOKENIZERS))
WINDOWS = st.integers(SPECIALS + 4, 60)


@given(TEXTS, NAMES, WINDOWS)
def test_nodes_cover_the_text_without_gap_or_overlap(text: str, name: str, window: int) -> None:
    nodes, _ = run(text, TOKENIZERS[name], window)
    edges = [0, *(node.end_char for node in nodes)]
    assert [node.start_char for node in nodes] == edges[:-1]
    assert edges[-1] == (len(text) if nodes else 0)
    assert all(node.start_char < node.end_char for node in nodes)
    assert len(nodes) != 1


@given(TEXTS, NAMES, WINDOWS)
def test_every_node_fits_the_window_as_measured_on_its_own_span(text: str, name: str, window: int) -> None:
    for node in run(text, TOKENIZERS[name], window)[0]:
        own = measure(text[node.start_char : node.end_char], TOKENIZERS[name], window)
        assert (own.count, own.truncated, own.window) == (node.token_count, False, node.window)


@given(TEXTS, NAMES, WINDOWS)
def test_there_are_nodes_exactly_when_the_text_does_not_fit(text: str, name: str, window: int) -> None:
    nodes, _ = run(text, TOKENIZERS[name], window)
    assert bool(nodes) == measure(text, TOKENIZERS[name], window).truncated


@given(TEXTS, NAMES, WINDOWS)
def test_division_is_deterministic(text: str, name: str, window: int) -> None:
    assert run(text, TOKENIZERS[name], window) == run(text, TOKENIZERS[name], window)


@given(TEXTS, NAMES, WINDOWS)
def test_nodes_put_together_are_divided_into_the_same_nodes(text: str, name: str, window: int) -> None:
    nodes, _ = run(text, TOKENIZERS[name], window)
    whole = "".join(text[node.start_char : node.end_char] for node in nodes)
    assert run(whole, TOKENIZERS[name], window)[0] == nodes


@given(TEXTS, NAMES, WINDOWS)
def test_a_node_is_not_divided_again(text: str, name: str, window: int) -> None:
    for node in run(text, TOKENIZERS[name], window)[0]:
        assert run(text[node.start_char : node.end_char], TOKENIZERS[name], window)[0] == ()


@given(TEXTS.filter(bool), st.integers(1, 300))
def test_a_cut_is_inside_the_window_and_keeps_half_of_it_or_a_whole_character(text: str, window_end: int) -> None:
    cut, window_end = choose_cut(text, window_end), min(window_end, len(text))
    assert 1 <= cut <= window_end
    assert cut * 2 >= window_end or is_grapheme_boundary(text, cut)


@given(SEPARATED.filter(bool), st.integers(1, 60))
def test_a_cut_is_the_one_that_the_table_of_separators_gives(text: str, window_end: int) -> None:
    window_end = min(window_end, len(text))
    assert choose_cut(text, window_end) == cut_by_the_table(text, window_end)


@given(SEPARATED.filter(bool), st.integers(1, 60))
def test_a_cut_looks_one_character_past_the_window_and_no_further(text: str, window_end: int) -> None:
    assert choose_cut(text[: window_end + 1], window_end) == choose_cut(text, window_end)
