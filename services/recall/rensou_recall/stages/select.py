"""Which text each selector means, within one budget."""

from collections.abc import Mapping, Sequence

from rensou_recall.types.contents import (
    Contents,
    FullRecord,
    NodeRange,
    SelectedContent,
    Selector,
    SpanRange,
    Unresolved,
)
from rensou_recall.types.records import NodeSpan, Quote, QuoteBasis
from rensou_shared.ids import RecordRef


def select_contents(
    selectors: Sequence[Selector], records: Mapping[RecordRef, FullRecord], budget_chars: int
) -> Contents:
    """The texts in the order of `selectors`: never cut, the first always served, the rest while the budget lasts."""
    items: list[SelectedContent] = []
    unresolved: list[tuple[int, Unresolved]] = []
    used = 0
    for position, selector in enumerate(selectors):
        full = records.get(selector.ref)
        found = Unresolved.NOT_FOUND if full is None else _quote(full, selector.part)
        if full is None or isinstance(found, Unresolved):
            unresolved.append((position, found if isinstance(found, Unresolved) else Unresolved.NOT_FOUND))
        elif items and used + len(found.content) > budget_chars:
            unresolved.append((position, Unresolved.DEFERRED))
        else:
            used += len(found.content)
            items.append(SelectedContent(position, full, found))
    return Contents(tuple(items), tuple(unresolved))


def _quote(full: FullRecord, part: NodeRange | SpanRange | None) -> Quote | Unresolved:
    content = full.record.content
    if part is None:
        return Quote(content, 0, len(content), len(content), QuoteBasis.WHOLE)
    if isinstance(part, SpanRange):
        end = min(part.end_char, len(content))
        if part.start_char >= end:
            return Unresolved.SPAN_OUT_OF_RANGE
        return Quote(content[part.start_char : end], part.start_char, end, len(content), QuoteBasis.SPAN)
    if not full.nodes:
        return Unresolved.NO_CURRENT_NODES
    if part.last >= len(full.nodes):
        return Unresolved.NODE_OUT_OF_RANGE
    start, end = full.nodes[part.first].start_char, full.nodes[part.last].end_char
    node = NodeSpan(part.first, len(full.nodes), start, full.nodes[part.first].end_char)
    return Quote(content[start:end], start, end, len(content), QuoteBasis.NODE, node)
