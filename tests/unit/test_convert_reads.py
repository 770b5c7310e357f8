"""Questions to Recall and GetContents as they come, and answers as they leave."""

from datetime import UTC, datetime
from typing import Any

import pytest

from rensou.v1 import gate_pb2 as gates
from rensou.v1 import profile_pb2 as profiles
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.contents import decode_contents, encode_contents
from rensou_recall.convert.retrieval import SUPPORTED_FUSIONS, decode_recall, encode_recall
from rensou_recall.pipelines.recall import RecallAnswer, RecallHit, RecallQuestion
from rensou_recall.types.call import Principal
from rensou_recall.types.contents import (
    Contents,
    FullRecord,
    NodeRange,
    SelectedContent,
    Selector,
    SpanRange,
    Unresolved,
)
from rensou_recall.types.profile import GraphReach, Profile, ProfileEffect, ProfileOutcome
from rensou_recall.types.records import LoweredBound, NodeSpan, Quote, QuoteBasis, Source, StoredRecord
from rensou_recall.types.retrieval import (
    ALL_STEPS,
    Admission,
    Arm,
    Degradation,
    DegradationKind,
    Fusion,
    Prior,
    Ranked,
    Step,
    Vote,
)
from rensou_recall.types.signal import Signal
from rensou_shared.errors import InvalidField, InvalidText, TooLarge
from rensou_shared.ids import RecordId, RecordRef
from rensou_shared.text.index import MAX_QUERY_TERMS

ANN = Principal("test", frozenset({"ann"}), operator=False)
SCOPE = pb.ReadScope(agent_id="ann")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
REF = RecordRef("mem", RecordId(7))
RECORD = StoredRecord(REF, "0123456789", "P", "C", Source(id="chat:1"), "s", NOON, None, NOON, True, 2)
QUOTE = Quote("012", 0, 3, 10, QuoteBasis.START)


def question(**fields: Any) -> RecallQuestion:
    return decode_recall(rpc.RecallRequest(scope=SCOPE, **fields), ANN)[1]


def selectors(*asked: rpc.ContentSelector) -> list[Selector]:
    return decode_contents(rpc.GetContentsRequest(scope=SCOPE, selectors=asked), ANN)[1]


def test_unset_bounds_of_recall_are_the_defaults() -> None:
    assert question(query="tea") == RecallQuestion("tea", 10, 1_000, Fusion.CONVEX, ())


def test_bounds_of_recall_are_lowered_and_reported_together() -> None:
    asked = question(limit=101, quote_chars=16_001)
    assert (asked.limit, asked.quote_chars) == (100, 16_000)
    assert asked.lowered == (LoweredBound("limit", 101, 100), LoweredBound("quote_chars", 16_001, 16_000))


def test_more_terms_than_a_question_is_searched_by_are_reported() -> None:
    kanji = [chr(0x4E00 + number) for number in range(MAX_QUERY_TERMS + 2)]
    assert question(query="".join(kanji[:-1])).lowered == ()
    assert question(query="".join(kanji)).lowered == (LoweredBound("query", MAX_QUERY_TERMS + 1, MAX_QUERY_TERMS),)


@pytest.mark.parametrize("fusion", [pb.FUSION_UNSPECIFIED, *SUPPORTED_FUSIONS])
def test_every_fusion_of_the_contract_is_taken(fusion: pb.Fusion) -> None:
    assert question(fusion=fusion).fusion is (Fusion.RRF if fusion == pb.FUSION_RRF else Fusion.CONVEX)
    assert set(SUPPORTED_FUSIONS) == set(pb.Fusion.values()) - {pb.FUSION_UNSPECIFIED}


@pytest.mark.parametrize(
    ("fields", "kind", "field"),
    [
        ({"query": "\0"}, InvalidText, "query"),
        ({"query": "x" * 8_001}, TooLarge, "query"),
        ({"limit": -1}, InvalidField, "limit"),
        ({"quote_chars": -1}, InvalidField, "quote_chars"),
        ({"fusion": 99}, InvalidField, "fusion"),
        ({"exclude": ["mem:1"] * 101}, TooLarge, "exclude"),
        ({"exclude": ["mem:1", "ep:0"]}, InvalidField, "exclude[1]"),
        ({"exclude": ["The lantern is lit."]}, InvalidField, "exclude[0]"),
        ({"without": [rpc.STEP_CONTEXT, 0]}, InvalidField, "without[1]"),
        ({"without": [99]}, InvalidField, "without[0]"),
        ({"profile": 99}, InvalidField, "profile"),
        ({"scope": pb.ReadScope(agent_id="ann", source_id="\0")}, InvalidText, "scope.source_id"),
    ],
)
def test_a_bad_question_is_refused_by_its_field(fields: dict[str, Any], kind: type[InvalidField], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        decode_recall(rpc.RecallRequest(**({"scope": SCOPE} | fields)), ANN)
    assert (type(refused.value), refused.value.field) == (kind, field)


@pytest.mark.parametrize(
    ("value", "profile"),
    [
        (profiles.PROFILE_UNSPECIFIED, Profile.FLAT),
        (profiles.PROFILE_FLAT, Profile.FLAT),
        (profiles.PROFILE_DIVERSE, Profile.DIVERSE),
        (profiles.PROFILE_GRAPH, Profile.GRAPH),
        (profiles.PROFILE_RERANK, Profile.RERANK),
    ],
)
def test_every_profile_of_the_contract_is_taken(value: profiles.Profile, profile: Profile) -> None:
    assert question(profile=value).profile is profile


def test_what_a_profile_did_is_told_beside_the_score() -> None:
    effect = ProfileEffect(Profile.DIVERSE, 0.5, 3, similarity=0.25)
    outcome = ProfileOutcome(Profile.GRAPH, applied=True, window=4, graph=GraphReach(1, 2, 3, 4, 5))
    hits = [
        RecallHit(Ranked(REF.id, 0.625, (), effect=effect), RECORD, QUOTE),
        RecallHit(Ranked(REF.id, 0.0, (), admission=Admission.GRAPH), RECORD, QUOTE),
    ]
    answer = encode_recall(RecallAnswer(tuple(hits), 2, Fusion.CONVEX, None, (), profile=outcome))
    first, second = [hit.explanation for hit in answer.hits]
    assert first.profile == profiles.ProfileEffect(
        profile=profiles.PROFILE_DIVERSE, score=0.5, fused_rank=3, similarity=0.25
    )
    assert (first.admission, second.admission) == (rpc.ADMISSION_RANKED, rpc.ADMISSION_GRAPH)
    assert not second.HasField("profile")
    assert answer.profile == profiles.ProfileOutcome(
        profile=profiles.PROFILE_GRAPH,
        applied=True,
        window=4,
        graph=profiles.GraphReach(entities=1, records=2, entities_omitted=3, records_omitted=4, lists_cut=5),
    )


def test_excluded_refs_are_a_set_of_records() -> None:
    assert question(exclude=["mem:7", "ep:1", "mem:007"]).exclude == {REF, RecordRef("ep", RecordId(1))}


def test_a_blank_question_is_taken() -> None:
    assert question(query=" \u200b").text == " \u200b"


def test_a_hit_says_what_it_is_and_why() -> None:
    votes = (Vote(Arm.LEXICAL, 2, 4.5, 0.25), Vote(Arm.TRIGRAM, None, 1.5, 0.125), Vote(Arm.VECTOR, 1, 0.5, 0.25))
    hit = RecallHit(Ranked(REF.id, 0.625, votes), RECORD, QUOTE)
    lowered = (LoweredBound("limit", 200, 100),)
    answer = encode_recall(RecallAnswer((hit,), 12, Fusion.RRF, None, lowered))
    (encoded,) = answer.hits
    assert (encoded.record.ref, encoded.record.project_id, encoded.record.channel) == ("mem:7", "P", "C")
    assert (encoded.record.locked, encoded.record.revision, encoded.record.session_id) == (True, 2, "s")
    assert encoded.record.occurred_time.ToDatetime(tzinfo=UTC) == NOON and not encoded.record.HasField("ended_time")
    assert (encoded.explanation.fusion, encoded.explanation.score) == (pb.FUSION_RRF, 0.625)
    assert [vote.arm for vote in encoded.explanation.votes] == [pb.ARM_VECTOR, pb.ARM_LEXICAL, pb.ARM_TRIGRAM]
    assert [vote.HasField("rank") for vote in encoded.explanation.votes] == [True, True, False]
    assert (answer.candidates, answer.lowered[0].applied) == (12, 100)
    assert not answer.HasField("degradation")


@pytest.mark.parametrize(
    ("signal", "value"),
    [
        (Signal.CLOSENESS, gates.RELEVANCE_SIGNAL_CLOSENESS),
        (Signal.WORDS, gates.RELEVANCE_SIGNAL_WORDS),
        (Signal.COSINE, gates.RELEVANCE_SIGNAL_COSINE),
        (Signal.NONE, gates.RELEVANCE_SIGNAL_UNSPECIFIED),
        (None, gates.RELEVANCE_SIGNAL_UNSPECIFIED),
    ],
)
def test_a_hit_says_what_its_relevance_measures(signal: Signal | None, value: gates.RelevanceSignal) -> None:
    ranked = Ranked(REF.id, 0.5, (), relevance=0.25, relevance_signal=signal)
    told = ranked.told(ProfileEffect(Profile.DIVERSE, 0.5, 1))
    for one in (ranked, told):
        (encoded,) = encode_recall(RecallAnswer((RecallHit(one, RECORD, QUOTE),), 1, Fusion.CONVEX, None, ())).hits
        assert (encoded.explanation.relevance, encoded.explanation.relevance_signal) == (0.25, value)


def test_a_hit_says_what_each_step_added() -> None:
    priors = (Prior(Step.SESSION, 0.125), Prior(Step.CONTEXT, 0.25))
    hit = RecallHit(Ranked(REF.id, 0.375, (), priors), RECORD, QUOTE)
    (encoded,) = encode_recall(RecallAnswer((hit,), 1, Fusion.CONVEX, None, ())).hits
    assert [(prior.step, prior.share) for prior in encoded.explanation.priors] == [
        (rpc.STEP_CONTEXT, 0.25),
        (rpc.STEP_SESSION, 0.125),
    ]


def test_steps_are_left_out_by_name() -> None:
    assert question(query="tea", without=[rpc.STEP_CONTEXT, rpc.STEP_CONTEXT]).steps == ALL_STEPS - {Step.CONTEXT}
    assert question(query="tea", without=[step for step in rpc.Step.values() if step]).steps == frozenset()


def test_a_quote_says_where_it_lies() -> None:
    hit = RecallHit(Ranked(REF.id, 0.0, ()), RECORD, QUOTE)
    (encoded,) = encode_recall(RecallAnswer((hit,), 1, None, None, ())).hits
    quote = encoded.quote
    assert (quote.content, quote.span.start, quote.span.end, quote.content_length) == ("012", 0, 3, 10)
    assert (quote.basis, quote.HasField("node")) == (pb.QUOTE_BASIS_START, False)
    assert encoded.explanation.fusion == pb.FUSION_UNSPECIFIED


def test_a_record_without_a_source_says_nothing_of_one() -> None:
    plain = StoredRecord(REF, "x", "", "", Source(), "", None, None, NOON, False, 1)
    (encoded,) = encode_recall(RecallAnswer((RecallHit(Ranked(REF.id, 0, ()), plain, QUOTE),), 1, None, None, ())).hits
    assert not encoded.record.HasField("source") and not encoded.record.HasField("occurred_time")


@pytest.mark.parametrize("kind", DegradationKind)
def test_every_degradation_has_its_name(kind: DegradationKind) -> None:
    answer = encode_recall(RecallAnswer((), 0, Fusion.CONVEX, Degradation(kind, "it is away", NOON), ()))
    assert pb.DegradationKind.Name(answer.degradation.kind) == f"DEGRADATION_KIND_{kind.name}"
    assert (answer.degradation.reason, answer.degradation.since_time.ToDatetime(tzinfo=UTC)) == ("it is away", NOON)


def test_a_selector_asks_for_all_or_for_nodes_or_for_a_span() -> None:
    asked = selectors(
        rpc.ContentSelector(ref="mem:7"),
        rpc.ContentSelector(ref="ep:7", nodes=rpc.NodeRange(first=0, last=0)),
        rpc.ContentSelector(ref="mem:7", span=pb.Span(start=0, end=1)),
    )
    assert asked == [
        Selector(REF, None),
        Selector(RecordRef("ep", RecordId(7)), NodeRange(0, 0)),
        Selector(REF, SpanRange(0, 1)),
    ]


@pytest.mark.parametrize(
    ("selector", "field"),
    [
        (rpc.ContentSelector(ref="7"), "selectors[1].ref"),
        (rpc.ContentSelector(ref="ent:7"), "selectors[1].ref"),
        (rpc.ContentSelector(ref="mem:7", nodes=rpc.NodeRange(first=-1, last=0)), "selectors[1].nodes"),
        (rpc.ContentSelector(ref="mem:7", nodes=rpc.NodeRange(first=2, last=1)), "selectors[1].nodes"),
        (rpc.ContentSelector(ref="mem:7", span=pb.Span(start=-1, end=1)), "selectors[1].span"),
        (rpc.ContentSelector(ref="mem:7", span=pb.Span(start=1, end=1)), "selectors[1].span"),
        (rpc.ContentSelector(ref="mem:7", span=pb.Span()), "selectors[1].span"),
    ],
)
def test_a_bad_selector_is_refused_by_its_path(selector: rpc.ContentSelector, field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        selectors(rpc.ContentSelector(ref="mem:1"), selector)
    assert refused.value.field == field


@pytest.mark.parametrize(("count", "kind"), [(0, InvalidField), (21, TooLarge)])
def test_selectors_outside_their_bounds_are_refused(count: int, kind: type[InvalidField]) -> None:
    with pytest.raises(InvalidField) as refused:
        selectors(*[rpc.ContentSelector(ref="mem:1")] * count)
    assert (type(refused.value), refused.value.field) == (kind, "selectors")


def test_contents_say_everything_of_a_record() -> None:
    nodes = (SpanRange(0, 4), SpanRange(4, 10))
    full = FullRecord(RECORD, '{"a": 1}', "ab" * 32, "c1", nodes)
    quote = Quote("456789", 4, 10, 10, QuoteBasis.NODE, NodeSpan(1, 2, 4, 10))
    answer = encode_contents(Contents((SelectedContent(0, full, quote),), ()))
    (item,) = answer.items
    assert (item.selector, item.content_sha256, item.node_count, item.caller_id) == (0, "ab" * 32, 2, "c1")
    assert (item.quote.node.index, item.quote.node.of) == (1, 2)
    assert (item.quote.node.span.start, item.quote.node.span.end) == (4, 10)
    assert item.metadata.fields["a"].number_value == 1


@pytest.mark.parametrize("reason", Unresolved)
def test_every_selector_without_a_text_has_its_reason(reason: Unresolved) -> None:
    (unresolved,) = encode_contents(Contents((), ((3, reason),))).unresolved
    assert unresolved.selector == 3
    assert rpc.UnresolvedReason.Name(unresolved.reason) == f"UNRESOLVED_REASON_{reason.name}"
