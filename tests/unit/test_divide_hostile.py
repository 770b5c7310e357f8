"""Texts that division likes least: nodes as of any other, few questions to the server, time that grows no faster."""

import time

import pytest

from rensou_nodeworker.stages.divide import divide
from rensou_shared.embedding.port import TokenCount
from tests.unit.fake_tokenizers import TOKENIZERS, measure, run

LENGTH = 16_000
WINDOW = 128
UNITS = {
    "one word": "x",
    "no spaces": "東京都は広い",
    "four bytes": "😀",
    "flags": "🇯🇵",
    "half a flag": "🇯",
    "a chain of joiners": "👩\u200d",
    "marks alone": "\u0301",
    "marks on letters": "か\u3099e\u0301",
    "a letter under a hundred marks": "e" + "\u0301" * 100,
    "line feeds": "\n",
    "lines of Windows": "line\r\n\r\n",
    "line feeds with spaces": "\n \t",
    "spaces": " ",
    "stops": ".",
    "wide stops": "。",
    "one separator, too early": "a" * 20 + "\n\n" + "b" * 300,
}


def _text(unit: str) -> str:
    return (UNITS[unit] * LENGTH)[:LENGTH]


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("unit", UNITS)
def test_a_hostile_text_is_covered_by_nodes_that_fit_and_cost_few_questions(unit: str, name: str) -> None:
    text = _text(unit)
    nodes, probes = run(text, TOKENIZERS[name], WINDOW)
    if not measure(text, TOKENIZERS[name], WINDOW).truncated:
        assert (nodes, len(probes)) == ((), 1)
        return
    edges = [0, *(node.end_char for node in nodes)]
    assert [node.start_char for node in nodes] == edges[:-1] and edges[-1] == LENGTH
    assert all(not measure(text[n.start_char : n.end_char], TOKENIZERS[name], WINDOW).truncated for n in nodes)
    assert len(probes) <= 4 * len(nodes) + 8


def _seconds(text: str) -> float:
    """CPU time of a division of `text` by a server that costs nothing and counts a code point as a token."""
    division, started = divide(text), time.process_time()
    try:
        probe = next(division)
        while True:
            length = probe.end_char - probe.start_char
            probe = division.send(TokenCount(length, WINDOW, length > WINDOW, min(length, WINDOW)))
    except StopIteration:
        return time.process_time() - started


@pytest.mark.parametrize("unit", UNITS)
def test_a_hostile_text_sixteen_times_as_long_takes_no_second(unit: str) -> None:
    # What is quadratic in the text takes a minute.
    assert _seconds(_text(unit) * 16) < 1.0
