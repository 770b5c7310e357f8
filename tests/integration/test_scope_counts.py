"""The counts of readable records: folded and pending together, whoever writes and whoever folds meanwhile."""

import asyncio
import random
from collections.abc import AsyncIterator

import psycopg
import pytest

from rensou_shared.ids import AgentId
from tests.conftest import DatabaseDsns
from tests.integration.ann_world import ANN, BOB, AnnWorld, near, open_ann_world

EAST = [1.0] + [0.0] * 7
PROJECTS = ("", "P", "Q")
_MOVE = "UPDATE records SET project_id = %s WHERE id = (SELECT id FROM records ORDER BY random() LIMIT 1)"
_DROP = "DELETE FROM records WHERE id = (SELECT id FROM records ORDER BY random() LIMIT 1)"


@pytest.fixture
async def world(database_dsns: DatabaseDsns) -> AsyncIterator[AnnWorld]:
    async with open_ann_world(database_dsns) as one:
        yield one


async def counted(world: AnnWorld, agent: AgentId) -> dict[str | None, int]:
    """What the database says that each project filter leaves; None: no filter."""
    vector = near(EAST, 1, 0.1, 1)[0]
    filters = (None, *PROJECTS)
    return {project: (await world.ask(agent, vector, project=project)).plan.readable_records for project in filters}


def recounted(world: AnnWorld, agent: AgentId) -> dict[str | None, int]:
    """The same by counting."""
    by_project = dict.fromkeys(PROJECTS, 0) | dict[str, int](
        world.run("SELECT project_id, count(*) FROM record_terms WHERE agent_id = %s GROUP BY project_id", agent)
    )
    pool = by_project[""]
    return {None: sum(by_project.values())} | {p: by_project[p] + (pool if p else 0) for p in PROJECTS}


async def test_the_counts_follow_storing_moving_and_deleting(world: AnnWorld) -> None:
    for project in PROJECTS:
        world.fill(ANN, near(EAST, 10, 0.1, 1), project=project, name=f"of {project} ")
    world.fill(BOB, near(EAST, 7, 0.1, 1))
    assert await counted(world, ANN) == {None: 30, "": 10, "P": 20, "Q": 20}
    await world.fold()
    assert await counted(world, ANN) == {None: 30, "": 10, "P": 20, "Q": 20}
    world.run("UPDATE records SET project_id = 'P' WHERE agent_id = 'ann' AND project_id = 'Q' AND id % 2 = 0")
    world.run("UPDATE records SET channel = 'C' WHERE agent_id = 'ann'")
    world.run("DELETE FROM records WHERE agent_id = 'ann' AND project_id = ''")
    for _ in range(2):
        assert await counted(world, ANN) == {None: 20, "": 0, "P": 15, "Q": 5}
        await world.fold()
    assert world.run("SELECT project_id, records FROM scope_counts WHERE agent_id = 'ann' ORDER BY 1") == [
        ("P", 15),
        ("Q", 5),
    ]
    assert (await counted(world, BOB))[None] == 7


async def test_the_counts_are_right_after_writers_at_once_while_they_are_folded(world: AnnWorld) -> None:
    def write(seed: int) -> None:
        chance = random.Random(seed)
        with psycopg.connect(world.dsns.admin, options="-c search_path=rensou,public", autocommit=True) as connection:
            for number in range(12):
                world.fill(ANN, near(EAST, 3, 0.1, seed), chance.choice(PROJECTS), f"text {seed} {number} ")
                move = (
                    "UPDATE records SET project_id = %s WHERE id = (SELECT id FROM records ORDER BY random() LIMIT 1)"
                )
                drop = "DELETE FROM records WHERE id = (SELECT id FROM records ORDER BY random() LIMIT 1)"
                connection.execute(move, (chance.choice(PROJECTS),))
                connection.execute(drop)
                # A writer that gives up counts nothing.
                with connection.transaction(force_rollback=True):
                    connection.execute(drop)

    async def fold() -> None:
        for _ in range(10):
            await world.fold()

    await asyncio.gather(*(asyncio.to_thread(write, seed) for seed in range(4)), fold(), fold())
    expected = recounted(world, ANN)
    assert await counted(world, ANN) == expected
    await world.fold()
    assert await counted(world, ANN) == expected
    assert sum(row[0] for row in world.run("SELECT records FROM scope_counts")) == expected[None] > 0


async def test_a_writer_waits_for_no_other_writer_of_its_agent(world: AnnWorld) -> None:
    with psycopg.connect(world.dsns.admin, options="-c search_path=rensou,public") as open_writer:
        open_writer.execute("INSERT INTO records (agent_id, kind, content) VALUES ('ann', 'mem', 'open')")
        open_writer.execute(
            """INSERT INTO record_terms (agent_id, record_id, terms_version, project_id, channel, source_id, hashes,
                                         words, trigrams)
               SELECT 'ann', id, 1, '', '', '', '{}', '{}/999999937', '{}/999999937' FROM records"""
        )
        world.fill(ANN, near(EAST, 2, 0.1, 1))
        assert (await counted(world, ANN))[None] == 2
    assert (await counted(world, ANN))[None] == 3
