"""Confidence: the table of grounds, its order and bounds; who is an independent witness; when an answer suffices."""

import random
from dataclasses import replace

import pytest

from rensou_recall.stages.confidence import independent_groups, judge_confidence, judge_sufficiency
from rensou_recall.types.certainty import Certainty
from rensou_recall.types.confidence import (
    Attestation,
    Ground,
    Level,
    MemoryConfidence,
    Origin,
    Standpoint,
    Sufficiency,
    Witness,
)
from rensou_recall.types.interval import ValidityState
from rensou_shared.ids import RecordId, RecordRef


def ref(number: int) -> RecordRef:
    return RecordRef("mem", RecordId(number))


def witness(number: int, source: str = "", project: str = "", **shared: frozenset[int] | frozenset[str]) -> Witness:
    return Witness(ref(number), Origin(project, "chat" if source else "", source, **shared))  # type: ignore[arg-type]


CLAIM = witness(1, "ann")
NOBODY = Attestation(CLAIM, None, has_role=False)
SAID = Attestation(CLAIM, Certainty.LIKELY, has_role=False)


def judged(attestation: Attestation, standpoint: Standpoint = Standpoint()) -> MemoryConfidence:  # noqa: B008
    found = judge_confidence(attestation, standpoint)
    assert found is not None
    return found


def supported(count: int) -> Attestation:
    return replace(SAID, has_role=True, supporters=tuple(witness(10 + i, f"source {i}") for i in range(count)))


@pytest.mark.parametrize(
    ("certainty", "points", "level"),
    [(Certainty.SURE, 3, Level.HIGH), (Certainty.LIKELY, 2, Level.MEDIUM), (Certainty.VAGUE, 1, Level.LOW)],
)
def test_what_is_stated_gives_its_points(certainty: Certainty, points: int, level: Level) -> None:
    found = judged(replace(SAID, certainty=certainty))
    assert (found.points, found.level) == (points, level)


def test_a_record_of_which_nothing_is_said_has_no_confidence() -> None:
    assert judge_confidence(NOBODY, Standpoint()) is None
    unsaid = replace(NOBODY, claim=witness(1))
    assert judge_confidence(unsaid, Standpoint()) is None


def test_a_role_or_a_validity_alone_is_something_said_and_the_unstated_gives_two() -> None:
    assert judged(replace(NOBODY, has_role=True)).points == 2
    assert judged(NOBODY, Standpoint(validity=ValidityState.VALID)).points == 2


@pytest.mark.parametrize(("groups", "points"), [(0, 2), (1, 3), (2, 3), (3, 4), (9, 4)])
def test_independent_corroboration_gives_one_point_and_three_groups_give_two(groups: int, points: int) -> None:
    assert judged(supported(groups)).points == points


def test_contradictions_cost_one_point_however_many_and_are_all_named() -> None:
    one, many = (judged(SAID, Standpoint(contradicted_by=tuple(map(ref, numbers)))) for numbers in ([7], [9, 7, 8]))
    assert one.points == many.points == 1
    assert many.grounds[-1].refs == (ref(7), ref(8), ref(9)) and many.grounds[-1].value == 3


def test_a_qualification_is_listed_and_costs_nothing() -> None:
    found = judged(SAID, Standpoint(qualified_by=(ref(5),)))
    assert found.points == 2
    assert [(one.ground, one.points) for one in found.grounds] == [(Ground.STATED, 2), (Ground.QUALIFIED, 0)]


def test_a_record_of_nobody_has_one_point_less() -> None:
    found = judged(replace(SAID, claim=witness(1)))
    assert found.points == 1 and found.grounds[-1].ground is Ground.ANONYMOUS


@pytest.mark.parametrize(
    ("standpoint", "reason", "value"),
    [
        (Standpoint(replaced_by=(ref(4),)), Ground.REPLACED, 1),
        (Standpoint(replaced_by=()), Ground.REPLACED, 0),
        (Standpoint(validity=ValidityState.PAST), Ground.NOT_VALID, 2),
        (Standpoint(validity=ValidityState.FUTURE), Ground.NOT_VALID, 3),
    ],
)
def test_what_is_replaced_or_not_valid_has_no_points_and_says_why(
    standpoint: Standpoint, reason: Ground, value: int
) -> None:
    found = judged(replace(supported(4), certainty=Certainty.SURE), standpoint)
    assert (found.points, found.level) == (0, Level.NONE)
    assert (found.grounds[-1].ground, found.grounds[-1].value) == (reason, value)


def test_a_source_and_an_episode_and_a_caller_id_of_one_project_make_no_second_witness() -> None:
    claim = witness(1, "ann", caller_ids=frozenset({"x"}), episodes=frozenset({RecordId(90)}))
    same = [
        witness(2, "ann"),
        witness(3, "bob", caller_ids=frozenset({"x"})),
        witness(4, "cleo", episodes=frozenset({RecordId(90), RecordId(91)})),
    ]
    assert independent_groups(claim, same) == ()
    other = witness(5, "dan", project="elsewhere", caller_ids=frozenset({"x"}))
    assert independent_groups(claim, [*same, other]) == (ref(5),)


def test_sources_of_one_id_and_another_type_are_two() -> None:
    mail = Witness(ref(2), Origin("", "mail", "ann"))
    assert independent_groups(CLAIM, [mail]) == (ref(2),)


def test_all_of_nobody_are_one_witness_and_none_for_a_claim_of_nobody() -> None:
    nobody = [witness(number) for number in (2, 3, 4)]
    assert independent_groups(CLAIM, nobody) == (ref(2),)
    assert independent_groups(witness(1), nobody) == ()


def test_what_is_joined_to_the_claim_by_another_is_of_its_group() -> None:
    chain = [
        witness(4, "cleo", episodes=frozenset({RecordId(90)})),
        witness(3, "cleo", caller_ids=frozenset({"x"})),
        witness(2, "bob", caller_ids=frozenset({"x"})),
    ]
    assert independent_groups(CLAIM, chain) == (ref(2),)
    assert (
        independent_groups(replace(CLAIM, origin=replace(CLAIM.origin, episodes=frozenset({RecordId(90)}))), chain)
        == ()
    )


def drawn(rng: random.Random) -> tuple[Attestation, Standpoint]:
    def someone(number: int) -> Witness:
        return witness(
            number,
            rng.choice(["", "a", "b", "c", "d"]),
            rng.choice(["", "p"]),
            caller_ids=frozenset(rng.sample("xyz", rng.choice([0, 0, 1]))),
            episodes=frozenset(rng.sample([90, 91, 92], rng.choice([0, 0, 1]))),
        )

    attestation = Attestation(
        someone(1),
        rng.choice([None, *Certainty]),
        has_role=rng.random() < 0.7,
        supporters=tuple(someone(number) for number in rng.sample(range(2, 20), rng.randrange(7))),
    )
    refs = [tuple(ref(number) for number in rng.sample(range(20, 40), rng.randrange(4))) for _ in range(3)]
    return attestation, Standpoint(
        rng.choice([None, None, None, refs[0]]), refs[1], refs[2], rng.choice([None, None, *ValidityState])
    )


def test_points_are_whole_clamped_and_the_sum_of_grounds_in_their_order() -> None:
    rng = random.Random(20_261_201)
    for _ in range(3_000):
        attestation, standpoint = drawn(rng)
        found = judge_confidence(attestation, standpoint)
        is_silent = attestation.certainty is None and standpoint.validity is None and not attestation.has_role
        assert (found is None) == is_silent
        if found is None:
            continue
        order = [list(Ground).index(one.ground) for one in found.grounds]
        assert order == sorted(set(order)) and found.grounds[0].ground is Ground.STATED
        forced = {Ground.REPLACED, Ground.NOT_VALID} & {one.ground for one in found.grounds}
        assert found.points == (0 if forced else max(0, min(4, sum(one.points for one in found.grounds))))
        assert type(found.points) is int and found.level.value == found.points
        assert all(list(one.refs) == sorted(one.refs) for one in found.grounds)


def test_more_support_and_more_certainty_never_lower_it_and_more_against_it_never_raises_it() -> None:
    rng = random.Random(7)
    surer = {Certainty.VAGUE: Certainty.LIKELY, Certainty.LIKELY: Certainty.SURE, None: Certainty.SURE}
    for _ in range(2_000):
        attestation, standpoint = drawn(rng)
        attestation = replace(attestation, has_role=True)
        points = judged(attestation, standpoint).points
        more = replace(attestation, supporters=(*attestation.supporters, witness(50, "quite another")))
        assert judged(more, standpoint).points >= points
        if attestation.certainty in surer:
            assert judged(replace(attestation, certainty=surer[attestation.certainty]), standpoint).points >= points
        against = replace(standpoint, contradicted_by=(*standpoint.contradicted_by, ref(60)))
        assert judged(attestation, against).points <= points
        assert judged(attestation, replace(standpoint, replaced_by=())).points == 0


def test_the_order_of_the_supporters_changes_nothing() -> None:
    rng = random.Random(11)
    for _ in range(500):
        attestation, standpoint = drawn(rng)
        shuffled = replace(
            attestation, supporters=tuple(rng.sample(attestation.supporters, len(attestation.supporters)))
        )
        assert judge_confidence(shuffled, standpoint) == judge_confidence(attestation, standpoint)


def of(points: int) -> MemoryConfidence:
    return MemoryConfidence(points, ())


def test_one_high_head_suffices_and_two_of_medium_when_they_are_independent() -> None:
    ann, again, bob = witness(1, "ann"), witness(2, "ann"), witness(3, "bob")
    assert judge_sufficiency([(ann, of(3)), (bob, of(1))]) == Sufficiency(met=True, heads=(ann.ref,))
    assert judge_sufficiency([(ann, of(2)), (bob, of(2))]) == Sufficiency(met=True, heads=(ann.ref, bob.ref))
    assert judge_sufficiency([(ann, of(2)), (again, of(2))]) == Sufficiency(met=False, heads=(ann.ref, again.ref))
    assert judge_sufficiency([(ann, of(2)), (bob, None)]) == Sufficiency(met=False, heads=(ann.ref,))
    assert judge_sufficiency([]) == Sufficiency(met=False)
