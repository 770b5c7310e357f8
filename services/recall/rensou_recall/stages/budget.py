"""Where the quoted code points of an answer go."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rensou_recall.types.evidence import QuoteSlot
from rensou_shared.ids import RecordId

_LONG_HEADS = 5
_LONG_HEAD_CHARS = 800
_SHORT_HEAD_CHARS = 400
_EXCERPT_CHARS = 500


def quote_order(quoting: Sequence[Sequence[RecordId]]) -> tuple[QuoteSlot, ...]:
    """All heads in item order, then each item's first excerpt, then each second, and so on.

    `quoting` has each item's records, the head first. A head may take 800 code points in the first five items and 400
    after them, an excerpt 500.
    """
    slots: list[QuoteSlot] = []
    for position, column in enumerate(zip_longest(*quoting)):
        for item, record_id in enumerate(column):
            if record_id is not None:
                slots.append(QuoteSlot(item, record_id, _excerpt_chars(item, position)))
    return tuple(slots)


def _excerpt_chars(item: int, position: int) -> int:
    if position > 0:
        return _EXCERPT_CHARS
    return _LONG_HEAD_CHARS if item < _LONG_HEADS else _SHORT_HEAD_CHARS


def admitted(lengths: Iterable[int], budget_chars: int) -> int:
    """How many quotes the budget admits: the longest prefix that fits, the first always.

    A larger budget only ever admits more of the same order. `lengths` is read no further than the first that does not
    fit.
    """
    used = 0
    count = 0
    for length in lengths:
        used += length
        if count > 0 and used > budget_chars:
            return count
        count += 1
    return count
