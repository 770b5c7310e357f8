"""Questions to Reconstruct as they come over the wire, and answers as they leave."""

from datetime import UTC, datetime

import pytest

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.reconstruct import decode_reconstruct, encode_reconstruct
from rensou_recall.stages.conclude import budget_source
from rensou_recall.types.call import Principal
from rensou_recall.types.evidence import (
    BoundSource,
    Claim,
    ClaimRole,
    Conflict,
    EvidenceBound,
    EvidenceBounds,
    Item,
    Reconstruction,
    ReconstructQuestion,
    Shortfall,
)
from rensou_recall.types.records import LoweredBound, Quote, QuoteBasis, StartReason
from rensou_recall.types.roles import Role
from rensou_shared.errors import InvalidField, InvalidText, TooLarge
from rensou_shared.ids import RecordId, RecordRef, RelationId

_ANN = Principal("test", frozenset({"ann"}), operator=False)
_SCOPE = pb.ReadScope(agent_id="ann")


def _decode(**fields: object) -> ReconstructQuestion:
    return decode_reconstruct(rpc.ReconstructRequest(scope=_SCOPE, **fields), _ANN)[1]  # pyright: ignore[reportArgumentType]


def test_unset_bounds_are_the_defaults():
    question = _decode(query="tea")
    assert question.bounds == EvidenceBounds(10, 20, 2, 40, 4_000)
    assert question.lowered == ()
    assert (question.count_source, question.budget_source) == (BoundSource.DEFAULT, BoundSource.DEFAULT)


@pytest.mark.parametrize(
    ("field", "asked", "used"),
    [
        ("count", 11, 10),
        ("top_k", 101, 100),
        ("max_hops", 6, 5),
        ("max_evidence", 101, 100),
        ("budget_chars", 20_001, 20_000),
        ("budget_chars", 799, 800),
        ("budget_chars", 1, 800),
    ],
)
def test_a_bound_outside_its_range_is_moved_to_the_nearer_end_and_reported(field: str, asked: int, used: int):
    question = _decode(**{field: asked})
    assert question.lowered == (LoweredBound(field, asked, used),)
    assert getattr(question.bounds, field) == used


@pytest.mark.parametrize(
    ("count", "budget", "sources"),
    [
        (10, 4_000, (BoundSource.REQUEST, BoundSource.REQUEST)),
        (0, 799, (BoundSource.REQUEST, BoundSource.CLAMPED)),
        (11, 20_001, (BoundSource.CLAMPED, BoundSource.CLAMPED)),
    ],
)
def test_a_bound_says_whether_it_is_the_one_that_was_asked_for(
    count: int, budget: int, sources: tuple[BoundSource, BoundSource]
):
    question = _decode(count=count, budget_chars=budget, top_k=101)
    assert (question.count_source, question.budget_source) == sources


def test_only_a_default_budget_is_raised():
    default, asked = _decode(), _decode(budget_chars=4_000)
    assert budget_source(default, 4_000) is BoundSource.DEFAULT
    assert budget_source(default, 4_001) is BoundSource.DEFAULT_RAISED
    assert budget_source(asked, 4_000) is BoundSource.REQUEST


@pytest.mark.parametrize(("field", "least"), [("count", 0), ("max_hops", 0), ("top_k", 1), ("max_evidence", 1)])
def test_the_least_of_a_bound_is_taken_and_less_is_refused(field: str, least: int):
    assert getattr(_decode(**{field: least}).bounds, field) == least
    with pytest.raises(InvalidField) as refused:
        _decode(**{field: least - 1})
    assert refused.value.field == field


@pytest.mark.parametrize("budget", [0, -5])
def test_a_budget_of_nothing_is_refused(budget: int):
    with pytest.raises(InvalidField) as refused:
        _decode(budget_chars=budget)
    assert refused.value.field == "budget_chars"


def test_more_terms_than_a_question_is_searched_by_are_reported():
    asked = _decode(query="".join(chr(0x4E00 + number) for number in range(2_000)))
    assert [(one.field, one.requested, one.applied) for one in asked.lowered] == [("query", 1_999, 1_024)]


def test_a_query_may_be_blank_but_not_hold_a_nul_or_be_too_long():
    assert _decode(query="  ").text == "  "
    with pytest.raises(InvalidText):
        _decode(query="a\0b")
    with pytest.raises(TooLarge):
        _decode(query="a" * 8_001)


def test_an_unknown_fusion_is_refused():
    with pytest.raises(InvalidField) as refused:
        _decode(fusion=99)
    assert refused.value.field == "fusion"


def test_an_answer_keeps_everything_it_says():
    head, other = RecordRef("ep", RecordId(7)), RecordRef("mem", RecordId(3))
    quote = Quote("tea", 2, 5, 90, QuoteBasis.START, start_reason=StartReason.NOT_CURRENT)
    claims = (
        Claim(head, datetime(2026, 1, 2, tzinfo=UTC), "seed", None, (ClaimRole(Role.CORRECTS, other),)),
        Claim(other, None, "relation:knows", 2, (), quote),
    )
    answer = Reconstruction(
        items=(Item(head, quote, claims, "cluster:relation", 4, 1, (Conflict((head, other), RelationId(9)),)),),
        effective_count=5,
        shortfall=Shortfall.EXHAUSTED_CANDIDATES,
        used_budget_chars=6,
        effective_budget_chars=800,
        omitted=(EvidenceBound.MAX_HOPS, EvidenceBound.NEIGHBOURHOOD),
        reached=(EvidenceBound.TOP_K,),
        lowered=(LoweredBound("count", 11, 10),),
        count_source=BoundSource.CLAMPED,
        budget_source=BoundSource.DEFAULT_RAISED,
        terms_omitted=7,
    )
    message = encode_reconstruct(answer)
    (item,) = message.items
    assert (item.head_ref, item.quote.content, item.quote.span.start) == ("ep:7", "tea", 2)
    assert (item.independence_reason, item.claims_omitted, item.quotes_omitted) == ("cluster:relation", 4, 1)
    assert item.quote.start_reason == pb.START_REASON_NOT_CURRENT
    (conflict,) = item.conflicts
    assert (list(conflict.refs), conflict.relation_ref) == (["ep:7", "mem:3"], "rel:9")
    assert conflict.reason == rpc.CONFLICT_REASON_DECLARED_CONTRADICTION
    assert (message.count_source, message.budget_source) == (
        rpc.BOUND_SOURCE_CLAMPED,
        rpc.BOUND_SOURCE_DEFAULT_RAISED,
    )
    assert message.terms_omitted == 7
    assert [(role.role, role.ref) for role in item.claims[0].roles] == [(rpc.ROLE_CORRECTS, "mem:3")]
    assert not item.claims[0].HasField("quote") and not item.claims[0].HasField("hops")
    assert not item.claims[1].HasField("as_of_time")
    assert (item.claims[1].hops, item.claims[1].quote.content) == (2, "tea")
    assert (message.effective_count, message.shortfall) == (5, rpc.SHORTFALL_EXHAUSTED_CANDIDATES)
    assert list(message.bounds.omitted) == [rpc.BOUND_MAX_HOPS, rpc.BOUND_NEIGHBOURHOOD]
    assert list(message.bounds.reached) == [rpc.BOUND_TOP_K]
    assert message.bounds.lowered[0].applied == 10


def test_without_bounds_that_shaped_it_an_answer_has_none():
    message = encode_reconstruct(Reconstruction((), 0, Shortfall.COUNT_ZERO, 0, 4_000))
    assert not message.HasField("bounds") and not message.HasField("degradation")
