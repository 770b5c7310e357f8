"""Recall on a real database, with an embedding server that is a function of the words."""

from collections.abc import Sequence

import pytest

from rensou_recall.pipelines.recall import RecallAnswer, RecallQuestion, recall
from rensou_recall.types.records import LoweredBound
from rensou_recall.types.retrieval import DegradationKind, Fusion, GateLevel
from rensou_shared.ids import RecordRef, parse_record_ref
from tests.integration import rensou_world
from tests.integration.rensou_world import EVERYTHING, Rensou

rensou = rensou_world.rensou

PLACES = ("harbour", "market", "station", "island", "tower", "garden", "river", "school")
TEXTS = [f"The lantern of the {place} number {n} is lit." for n, place in enumerate(PLACES * 4)]


async def fill(rensou: Rensou) -> list[str]:
    return [await rensou.store(text) for text in TEXTS]


async def ask(
    rensou: Rensou,
    limit: int,
    fusion: Fusion = Fusion.CONVEX,
    exclude: Sequence[str] = (),
    text: str = "lantern tower",
    gate: GateLevel = GateLevel.OFF,
) -> RecallAnswer:
    left_out = frozenset(_ref(one) for one in exclude)
    question = RecallQuestion(text, limit, 100, fusion, (), left_out, gate=gate)
    return await recall(rensou.deps, rensou.call(), EVERYTHING, question)


def _ref(text: str) -> RecordRef:
    ref = parse_record_ref(text)
    assert ref is not None
    return ref


@pytest.mark.parametrize("gate", [GateLevel.OFF, GateLevel.BALANCED])
@pytest.mark.parametrize("fusion", Fusion)
async def test_the_limit_changes_neither_candidates_nor_scores_nor_order(
    rensou: Rensou, fusion: Fusion, gate: GateLevel
) -> None:
    await fill(rensou)
    whole = await ask(rensou, 100, fusion, gate=gate)
    assert whole.candidates == len(whole.hits) + whole.refused == len(TEXTS)
    assert len(whole.hits) == (len(TEXTS) if gate is GateLevel.OFF else 4)
    for limit in (0, 1, 3, 10, 31):
        few = await ask(rensou, limit, fusion, gate=gate)
        assert (few.candidates, few.refused) == (whole.candidates, whole.refused)
        assert few.hits == whole.hits[:limit]


async def test_what_is_left_out_makes_room_for_what_is_next(rensou: Rensou) -> None:
    await fill(rensou)
    whole = [str(hit.record.ref) for hit in (await ask(rensou, 100)).hits]
    rest = await ask(rensou, 10, exclude=whole[:20])
    assert len(whole) == len(TEXTS)
    assert [str(hit.record.ref) for hit in rest.hits] == whole[20:30]


@pytest.mark.parametrize("text", ["", " \n", "\u200b\ufeff"])
async def test_a_blank_question_embeds_nothing(rensou: Rensou, text: str) -> None:
    refs = await fill(rensou)
    rensou.server.down = True
    answer = await ask(rensou, 5, text=text)
    assert [str(hit.record.ref) for hit in answer.hits] == refs[:-6:-1]
    assert answer.degradation is None and answer.fusion is None


async def test_the_candidates_of_a_blank_question_are_the_records_that_were_read_for_it(rensou: Rensou) -> None:
    refs = await fill(rensou)
    assert (await ask(rensou, 5, text="")).candidates == 5
    assert (await ask(rensou, 5, text="", exclude=refs[-3:])).candidates == 8
    assert (await ask(rensou, 100, text="")).candidates == len(TEXTS)


async def test_an_answer_without_the_embedding_server_comes_from_the_words_and_says_so(rensou: Rensou) -> None:
    refs = await fill(rensou)
    rensou.server.down = True
    answer = await ask(rensou, 100, text="tower", gate=GateLevel.BALANCED)
    assert {str(hit.record.ref) for hit in answer.hits} == {
        r for r, text in zip(refs, TEXTS, strict=True) if "tower" in text
    }
    assert answer.degradation is not None and answer.degradation.kind is DegradationKind.NO_QUERY_VECTOR


async def test_a_bound_that_is_lowered_twice_is_reported_once(rensou: Rensou) -> None:
    for number in range(13):
        await rensou.store(f"The lantern tower, number {number}.")
    first = LoweredBound("quote_chars", 20_000, 16_000)
    question = RecallQuestion("lantern tower", 13, 16_000, Fusion.CONVEX, (first,), frozenset(), gate=GateLevel.OFF)
    answer = await recall(rensou.deps, rensou.call(), EVERYTHING, question)
    assert answer.lowered == (LoweredBound("quote_chars", 20_000, 200_000 // 13),)
