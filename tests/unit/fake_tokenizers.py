"""Tokenizers that are functions of the text, with the vices of real ones, and a division measured by them."""

from collections.abc import Callable
from typing import Final

from rensou_nodeworker.stages.divide import NodeSpan, ProbeRequest, divide
from rensou_shared.embedding.port import TokenCount

Tokenizer = Callable[[str], list[int]]
"""Gives the end offset of each token of a text."""

SPECIALS: Final = 2


def by_char(text: str) -> list[int]:
    return list(range(1, len(text) + 1))


def by_word(text: str) -> list[int]:
    """Words with the white space before them, however long."""
    return [end for end in by_char(text) if end == len(text) or (text[end].isspace() and not text[end - 1].isspace())]


def by_byte(text: str) -> list[int]:
    """Byte-fallback tokens: an emoji is four, and the window may close inside it."""
    ends: list[int] = []
    for index, char in enumerate(text):
        size = len(char.encode())
        ends += [index] * (size - 1) + [index + 1]
    return ends


def by_triple(text: str) -> list[int]:
    """Pieces of three code points from each white space on: another start gives other pieces."""
    ends: list[int] = []
    start = 0
    for index in range(1, len(text) + 1):
        if index - start == 3 or index == len(text) or text[index].isspace():
            ends.append(index)
            start = index
    return ends


def by_greedy_pair(text: str) -> list[int]:
    """Pairs from the front of the text: cutting off an odd part shifts every pair."""
    return [min(start + 2, len(text)) for start in range(0, len(text), 2)]


def by_run(text: str) -> list[int]:
    """Runs of one character in pieces of 8, 4, 2 and 1: seven are three tokens, and eight are one."""
    ends: list[int] = []
    start = 0
    while start < len(text):
        left = next((end for end in range(start, len(text)) if text[end] != text[start]), len(text)) - start
        start += next(piece for piece in (8, 4, 2, 1) if piece <= left)
        ends.append(start)
    return ends


def by_pair_from_the_end(text: str) -> list[int]:
    """Pairs from the end of the text: one character more moves every token."""
    return [*range(1 if len(text) % 2 else 2, len(text) + 1, 2)]


def by_finished_word(text: str) -> list[int]:
    """Words with one white space after them; letters of a word that is not finished are a token each."""
    finished = [end for end in by_char(text) if text[end - 1].isspace()]
    return [*finished, *range((finished or [0])[-1] + 1, len(text) + 1)]


TOKENIZERS: Final[dict[str, Tokenizer]] = {
    "char": by_char,
    "word": by_word,
    "byte": by_byte,
    "triple": by_triple,
    "pair": by_greedy_pair,
    "run": by_run,
    "pair from the end": by_pair_from_the_end,
    "finished word": by_finished_word,
}


def measure(text: str, tokenizer: Tokenizer, window: int) -> TokenCount:
    """What a server with this tokenizer says of the text, which it would cut to fit."""
    ends = tokenizer(text)
    count = len(ends) + SPECIALS
    if count <= window:
        return TokenCount(count, window, False, len(text))
    return TokenCount(count, window, True, ends[window - SPECIALS - 1])


def run(text: str, tokenizer: Tokenizer, window: int) -> tuple[tuple[NodeSpan, ...], list[ProbeRequest]]:
    """The nodes of `text` and everything that was measured for them."""
    division = divide(text)
    probes: list[ProbeRequest] = []
    try:
        probe = next(division)
        while True:
            probes.append(probe)
            probe = division.send(measure(text[probe.start_char : probe.end_char], tokenizer, window))
    except StopIteration as stop:
        return stop.value, probes
