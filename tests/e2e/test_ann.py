"""Large agents in one approximate index, through the door: the same answers as exactly, and never fewer."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rensou.v1 import gate_pb2
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from rensou_embedded.vector_indexes import DEFAULT_LANES, is_model_known, make_vector_indexes
from tests.conftest import DatabaseDsns
from tests.e2e.harness import eventually, found, own_recall, rows, service, service_environ, store_many
from tests.unit.lying_embedding_server import honest, lying_server, says

ABOVE = "50"
BATCH = 100
# The server's vectors go by length: a question of four letters is nearest to the shortest texts.
NEAR = [f"Tea {number}." for number in range(BATCH)]
FAR = [f"The baker on the long road sold {number} loaves of bread before noon." for number in range(BATCH)]
QUERY = "Cake"
# What the question has to do with bakers is not what is asked here.
ASKED: dict[str, Any] = {"limit": 10, "gate": gate_pb2.GATE_OFF}


@asynccontextmanager
async def reconciler(dsns: DatabaseDsns, embedding_url: str, folder: Path) -> AsyncIterator[None]:
    """The reconciler as a process, which looks for large agents all the time."""
    environ = service_environ(
        database_url=dsns.worker,
        embedding_url=embedding_url,
        ann_above_rows=ABOVE,
        sweep_interval_s="0.2",
        reconcile_interval_s="0.2",
    )
    arguments = ("rensou_nodeworker", "reconciler")
    async with service(folder / "reconciler.log", *arguments, environ=environ):
        yield


async def test_a_far_agent_beside_a_near_one_in_an_index_gets_its_whole_answer(
    database_dsns: DatabaseDsns, tmp_path: Path
) -> None:
    """B11, with the reconciler's own hand, and after the nearest are forgotten."""
    async with (
        lying_server() as server,
        own_recall(tmp_path, database_url=database_dsns.recall, embedding_url=server.url, ann_above_rows=ABOVE) as one,
        RensouClient(one.address) as client,
    ):
        await store_many(client, "near", NEAR)
        await store_many(client, "far", FAR)
        exact = await found(client, "far", QUERY, **ASKED)
        assert make_vector_indexes(database_dsns.migrator, 1) == ["record_vectors_ann_1_0"]
        async with reconciler(database_dsns, server.url, tmp_path):

            async def are_ready() -> bool:
                ready = "SELECT count(*) FROM ann_agents WHERE state = 'ready'"
                return await rows(database_dsns.admin, ready) == [(2,)]

            await eventually(are_ready, "the agents did not get into the index")
            assert await found(client, "far", QUERY, **ASKED) == exact
            assert len(exact) == 10

            async def is_read() -> bool:
                reads = "SELECT idx_scan > 0 FROM pg_stat_user_indexes WHERE indexrelname = 'record_vectors_ann_1_0'"
                return await rows(database_dsns.admin, reads) == [(True,)]

            await eventually(is_read, "the index was not read")
            gone = [int(ref.partition(":")[2]) for ref in exact[:5]]
            await rows(database_dsns.admin, "DELETE FROM records WHERE id = ANY (%s)", gone)
            left = await found(client, "far", QUERY, **ASKED)
            assert len(left) == 10
            assert left[:5] == exact[5:]


async def test_the_stack_has_its_lanes_from_its_first_start(stack: EmbeddedStack) -> None:
    lanes = "SELECT count(*) FROM embedding_models m CROSS JOIN LATERAL ann_lanes_v1(m.id) WHERE m.state = 'active'"
    assert await rows(stack.admin_dsn, lanes) == [(DEFAULT_LANES,)]


async def test_a_server_that_is_late_makes_its_model_known_before_anybody_asks_anything(
    database_dsns: DatabaseDsns, tmp_path: Path
) -> None:
    """Without a model there is nothing to make lanes for."""
    async with lying_server() as server:
        server.always = says("away", 503)
        async with own_recall(tmp_path, database_url=database_dsns.recall, embedding_url=server.url) as one:
            await eventually(lambda: one.serves("readiness"), "a service without vectors is ready")
            assert not is_model_known(database_dsns.migrator)
            server.always = honest

            async def is_met() -> bool:
                return is_model_known(database_dsns.migrator)

            await eventually(is_met, "the model did not become known")


async def test_the_command_makes_lanes_and_says_which(database_dsns: DatabaseDsns) -> None:
    code, said = await _migrate_model(database_dsns.migrator)
    assert (code, said.partition(":")[2].partition(".")[0]) == (0, " the database knows no embedding model yet")
    await rows(
        database_dsns.admin,
        """INSERT INTO embedding_models (fingerprint, name, dimensions, token_window, state)
           VALUES ('m', 'm', 8, 512, 'active')""",
    )
    assert await _migrate_model(database_dsns.migrator, "--lanes", "2") == (
        0,
        "record_vectors_ann_1_0\nrecord_vectors_ann_1_1\n",
    )
    assert await _migrate_model(database_dsns.migrator, "--lanes", "2") == (0, "nothing to make\n")
    assert (await _migrate_model(database_dsns.migrator, "--lanes", "0"))[0] == 2
    assert (await _migrate_model(database_dsns.worker, "--lanes", "3"))[0] == 1


async def _migrate_model(dsn: str, *arguments: str) -> tuple[int | None, str]:
    """The exit code of `rensou migrate model`, and what it printed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "rensou_embedded", "migrate", "model", "--database-url", dsn, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=service_environ({}),
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode()
