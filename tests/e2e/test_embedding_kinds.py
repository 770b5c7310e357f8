"""The services on servers that do not speak the CEmbedding contract: what Store says of nodes is what comes to be."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.conftest import fresh_database
from tests.e2e.harness import eventually, found, own_recall, rows, service, service_environ, store
from tests.unit.real_embedding_servers import MODEL, WINDOW, serve

LONG = "The key is under the mat by the door. 鍵は玄関のマットの下にある。🫖 " * 6
SHORT = "The pot is on the shelf."
_COUNTS = """
SELECT r.content, count(n.node_index) FROM records r
LEFT JOIN record_nodes n ON n.agent_id = r.agent_id AND n.record_id = r.id GROUP BY r.content
"""


@pytest.mark.parametrize("kind", ["tei", "vllm", "llamacpp"])
async def test_a_record_past_the_window_is_queued_and_gets_nodes_and_no_other(
    postgres: str, tmp_path: Path, kind: str
) -> None:
    async with AsyncExitStack() as parts:
        dsns = await parts.enter_async_context(fresh_database(postgres))
        server = await parts.enter_async_context(serve(kind))
        settings = {"embedding_url": server.url, "embedding_kind": kind}
        settings |= {"embedding_model": MODEL} if kind == "vllm" else {}
        settings |= {"embedding_window": str(WINDOW)} if kind == "llamacpp" else {}
        one = await parts.enter_async_context(own_recall(tmp_path, database_url=dsns.recall, **settings))
        environ = service_environ(database_url=dsns.worker, **settings)
        await parts.enter_async_context(service(tmp_path / "worker.log", "rensou_nodeworker", environ=environ))
        client = await parts.enter_async_context(RensouClient(one.address))
        long, short = await store(client, "ann", LONG), await store(client, "ann", SHORT)
        assert (long.embedded, long.nodes) == (True, pb.NODES_STATUS_QUEUED)
        assert (short.embedded, short.nodes) == (True, pb.NODES_STATUS_UNSPECIFIED)

        async def divided() -> bool:
            return dict(await rows(dsns.admin, _COUNTS))[LONG] > 1

        await eventually(divided, "the record has no nodes", 30)
        assert dict(await rows(dsns.admin, _COUNTS))[SHORT] == 0
        assert (await found(client, "ann", "Where is the key?"))[0] == long.ref
