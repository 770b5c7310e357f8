"""The standing of records: corrections, contradictions and qualifications, judged by what is declared."""

from datetime import UTC, datetime, timedelta
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.standing import judge
from rensou_recall.types.roles import Role
from rensou_recall.types.standing import RoleEdge, Standing
from rensou_shared.ids import RecordId, RecordRef, RelationId

START = datetime(2026, 1, 1, tzinfo=UTC)
NUMBERS = count(1)


def ref(number: int) -> RecordRef:
    return RecordRef("mem", RecordId(number))


def edge(subject: int, role: Role, obj: int, day: int = 0, subject_day: int = 0) -> RoleEdge:
    at, happened = START + timedelta(days=day), START + timedelta(days=subject_day)
    return RoleEdge(RelationId(next(NUMBERS)), role, ref(subject), happened, ref(obj), START, at)


def of(number: int, *edges: RoleEdge, unread: frozenset[RecordRef] = frozenset()) -> Standing:
    return judge(edges, unread)[RecordId(number)]


def successors(standing: Standing) -> list[int]:
    return [one.ref.id for one in standing.successors]


def test_a_chain_of_three_corrections_leads_to_the_last_which_stands_for_the_two_others() -> None:
    chain = [edge(2, Role.CORRECTS, 1, day=1), edge(3, Role.SUPERSEDES, 2, day=2)]
    assert [of(1, *chain).is_replaced, of(2, *chain).is_replaced, of(3, *chain).is_replaced] == [True, True, False]
    assert successors(of(1, *chain)) == successors(of(2, *chain)) == [3]
    assert [(one.ref, one.by) for one in of(3, *chain).replaces] == [(ref(2), ref(3)), (ref(1), ref(2))]


def test_a_cycle_is_inert_and_what_it_leads_to_is_not() -> None:
    cycle = [edge(1, Role.CORRECTS, 2), edge(2, Role.CORRECTS, 1)]
    assert of(1, *cycle) == of(2, *cycle) == Standing()
    beside = [*cycle, edge(2, Role.SUPERSEDES, 3)]
    assert successors(of(3, *beside)) == [2] and not of(2, *beside).is_replaced
    longer = [edge(1, Role.CORRECTS, 2), edge(2, Role.CORRECTS, 3), edge(3, Role.SUPERSEDES, 1)]
    assert not any(of(number, *longer).is_replaced for number in (1, 2, 3))


def test_a_relation_of_a_record_with_itself_is_inert() -> None:
    assert judge([edge(1, Role.CORRECTS, 1)]) == {}


def test_of_several_successors_the_newest_declared_sits_first_then_the_newest_record_then_the_higher_number() -> None:
    many = [
        edge(2, Role.CORRECTS, 1, day=1, subject_day=9),
        edge(3, Role.CORRECTS, 1, day=2),
        edge(4, Role.CORRECTS, 1, day=1, subject_day=9),
        edge(5, Role.CORRECTS, 1, day=1, subject_day=8),
    ]
    assert successors(of(1, *many)) == [3, 4, 2, 5]


def test_a_late_correction_of_the_same_record_takes_the_seat() -> None:
    assert successors(of(1, edge(2, Role.CORRECTS, 1, day=1), edge(3, Role.CORRECTS, 1, day=30))) == [3, 2]


def test_a_chain_of_eight_is_followed_and_one_of_nine_is_cut() -> None:
    chain = [edge(number + 1, Role.CORRECTS, number) for number in range(1, 10)]
    assert successors(of(2, *chain)) == [10] and not of(2, *chain).chain_cut
    cut = of(1, *chain)
    assert cut.is_replaced and cut.chain_cut and cut.successors == ()
    assert len(of(10, *chain).replaces) == 8


def test_a_chain_that_leads_to_what_was_not_read_is_cut() -> None:
    cut = of(1, edge(2, Role.CORRECTS, 1), unread=frozenset({ref(2)}))
    assert cut.is_replaced and cut.chain_cut and cut.successors == ()


def test_of_what_was_not_read_nothing_is_said() -> None:
    assert judge([edge(2, Role.QUALIFIES, 1)], frozenset({ref(2)})).keys() == {RecordId(1)}


def test_two_ways_to_one_successor_name_it_once() -> None:
    diamond = [
        edge(2, Role.CORRECTS, 1),
        edge(3, Role.CORRECTS, 1),
        edge(4, Role.CORRECTS, 2),
        edge(4, Role.CORRECTS, 3),
    ]
    assert successors(of(1, *diamond)) == [4]
    assert [one.ref.id for one in of(4, *diamond).replaces] == [2, 3, 1]


def test_qualifiers_are_named_and_replace_nothing() -> None:
    both = [edge(3, Role.QUALIFIES, 1), edge(2, Role.QUALIFIES, 1), edge(2, Role.QUALIFIES, 1)]
    assert of(1, *both) == Standing(qualified_by=(ref(2), ref(3)))


def test_a_contradiction_is_said_of_both_until_one_of_them_is_replaced() -> None:
    stated = edge(1, Role.CONTRADICTS, 2)
    again = edge(2, Role.CONTRADICTS, 1)
    for number, other in ((1, 2), (2, 1)):
        (said,) = of(number, again, stated).contradictions
        assert (said.ref, said.relation_id) == (ref(other), stated.id)
    settled = [stated, edge(3, Role.CORRECTS, 2)]
    assert of(1, *settled).contradictions == of(2, *settled).contradictions == ()
    inert = [stated, edge(2, Role.CORRECTS, 3), edge(3, Role.CORRECTS, 2)]
    assert [one.ref for one in of(1, *inert).contradictions] == [ref(2)]


WORLDS = st.lists(
    st.tuples(st.integers(1, 7), st.sampled_from(list(Role)), st.integers(1, 7), st.integers(0, 3)), max_size=14
)


@given(WORLDS, st.randoms())
def test_whoever_is_a_successor_is_not_replaced_and_order_of_reading_changes_nothing(
    world: list[tuple[int, Role, int, int]], chance
) -> None:
    edges = [edge(*one) for one in world]
    judged = judge(edges)
    for number, standing in judged.items():
        for one in standing.successors:
            assert not judged[one.ref.id].is_replaced
            assert RecordRef("mem", number) in {past.ref for past in judged[one.ref.id].replaces}
        assert standing.is_replaced == bool(standing.successors or standing.chain_cut)
    chance.shuffle(edges)
    assert judge(edges) == judged
