"""The six invariants of overflow nodes, by number; `python -m pytest -k node_invariant_3` runs one."""

from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from hypothesis import example, given

from rensou_recall.pipelines.recall import RecallQuestion, recall
from rensou_recall.types.retrieval import Fusion, GateLevel
from tests.conftest import DatabaseDsns
from tests.integration.nodeworker_world import LONG, World, open_world, whole
from tests.integration.rensou_world import EVERYTHING, Rensou, rensou
from tests.unit.fake_tokenizers import TOKENIZERS, measure, run
from tests.unit.lying_embedding_server import lying_server
from tests.unit.test_divide import NAMES, TEXTS, WINDOWS

__all__ = ["rensou"]

QUESTION = "Where is the telescope of Kirari?"
_NODES = """
INSERT INTO rensou.record_nodes (agent_id, record_id, node_index, start_char, end_char, token_count, token_window,
                                 model_id, divider_version, embedding)
SELECT r.agent_id, r.id, n, n * (r.content_chars / 2),
       CASE n WHEN 0 THEN r.content_chars / 2 ELSE r.content_chars END, 1, 1000, m.id, 1, %s::public.halfvec
FROM rensou.records r
CROSS JOIN rensou.embedding_models m
CROSS JOIN generate_series(0, 1) n
WHERE r.content_chars > 1000
"""


@pytest.fixture
async def world(database_dsns: DatabaseDsns) -> AsyncIterator[World]:
    async with lying_server() as server, open_world(database_dsns, server) as one:
        yield one


async def _found(one: Rensou) -> list[Any]:
    """What Recall and Reconstruct return, in their order."""
    answers: list[Any] = []
    for fusion in Fusion:
        for gate in (GateLevel.BALANCED, GateLevel.OFF):
            asked = RecallQuestion(QUESTION, 10, 100, fusion, (), gate=gate)
            told = await recall(one.deps, one.call(), EVERYTHING, asked)
            answers.append([(str(hit.record.ref), hit.ranked.score) for hit in told.hits])
    for gate in (GateLevel.BALANCED, GateLevel.OFF):
        items = (await one.ask(QUESTION, gate=gate)).items
        answers.append([(str(item.head_ref), [str(claim.ref) for claim in item.claims]) for item in items])
    return answers


async def test_node_invariant_1_nodes_change_neither_what_is_found_nor_its_order(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    filler = "The garden wants water and the bread is dear. " * 30
    for number in range(12):
        await rensou.store(f"Kirari looked through telescope number {number} at a star.")
    for number in range(3):
        await rensou.store(f"Diary {number}. {filler}")
    before = await _found(rensou)
    with psycopg.connect(database_dsns.admin, autocommit=True) as admin:
        # Every node of the diaries is as near to the question as anything can be.
        assert admin.execute(_NODES, (str(rensou.server.vector(QUESTION)),)).rowcount == 6
    assert await _found(rensou) == before and all(before)


async def test_node_invariant_2_no_build_changes_a_record(world: World) -> None:
    record = await world.record(LONG)
    snapshot = "SELECT r::text FROM records r ORDER BY r.id"
    before = await world.run(snapshot)
    for _ in range(2):
        async with world.worker():
            await world.becomes(record, "done")
        assert whole(await world.nodes(record), LONG)
        await world.run("DELETE FROM record_nodes")
        assert await world.run(snapshot) == before
        await world.run("UPDATE node_builds SET state = 'pending', finished_at = NULL")


@given(TEXTS, NAMES, WINDOWS)
# What ends with a stop has two tokens for its last word, which had one with the space behind it.
@example("a. " * 40, "finished word", 12)
def test_node_invariant_3_the_tokens_of_a_node_counted_on_its_own_span_fit_its_window(
    text: str, name: str, window: int
) -> None:
    for node in run(text, TOKENIZERS[name], window)[0]:
        count = measure(text[node.start_char : node.end_char], TOKENIZERS[name], window)
        assert node.token_count == count.count <= node.window == window


@given(TEXTS, NAMES, WINDOWS)
def test_node_invariant_4_nodes_divide_their_record(text: str, name: str, window: int) -> None:
    nodes = run(text, TOKENIZERS[name], window)[0]
    spans = [(node.start_char, node.end_char) for node in nodes]
    assert whole(spans, text) if measure(text, TOKENIZERS[name], window).truncated else not spans


async def test_node_invariant_4_nodes_divide_their_record_as_it_stands_in_the_database(world: World) -> None:
    record = await world.record(LONG)
    async with world.worker():
        await world.becomes(record, "done")
        await world.run("UPDATE records SET content = %s", LONG[::-1])
        await world.settled()
    assert whole(await world.nodes(record), LONG[::-1])


@given(TEXTS, NAMES, WINDOWS)
def test_node_invariant_5_the_same_text_tokenizer_and_window_give_the_same_nodes(
    text: str, name: str, window: int
) -> None:
    first = run(text, TOKENIZERS[name], window)
    run(text[: len(text) // 2], TOKENIZERS[name], window)
    assert run(text, TOKENIZERS[name], window) == first


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE records SET content = 'Another text.'",
        "UPDATE records SET content = content || '!', locked = true",
        "DELETE FROM records",
    ],
)
async def test_node_invariant_6_no_node_outlives_its_record_or_its_text(world: World, statement: str) -> None:
    record = await world.record(LONG)
    async with world.worker():
        await world.becomes(record, "done")
    assert await world.nodes(record)
    await world.run(statement)
    assert await world.nodes(record) == []
