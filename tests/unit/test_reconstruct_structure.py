"""Which claims an item keeps, in which order, and the answer that comes of them."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.conclude import conclude, nothing
from rensou_recall.stages.structure import items_window, structure
from rensou_recall.types.evidence import (
    ClaimRole,
    Cluster,
    Draft,
    EvidenceBound,
    EvidenceBounds,
    EvidenceTraits,
    JoinKey,
    Member,
    ReachedRecord,
    RecordLink,
    Shortfall,
    Walked,
)
from rensou_recall.types.records import Quote, QuoteBasis
from rensou_recall.types.roles import Role
from rensou_shared.ids import RecordId, RecordKind, RecordRef, RelationId

_NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
_NOTHING_WALKED = Walked((), frozenset(), frozenset())


def _traits(number: int, minute: int | None = None, kind: RecordKind = "mem") -> EvidenceTraits:
    moment = None if minute is None else _NOON + timedelta(minutes=minute)
    return EvidenceTraits(RecordRef(kind, RecordId(number)), moment)


def _cluster(*numbers: int, key: JoinKey | None = None) -> Cluster:
    return Cluster(tuple(Member(RecordId(number), rank, "seed") for rank, number in enumerate(numbers, 1)), key)


def _walked(*numbers: int) -> Walked:
    return Walked(tuple(ReachedRecord(RecordId(n), "knows", 1) for n in numbers), frozenset(), frozenset())


def _draft(
    cluster: Cluster,
    traits: list[EvidenceTraits],
    walked: Walked = _NOTHING_WALKED,
    links: tuple[RecordLink, ...] = (),
    most: int = 40,
) -> Draft:
    (draft,) = structure([cluster], [walked], {one.ref.id: one for one in traits}, links, most)
    return draft


def _refs(draft: Draft) -> list[str]:
    return [str(claim.ref) for claim in draft.claims]


def _quote(text: str) -> Quote:
    return Quote(text, 0, len(text), len(text), QuoteBasis.WHOLE)


def test_claims_are_dated_first_newest_first_memories_before_episodes_then_by_rank():
    traits = [_traits(1), _traits(2, 5), _traits(3, 9, "ep"), _traits(4, 9), _traits(5)]
    draft = _draft(_cluster(5, 1, 2, 3, 4), traits)
    assert _refs(draft) == ["mem:4", "ep:3", "mem:2", "mem:5", "mem:1"]


def test_what_the_walk_reached_comes_after_the_ranked_of_the_same_time():
    draft = _draft(_cluster(9), [_traits(9), _traits(1), _traits(2)], _walked(2, 1))
    assert _refs(draft) == ["mem:9", "mem:1", "mem:2"]
    assert [(claim.why, claim.hops) for claim in draft.claims[1:]] == [("relation:knows", 1)] * 2


def _contradiction(one: int, other: int, number: int) -> RecordLink:
    return RecordLink(RecordId(one), "contradicts", RecordId(other), RelationId(number))


def test_claims_that_contradict_each_other_are_a_conflict_named_by_the_lowest_relation():
    links = (_contradiction(2, 1, 9), _contradiction(1, 2, 4), _contradiction(3, 1, 7), _contradiction(1, 99, 1))
    draft = _draft(_cluster(1, 2), [_traits(1), _traits(2), _traits(3, kind="ep")], _walked(3), links)
    shown = [([str(ref) for ref in conflict.refs], conflict.relation_id) for conflict in draft.conflicts]
    assert shown == [(["ep:3", "mem:1"], 7), (["mem:1", "mem:2"], 4)]


def test_a_claim_that_was_left_out_conflicts_with_nothing():
    links = (_contradiction(1, 2, 4), RecordLink(RecordId(1), "corrects", RecordId(3)))
    assert _draft(_cluster(1, 3, 2), [_traits(n) for n in (1, 2, 3)], links=links, most=2).conflicts == ()


def test_the_most_relevant_member_is_the_head_whatever_corrects_it():
    links = (RecordLink(RecordId(2), "corrects", RecordId(7)),)
    draft = _draft(_cluster(7, 2), [_traits(7, 0), _traits(2, 5)], links=links)
    assert draft.quoting == (7, 2)


def test_a_role_is_what_the_subject_is_to_the_object():
    links = (RecordLink(RecordId(2), "corrects", RecordId(1)), RecordLink(RecordId(2), "restates", RecordId(1)))
    draft = _draft(_cluster(1, 2), [_traits(1, 1), _traits(2, 0)], links=links)
    assert [claim.roles for claim in draft.claims] == [(ClaimRole(Role.CORRECTS, RecordRef("mem", RecordId(2))),), ()]


def test_roles_come_in_the_order_of_the_enum_then_ref_and_only_once():
    said = [(3, "contradicts"), (2, "contradicts"), (4, "contradicts"), (3, "supports"), (3, "supports")]
    links = tuple(RecordLink(RecordId(subject), predicate, RecordId(1)) for subject, predicate in said)
    traits = [_traits(1, 9), _traits(2), _traits(3), _traits(4, None, "ep")]
    roles = _draft(_cluster(1, 2, 3, 4), traits, links=links).claims[0].roles
    assert [(role.role, str(role.ref)) for role in roles] == [
        (Role.SUPPORTS, "mem:3"),
        (Role.CONTRADICTS, "ep:4"),
        (Role.CONTRADICTS, "mem:2"),
        (Role.CONTRADICTS, "mem:3"),
    ]


def test_a_role_of_a_record_outside_the_item_is_left_out():
    links = (RecordLink(RecordId(8), "supports", RecordId(1)),)
    assert _draft(_cluster(1), [_traits(1), _traits(8)], links=links).claims[0].roles == ()


def test_over_the_bound_the_head_the_ranked_and_the_walk_stay_in_that_order():
    traits = [_traits(number) for number in range(1, 7)]
    draft = _draft(_cluster(6, 5, 4), traits, _walked(1, 2, 3), most=4)
    assert draft.quoting == (6, 5, 4, 1)
    assert draft.claims_omitted == 2


def test_a_reached_record_that_was_forgotten_meanwhile_is_no_claim():
    draft = _draft(_cluster(1), [_traits(1), _traits(3)], _walked(2, 3))
    assert draft.quoting == (1, 3)
    assert draft.claims_omitted == 0


def test_the_strongest_key_says_what_joined_the_item():
    assert _draft(_cluster(1, key=JoinKey.RELATION), [_traits(1)]).independence_reason == "cluster:relation"
    assert _draft(_cluster(1), [_traits(1)]).independence_reason == "singleton"


@given(st.integers(1, 6), st.integers(0, 6), st.integers(1, 12))
def test_the_bound_on_evidence_is_kept_and_the_rest_is_counted(members: int, reached: int, most: int):
    numbers = list(range(1, members + reached + 1))
    draft = _draft(_cluster(*numbers[:members]), [_traits(n) for n in numbers], _walked(*numbers[members:]), most=most)
    assert len(draft.claims) == min(most, len(numbers))
    assert draft.claims_omitted + len(draft.claims) == len(numbers)
    assert sorted(draft.quoting) == sorted(claim.ref.id for claim in draft.claims)


def _conclude(drafts: list[Draft], quotes: dict[int, str], *, count: int = 10, candidates: int = 3, top_k: int = 20):
    bounds = EvidenceBounds(count, top_k, 2, 40, 4_000)
    admitted = {RecordId(number): _quote(text) for number, text in quotes.items()}
    return conclude(drafts, [_NOTHING_WALKED] * len(drafts), admitted, bounds, candidates)


def test_an_item_whose_head_the_budget_cut_is_left_out_and_said():
    drafts = [_draft(_cluster(number), [_traits(number)]) for number in (1, 2)]
    answer = _conclude(drafts, {1: "abc"})
    assert [str(item.head_ref) for item in answer.items] == ["mem:1"]
    assert (answer.shortfall, answer.used_budget_chars) == (Shortfall.BUDGET_EXHAUSTED, 3)


def test_fewer_items_than_asked_is_exhausted_and_as_many_is_no_shortfall():
    drafts = [_draft(_cluster(1), [_traits(1)])]
    assert _conclude(drafts, {1: "a"}, count=2).shortfall is Shortfall.EXHAUSTED_CANDIDATES
    assert _conclude(drafts, {1: "a"}, count=1).shortfall is None


def test_top_k_is_reached_when_retrieval_held_as_many():
    drafts = [_draft(_cluster(1), [_traits(1)])]
    assert _conclude(drafts, {1: "a"}, candidates=20).reached == (EvidenceBound.TOP_K,)
    assert _conclude(drafts, {1: "a"}, candidates=19).reached == ()


def test_quotes_stand_at_their_claims_and_the_missing_are_counted():
    draft = _draft(_cluster(1, 2, 3), [_traits(1), _traits(2), _traits(3)])
    (item,) = _conclude([draft], {1: "head", 2: "two"}).items
    assert item.quote.content == "head"
    assert [claim.quote and claim.quote.content for claim in item.claims] == [None, "two", None]
    assert item.quotes_omitted == 1


def test_claims_left_out_of_a_returned_item_are_a_bound_and_of_a_cut_item_are_not():
    traits = [_traits(1), _traits(2), _traits(3)]
    small, large = _draft(_cluster(3), traits), _draft(_cluster(1, 2), traits, most=1)
    assert _conclude([large], {1: "a"}).omitted == (EvidenceBound.MAX_EVIDENCE,)
    assert _conclude([small, large], {3: "a"}).omitted == ()


def test_nothing_says_why():
    answer = nothing(EvidenceBounds(0, 20, 2, 40, 4_000), Shortfall.COUNT_ZERO)
    assert (answer.items, answer.effective_count, answer.shortfall) == ((), 0, Shortfall.COUNT_ZERO)


def test_the_window_is_the_first_clusters_in_order():
    clusters = [_cluster(3), _cluster(1), _cluster(2)]
    assert items_window(clusters, 2) == tuple(clusters[:2])
