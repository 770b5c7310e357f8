"""Division of a text that is past the embedding window into nodes that each fit it."""

from collections.abc import Generator
from dataclasses import dataclass

from rensou_nodeworker.stages.cut import choose_cut
from rensou_shared.embedding.port import TokenCount


class TokensUnknownError(Exception):
    """The embedding server did not say, or cannot say, where its window closes in a text: no nodes can be made."""


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """A span [start_char, end_char) of the text, in code points, whose tokens are to be counted as a passage."""

    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True)
class NodeSpan:
    """A node: [start_char, end_char) in code points, its own token count and the window that it fits."""

    start_char: int
    end_char: int
    token_count: int
    window: int


_Measuring = Generator[ProbeRequest, TokenCount | None, TokenCount]


def divide(text: str) -> Generator[ProbeRequest, TokenCount | None, tuple[NodeSpan, ...]]:
    """Yield spans to be measured, receive their counts (None: unknown), return the nodes in text order.

    The nodes cover the text without gap or overlap, and each was measured on its own span; a text that fits the window
    has none. The first probe is the whole text, so that what fits costs one request; later ones read twice as far as
    the last window reached, doubling while that fits.

    Raises:
        TokensUnknownError: a count is None, or the window does not hold even one code point.
    """
    if not text:
        return ()
    probe_end = len(text)
    count = yield from _measure(0, probe_end)
    nodes: list[NodeSpan] = []
    start = 0
    while count.truncated:
        reach = min(count.window_end_char, probe_end - start)
        node = yield from _fit_node(text, start, reach)
        nodes.append(node)
        start = node.end_char
        if start == len(text):  # only a server that contradicts its own first count gets here
            return tuple(nodes)
        probe_end, count = yield from _probe(text, start, 2 * reach)
    if nodes:
        nodes.append(NodeSpan(start, len(text), count.count, count.window))
    return tuple(nodes)


def _fit_node(text: str, start: int, limit: int) -> Generator[ProbeRequest, TokenCount | None, NodeSpan]:
    """Return the node that begins at `start` and ends within `limit` code points.

    A part may count more tokens on its own than inside the whole, so what was cut is measured and cut again.
    """
    while limit >= 1:
        # One character past the limit is all that a cut looks ahead; copying the whole rest would be quadratic.
        end = start + choose_cut(text[start : start + limit + 1], limit)
        count = yield from _measure(start, end)
        if not count.truncated:
            return NodeSpan(start, end, count.count, count.window)
        limit = min(count.window_end_char, end - start - 1)
    raise TokensUnknownError("the embedding window does not hold one character")


def _probe(text: str, start: int, length: int) -> Generator[ProbeRequest, TokenCount | None, tuple[int, TokenCount]]:
    """Return how far a count reads and the count: past the window, or to the end of the text."""
    while True:
        end = min(start + length, len(text))
        count = yield from _measure(start, end)
        if count.truncated or end == len(text):
            return end, count
        length *= 2


def _measure(start: int, end: int) -> _Measuring:
    count = yield ProbeRequest(start, end)
    if count is None:
        raise TokensUnknownError("the embedding server cannot count tokens")
    return count
