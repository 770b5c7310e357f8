"""The approximate index: who is in it, when it answers, and that it never answers with fewer rows than there are."""

from collections.abc import AsyncIterator
from threading import Thread

import numpy as np
import psycopg
import pytest

from rensou_embedded.errors import MigrationError
from rensou_embedded.vector_indexes import make_vector_indexes
from rensou_recall.types.retrieval import VectorPlan
from tests.conftest import DatabaseDsns
from tests.integration.ann_world import ABOVE, ANN, BOB, DIMENSIONS, AnnWorld, near, open_ann_world
from tests.integration.corpus import unit
from tests.integration.nodeworker_world import eventually

EAST, WEST = [1.0] + [0.0] * 7, [-1.0] + [0.0] * 7
QUESTION = unit(np.asarray(EAST))


@pytest.fixture
async def world(database_dsns: DatabaseDsns) -> AsyncIterator[AnnWorld]:
    async with open_ann_world(database_dsns) as one:
        yield one


async def test_the_index_finds_what_the_exact_arm_finds(world: AnnWorld) -> None:
    world.make_lanes()
    world.fill(ANN, near(EAST, 150, 0.5, 1))
    await world.tend()
    assert world.states() == [(ANN, "ready")]
    for seed in range(10):
        question = near(EAST, 1, 1.0, 100 + seed)[0]
        approximate, exact = await world.both(ANN, question)
        assert approximate.plan == VectorPlan("ann", 150)
        assert exact.plan == VectorPlan("exact", 150)
        assert approximate.rows == exact.rows
        assert len(exact.rows) == 10

    async def is_read() -> bool:
        return world.run("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname LIKE '%%_ann_%%_0'") == [(10,)]

    await eventually(is_read, "the index was not read")


async def test_a_far_agent_in_a_lane_of_near_ones_gets_all_its_rows(world: AnnWorld) -> None:
    """B11: rows of another agent's that are nearer never take the place of one's own."""
    world.make_lanes(1)
    world.fill(ANN, near(EAST, 130, 0.1, 1))
    far = world.fill(BOB, near(WEST, 120, 0.1, 2))
    await world.tend()
    assert world.states() == [(ANN, "ready"), (BOB, "ready")]
    found = await world.ask(BOB, QUESTION, depth=120)
    assert sorted(one.record_id for one in found.rows) == far
    approximate, exact = await world.both(BOB, QUESTION)
    assert approximate.rows == exact.rows
    nearest = [one.record_id for one in exact.rows]
    world.run("DELETE FROM records WHERE id = ANY (%s)", nearest)
    approximate, exact = await world.both(BOB, QUESTION)
    assert len(approximate.rows) == 10
    assert approximate.rows == exact.rows
    assert not {one.record_id for one in approximate.rows} & set(nearest)


async def test_fewer_rows_than_asked_are_asked_for_again_exactly(world: AnnWorld) -> None:
    world.make_lanes()
    world.fill(ANN, near(EAST, 150, 0.5, 1))
    await world.tend()
    found = await world.ask(ANN, QUESTION, depth=200)
    assert found.plan == VectorPlan("ann, then exact", 150)
    assert len(found.rows) == 150


async def test_a_small_agent_is_in_no_index(world: AnnWorld) -> None:
    world.make_lanes()
    world.fill(ANN, near(EAST, 150, 0.5, 1))
    world.fill(BOB, near(EAST, 20, 0.5, 2))
    await world.tend()
    world.fill(BOB, near(EAST, 20, 0.5, 3), name="more ")
    assert world.lanes(BOB) == [(None, 40)]
    assert (await world.ask(BOB, QUESTION)).plan == VectorPlan("exact", 40)


async def test_a_small_project_of_a_large_agent_is_searched_exactly(world: AnnWorld) -> None:
    world.make_lanes()
    world.fill(ANN, near(EAST, 150, 0.5, 1), project="P")
    small = world.fill(ANN, near(WEST, 20, 0.5, 2), project="Q")
    pool = world.fill(ANN, near(WEST, 5, 0.5, 3))
    await world.tend()
    assert (await world.ask(ANN, QUESTION)).plan == VectorPlan("ann", 175)
    assert (await world.ask(ANN, QUESTION, project="P")).plan == VectorPlan("ann", 155)
    assert (await world.ask(ANN, QUESTION, project="")).plan == VectorPlan("exact", 5)
    found = await world.ask(ANN, QUESTION, depth=100, project="Q")
    assert found.plan == VectorPlan("exact", 25)
    assert sorted(one.record_id for one in found.rows) == sorted(small + pool)


async def test_new_vectors_of_an_agent_in_a_lane_are_in_it_and_found_at_once(world: AnnWorld) -> None:
    world.make_lanes()
    world.fill(ANN, near(EAST, 150, 0.5, 1))
    await world.tend()
    (new,) = world.fill(ANN, [QUESTION], name="new ")
    assert [lane for lane, _ in world.lanes(ANN)] == [0]
    found = await world.ask(ANN, QUESTION, depth=1)
    assert (found.plan.name, [one.record_id for one in found.rows]) == ("ann", [new])


async def test_the_index_is_not_read_before_a_writer_that_came_first_has_ended(world: AnnWorld) -> None:
    world.make_lanes()
    world.fill(ANN, near(EAST, 150, 0.5, 1))
    with psycopg.connect(world.dsns.admin, options="-c search_path=rensou,public") as late:
        late.execute(
            """WITH r AS (INSERT INTO records (agent_id, kind, content) VALUES ('ann', 'mem', 'late') RETURNING id)
               INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, embedding)
               SELECT 'ann', r.id, %s, '', '', '', '[1,0,0,0,0,0,0,0]' FROM r""",
            (world.model_id,),
        )
        for _ in range(2):
            await world.tend()
            assert world.states() == [(ANN, "flagging")]
            assert world.lanes(ANN) == [(0, 150)]
            assert (await world.ask(ANN, QUESTION)).plan.name == "exact"
    await world.tend()
    assert (world.states(), world.lanes(ANN)) == ([(ANN, "ready")], [(0, 151)])
    found = await world.ask(ANN, QUESTION, depth=1)
    assert found.plan.name == "ann"
    assert found.rows[0].cosine == pytest.approx(1, abs=1e-3)


async def test_an_agent_that_shrank_leaves(world: AnnWorld) -> None:
    world.make_lanes()
    numbers = world.fill(ANN, near(EAST, 150, 0.5, 1))
    await world.tend()
    world.run("DELETE FROM records WHERE id = ANY (%s)", numbers[:60])
    await world.tend()
    assert world.states() == [(ANN, "ready")]
    world.run("DELETE FROM records WHERE id = ANY (%s)", numbers[60:110])
    await world.tend()
    assert (world.states(), world.lanes(ANN)) == ([], [(None, 40)])
    assert (await world.ask(ANN, QUESTION)).plan == VectorPlan("exact", 40)
    world.fill(ANN, near(EAST, 150, 0.5, 2), name="again ")
    await world.tend()
    assert (world.states(), world.lanes(ANN)) == ([(ANN, "ready")], [(0, 190)])


async def test_without_its_index_an_agent_is_searched_exactly(world: AnnWorld) -> None:
    world.fill(ANN, near(EAST, 150, 0.5, 1))
    await world.tend()
    assert (world.states(), world.lanes(ANN)) == ([], [(None, 150)])
    names = world.make_lanes(1)
    await world.tend()
    assert (await world.ask(ANN, QUESTION)).plan.name == "ann"
    _, expected = await world.both(ANN, QUESTION)
    world.run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", names[0])
    assert (await world.ask(ANN, QUESTION)) == expected
    assert world.make_lanes(1) == names
    assert (await world.ask(ANN, QUESTION)).plan.name == "ann"
    world.run(f"DROP INDEX {names[0]}")
    assert (await world.ask(ANN, QUESTION)) == expected


async def test_vectors_taken_out_by_hand_come_back_before_the_index_is_read_again(world: AnnWorld) -> None:
    world.make_lanes()
    numbers = world.fill(ANN, near(EAST, 150, 0.5, 1))
    await world.tend()
    world.run("UPDATE record_vectors SET ann_lane = NULL WHERE record_id = %s", numbers[0])
    await world.tend()
    assert (world.states(), world.lanes(ANN)) == ([(ANN, "ready")], [(0, 150)])


async def test_agents_take_the_emptiest_lane_and_none_that_is_crowded(world: AnnWorld) -> None:
    world.make_lanes(2)
    for number in range(5):
        world.fill(f"agent {number}", near(EAST, 120 + number, 0.5, number))  # pyright: ignore[reportArgumentType]
    await world.tend()
    lanes = world.run("SELECT agent_id, lane FROM ann_agents ORDER BY agent_id")
    assert lanes == [("agent 0", 0), ("agent 1", 1), ("agent 2", 0), ("agent 3", 1)]
    assert (await world.ask("agent 4", QUESTION)).plan == VectorPlan("exact", 124)  # pyright: ignore[reportArgumentType]


async def test_a_neighbour_that_grew_makes_an_agent_leave_its_lane(world: AnnWorld) -> None:
    world.make_lanes(1)
    for agent, seed in ((ANN, 1), (BOB, 2)):
        world.fill(agent, near(EAST, 120, 0.5, seed))
    await world.tend()
    world.fill(BOB, near(EAST, 300, 0.5, 3), name="more ")
    await world.tend()
    assert world.states() == [(BOB, "ready")]
    assert world.lanes(ANN) == [(None, 120)]


def test_the_command_makes_what_is_missing_once_for_every_model_in_use(database_dsns: DatabaseDsns) -> None:
    with psycopg.connect(database_dsns.admin, options="-c search_path=rensou,public", autocommit=True) as connection:
        assert make_vector_indexes(database_dsns.migrator, 2) == []
        for name, state in (("a", "active"), ("b", "building"), ("c", "retired")):
            connection.execute(
                """INSERT INTO embedding_models (fingerprint, name, dimensions, token_window, state)
                   VALUES (%s, %s, %s, 512, %s)""",
                (name, name, DIMENSIONS, state),
            )
    made: list[str] = []
    runs = [Thread(target=lambda: made.extend(make_vector_indexes(database_dsns.migrator, 2))) for _ in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
    assert sorted(made) == [f"record_vectors_ann_{model}_{lane}" for model in (1, 2) for lane in (0, 1)]
    with pytest.raises(MigrationError, match="must be owner"):
        make_vector_indexes(database_dsns.worker, 3)


async def test_the_bound_itself_is_exact(world: AnnWorld) -> None:
    world.make_lanes()
    world.fill(ANN, near(EAST, ABOVE, 0.5, 1))
    await world.tend()
    assert world.states() == []
    cases = world.run(
        "SELECT vector_plan_v1(100, 100, true), vector_plan_v1(101, 100, true), vector_plan_v1(101, 100, false),"
        " vector_plan_v1(101, 100, NULL), vector_plan_v1(0, 0, true)"
    )
    assert cases == [("exact", "ann", "exact", "exact", "exact")]
