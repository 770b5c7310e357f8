"""Builds of records that are retired meanwhile."""

import asyncio

from tests.integration.nodeworker_world import LONG, World, eventually, whole
from tests.integration.test_nodeworker_builds import Gate

_RETIRE = "UPDATE records SET retired_at = now() WHERE id = %s"


async def _sides(world: World, record: int) -> list[int]:
    """Rows of the record: vectors and terms that searches read, and those that are aside."""
    tables = ("record_vectors", "record_terms", "retired_vectors", "retired_terms")
    counts: list[int] = []
    for table in tables:
        ((count,),) = await world.run(f"SELECT count(*) FROM {table} WHERE record_id = %s", record)
        counts.append(count)
    return counts


async def test_a_record_that_is_retired_while_it_is_embedded_gets_its_vector_aside(world: World) -> None:
    gate = Gate()
    world.server.always = gate
    record = await world.record(LONG)
    async with world.worker():
        await asyncio.wait_for(gate.asked.wait(), 20)
        await world.run(_RETIRE, record)
        gate.opened.set()
        await world.becomes(record, "done")
    assert await _sides(world, record) == [0, 0, 1, 1]
    assert whole(await world.nodes(record), LONG)
    await world.run("UPDATE records SET retired_at = NULL WHERE id = %s", record)
    assert await _sides(world, record) == [1, 1, 0, 0]
    assert await world.vectors(record) == [(len(LONG) + 2, "chat")]


async def test_the_reconciler_asks_nothing_for_retired_records_and_finishes_a_restored_one(world: World) -> None:
    record = await world.record(LONG, build=False)
    await world.run(_RETIRE, record)
    async with world.worker():
        other = await world.record(LONG + " Another.")
        await world.becomes(other, "done")
        await world.sweep().sweep()
        assert await world.build(record) == ("", 0, 0, None)
        await world.run("UPDATE records SET retired_at = NULL WHERE id = %s", record)

        async def found() -> bool:
            await world.sweep().sweep()
            return (await world.build(record))[0] != ""

        await eventually(found, "a restored record is looked for")
        await world.becomes(record, "done")
    assert await _sides(world, record) == [1, 1, 0, 0]
