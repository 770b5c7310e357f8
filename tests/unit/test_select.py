"""Which text a selector means, and the start of a record."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.excerpt import quote_start
from rensou_recall.stages.select import select_contents
from rensou_recall.types.contents import FullRecord, NodeRange, Selector, SpanRange, Unresolved
from rensou_recall.types.records import NodeSpan, QuoteBasis, Source, StoredRecord
from rensou_shared.ids import RecordId, RecordRef

PLENTY = 1_000_000
SPANS = (SpanRange(0, 4), SpanRange(4, 7), SpanRange(7, 10))


def ref_of(number: int) -> RecordRef:
    return RecordRef("mem", RecordId(number))


def full(number: int, content: str, nodes: tuple[SpanRange, ...] = ()) -> FullRecord:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    record = StoredRecord(ref_of(number), content, "", "", Source(), "", None, None, now, False, 1)
    return FullRecord(record, None, "", "", nodes)


def of(*records: FullRecord) -> dict[RecordRef, FullRecord]:
    return {one.record.ref: one for one in records}


LONG = of(full(1, "0123456789", SPANS))


def only(part: NodeRange | SpanRange | None, records: dict[RecordRef, FullRecord] = LONG) -> object:
    """The quote's text and span of the one selector, or why it gave none."""
    found = select_contents([Selector(ref_of(1), part)], records, PLENTY)
    if found.unresolved:
        return found.unresolved[0][1]
    quote = found.items[0].quote
    return quote.content, quote.start_char, quote.end_char


def test_a_record_is_given_whole() -> None:
    found = select_contents([Selector(ref_of(1), None)], LONG, PLENTY)
    quote = found.items[0].quote
    assert (quote.content, quote.content_chars, quote.basis, quote.node) == ("0123456789", 10, QuoteBasis.WHOLE, None)


def test_a_span_is_given_and_its_end_is_moved_to_the_end_of_the_text() -> None:
    assert only(SpanRange(2, 5)) == ("234", 2, 5)
    assert only(SpanRange(9, 99)) == ("9", 9, 10)
    assert only(SpanRange(10, 11)) is Unresolved.SPAN_OUT_OF_RANGE


def test_a_span_is_quoted_because_it_was_asked_for() -> None:
    found = select_contents([Selector(ref_of(1), part) for part in (SpanRange(0, 5), SpanRange(0, 10))], LONG, PLENTY)
    assert [item.quote.basis for item in found.items] == [QuoteBasis.SPAN] * 2


def test_nodes_are_given_from_the_first_to_the_last() -> None:
    assert only(NodeRange(0, 0)) == ("0123", 0, 4)
    assert only(NodeRange(1, 2)) == ("456789", 4, 10)
    assert only(NodeRange(1, 3)) is Unresolved.NODE_OUT_OF_RANGE
    assert only(NodeRange(3, 3)) is Unresolved.NODE_OUT_OF_RANGE


def test_the_first_node_of_a_range_is_named() -> None:
    found = select_contents([Selector(ref_of(1), NodeRange(1, 2))], LONG, PLENTY)
    quote = found.items[0].quote
    assert (quote.basis, quote.node) == (QuoteBasis.NODE, NodeSpan(1, 3, 4, 7))


def test_a_record_without_nodes_says_so() -> None:
    assert only(NodeRange(0, 0), of(full(1, "short"))) is Unresolved.NO_CURRENT_NODES


def test_an_unknown_record_is_not_found_whatever_is_asked_of_it() -> None:
    for part in (None, NodeRange(0, 0), SpanRange(0, 1)):
        assert only(part, {}) is Unresolved.NOT_FOUND


def test_the_kind_is_part_of_the_ref() -> None:
    found = select_contents([Selector(RecordRef("ep", RecordId(1)), None)], LONG, PLENTY)
    assert found.unresolved == ((0, Unresolved.NOT_FOUND),)


def test_the_first_text_is_served_whatever_its_length_and_the_rest_while_the_budget_lasts() -> None:
    records = of(full(1, "a" * 30), full(2, "b" * 10), full(3, "c" * 5))
    selectors = [Selector(ref_of(n), None) for n in (1, 2, 3)]
    found = select_contents(selectors, records, 20)
    assert [item.selector for item in found.items] == [0]
    assert found.unresolved == ((1, Unresolved.DEFERRED), (2, Unresolved.DEFERRED))


def test_a_text_that_just_fits_is_served() -> None:
    records = of(full(1, "a" * 10), full(2, "b" * 10))
    selectors = [Selector(ref_of(n), None) for n in (1, 2)]
    assert [len(select_contents(selectors, records, budget).items) for budget in (19, 20, 21)] == [1, 2, 2]


def test_a_text_that_does_not_fit_leaves_room_for_a_shorter_one() -> None:
    records = of(full(1, "a" * 10), full(2, "b" * 10), full(3, "c" * 5))
    found = select_contents([Selector(ref_of(n), None) for n in (1, 2, 3)], records, 15)
    assert [item.selector for item in found.items] == [0, 2]
    assert found.unresolved == ((1, Unresolved.DEFERRED),)


PARTS = (
    st.none()
    | st.builds(lambda a, b: NodeRange(min(a, b), max(a, b)), st.integers(0, 4), st.integers(0, 4))
    | st.builds(lambda a, n: SpanRange(a, a + n), st.integers(0, 12), st.integers(1, 12))
)
SELECTORS = st.lists(st.builds(lambda n, part: Selector(ref_of(n), part), st.integers(1, 3), PARTS), max_size=8)


@given(SELECTORS, st.integers(0, 40))
def test_every_selector_is_answered_once_verbatim_and_within_the_budget(selectors: list[Selector], budget: int) -> None:
    records = LONG | of(full(2, "second"))
    found = select_contents(selectors, records, budget)
    answered = sorted([item.selector for item in found.items] + [position for position, _ in found.unresolved])
    assert answered == list(range(len(selectors)))
    for item in found.items:
        quote = item.quote
        assert quote.content == item.full.record.content[quote.start_char : quote.end_char] != ""
    lengths = [len(item.quote.content) for item in found.items]
    assert sum(lengths) <= max(budget, *lengths[:1], 0)


@given(st.text(max_size=30), st.integers(0, 30))
def test_an_excerpt_is_the_start_of_the_text(content: str, max_chars: int) -> None:
    quote = quote_start(content, max_chars)
    assert content.startswith(quote.content)
    assert (quote.start_char, quote.end_char, quote.content_chars) == (0, len(quote.content), len(content))
    assert len(quote.content) == min(len(content), max_chars)
    assert (quote.basis is QuoteBasis.WHOLE) == (quote.content == content)
