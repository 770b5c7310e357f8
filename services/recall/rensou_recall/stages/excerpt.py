"""The start of a record, as Recall quotes it, or nothing of it."""

from rensou_recall.types.records import Quote, QuoteBasis


def quote_start(content: str, max_chars: int) -> Quote:
    """The first `max_chars` code points of `content`, verbatim: the whole of it when it is no longer."""
    if len(content) <= max_chars:
        return Quote(content, 0, len(content), len(content), QuoteBasis.WHOLE)
    return Quote(content[:max_chars], 0, max_chars, len(content), QuoteBasis.START)


def withhold(content: str) -> Quote:
    """Nothing of `content` but its length."""
    return Quote("", 0, 0, len(content), QuoteBasis.WITHHELD)
