"""The passage of a record that is quoted: whole, the best part of its best node, or its start."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from rensou_recall.stages.best_node import best_node, covers
from rensou_recall.stages.overlap import QuestionGrams, gram_weights, shared_grams
from rensou_recall.types.evidence import ScoredNode
from rensou_recall.types.records import Quote, QuoteBasis, StartReason
from rensou_shared.text.grapheme import last_grapheme_boundary

# A line ends at its line feeds; a wide stop ends a sentence anywhere, a narrow one before white space, as in "3.14";
# brackets and quotation marks that close after a stop belong to the sentence.
_SEGMENT_END = re.compile(r"\n++|[。．！？]++[」』）】”’]*+|(?<![.!?])[.!?]++[\"'”’)\]]*+(?=\s)")

_Span = tuple[int, int]


def choose_quote(content: str, nodes: Sequence[ScoredNode] | None, asked: QuestionGrams, max_chars: int) -> Quote:
    """A verbatim passage of at most `max_chars` code points (1 or more) of `content`.

    The whole when it fits; else, inside the best of the current `nodes` (in text order), the run of whole sentences or
    lines that shares most with the question, the earlier one on a tie; without current nodes the start. A gram of the
    question weighs more the fewer sentences of the record it stands in, and a node's wording is its best run. None is
    a record without nodes, nodes that do not cover the text are not current.
    """
    if len(content) <= max_chars:
        return Quote(content, 0, len(content), len(content), QuoteBasis.WHOLE)
    if nodes is None or not covers(nodes, len(content)):
        start, end = _start(content, max_chars)
        reason = StartReason.NO_NODES if nodes is None else StartReason.NOT_CURRENT
        return Quote(content[start:end], start, end, len(content), QuoteBasis.START, start_reason=reason)
    runs = _best_runs(content, nodes, asked, max_chars)
    place = best_node(nodes, [overlap for _, overlap in runs])
    start, end = _trimmed(content, runs[place][0])
    return Quote(content[start:end], start, end, len(content), QuoteBasis.NODE, nodes[place].span)


def _start(content: str, max_chars: int) -> _Span:
    """The first whole sentences or lines, unless they leave more than half of the bound unused."""
    segments = _segments(content, (0, min(len(content), 2 * max_chars)), max_chars)
    end = max(segment_end for _, segment_end in segments if segment_end <= max_chars)
    if 2 * end < max_chars:
        end = _cut(content, 0, max_chars)
    return _trimmed(content, (0, end))


def _segments(content: str, span: _Span, max_chars: int) -> list[_Span]:
    """Sentences and lines that cover `span`, none longer than `max_chars`: what is longer is cut at white space."""
    start, end = span
    ends = [match.end() for match in _SEGMENT_END.finditer(content, start, end)]
    segments: list[_Span] = []
    for boundary in (*ends, end):
        while boundary - start > max_chars:
            cut = _cut(content, start, start + max_chars)
            segments.append((start, cut))
            start = cut
        if boundary > start:
            segments.append((start, boundary))
            start = boundary
    return segments


def _cut(content: str, start: int, end: int) -> int:
    """Where to cut [start, end): after white space in its second half, else between two visible characters."""
    for index in range(end, (start + end) // 2, -1):
        if content[index - 1].isspace():
            return index
    boundary = last_grapheme_boundary(content, end)
    return boundary if boundary > start else end


def _best_runs(
    content: str, nodes: Sequence[ScoredNode], asked: QuestionGrams, max_chars: int
) -> list[tuple[_Span, int]]:
    """The best run of each node and what it shares with the question."""
    segments = [_segments(content, (node.span.start_char, node.span.end_char), max_chars) for node in nodes]
    grams = [[shared_grams(asked, content[start:end]) for start, end in spans] for spans in segments]
    weights = gram_weights(segment for own in grams for segment in own)
    return [_best_run(spans, own, weights, max_chars) for spans, own in zip(segments, grams, strict=True)]


def _best_run(
    segments: Sequence[_Span], grams: Sequence[frozenset[str]], weights: Mapping[str, int], max_chars: int
) -> tuple[_Span, int]:
    """The run of neighbouring segments within `max_chars` whose distinct grams weigh most; the earliest on a tie."""
    inside: Counter[str] = Counter()
    best, best_overlap, overlap, right = segments[0], -1, 0, 0
    for left, (start, _) in enumerate(segments):
        while right < len(segments) and segments[right][1] - start <= max_chars:
            overlap += sum(weights[gram] for gram in grams[right] if inside[gram] == 0)
            inside.update(grams[right])
            right += 1
        if overlap > best_overlap:
            best, best_overlap = (start, segments[right - 1][1]), overlap
        inside.subtract(grams[left])
        overlap -= sum(weights[gram] for gram in grams[left] if inside[gram] == 0)
    return best, best_overlap


def _trimmed(content: str, span: _Span) -> _Span:
    """`span` without white space at its ends; as it is when it holds nothing else."""
    start, end = span
    text = content[start:end]
    if not text.strip():
        return span
    return start + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip()))
