"""Texts that regular expressions like least take no longer than others of their length."""

import time
from collections.abc import Callable

import pytest

from rensou_recall.stages.named_dates import asks_when, named_dates
from rensou_shared.text.index import index_terms, question_terms
from rensou_shared.text.traits import traits_of

LENGTH = 16_000
# A quadratic one takes seconds; what is linear takes milliseconds, on a busy machine some hundred.
LIMIT_S = 1.0

READERS: dict[str, Callable[[str], object]] = {
    "traits_of": traits_of,
    "named_dates": named_dates,
    "asks_when": asks_when,
    "index_terms": lambda text: index_terms("ann", text),
    "question_terms": lambda text: question_terms("ann", text),
}
UNITS = (
    *("9", "９", "三", "1月", "1月の", "か ", "か\n", "2026年", "e\u0301"),
    *("a'", "a-", "_", "@:", "may ", "may 1 ", "in ", "1/", "?", " "),
)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("reader", READERS)
def test_a_text_of_one_thing_repeated_is_read_in_time(reader: str, unit: str) -> None:
    text = (unit * LENGTH)[:LENGTH]
    started = time.process_time()
    READERS[reader](text)
    assert time.process_time() - started < LIMIT_S
