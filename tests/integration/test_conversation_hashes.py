"""What is asked of a file of conversations is answered as before anything could be asserted, as hashes alone.

A small file is made here; another is RENSOU_TEST_LOCOMO, whose texts are nobody's to publish.
`conversation_hashes.json` holds one SHA-256 a conversation, over all answers of Recall and Reconstruct with nothing
asserted.
RENSOU_WRITE_GOLDEN=1 writes it anew.
"""

import hashlib
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.conversations import Conversation, load_conversations
from rensou_recall.convert.reconstruct import decode_reconstruct, encode_reconstruct
from rensou_recall.convert.retrieval import decode_recall, encode_recall
from rensou_recall.pipelines.recall import recall
from rensou_recall.pipelines.reconstruct import reconstruct
from rensou_shared.db.pool import Database, PoolSize
from tests.conftest import DatabaseDsns
from tests.integration.rensou_world import deps_on
from tests.integration.test_reconstruct_identity import ANYBODY, FILE, TIMEOUT_S, Service, small_file
from tests.integration.word_embedding import WordEmbedding

HASHES = Path(__file__).with_name("conversation_hashes.json")
# Processors agree on so many digits.
_DIGITS = 5


def written(answer: Message) -> str:
    """The answer as JSON, without the times at which records were stored."""

    def settle(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: settle(value) for key, value in node.items() if key != "createTime"}
        if isinstance(node, list):
            return [settle(one) for one in node]
        return round(node, _DIGITS) if isinstance(node, float) else node

    return json.dumps(settle(MessageToDict(answer)), ensure_ascii=False, sort_keys=True)


async def hash_of(service: Service, conversation: Conversation) -> str:
    """The SHA-256 over the answers to all questions of a stored conversation."""
    digest = hashlib.sha256()
    scope = pb.ReadScope(agent_id=f"conversation-{conversation.id}")
    for question in conversation.questions:
        recalled = decode_recall(rpc.RecallRequest(scope=scope, query=question.text), ANYBODY)
        digest.update(written(encode_recall(await recall(service.deps, service.call(), *recalled))).encode())
        asked = decode_reconstruct(rpc.ReconstructRequest(scope=scope, query=question.text), ANYBODY)
        digest.update(written(encode_reconstruct(await reconstruct(service.deps, service.call(), *asked))).encode())
    return digest.hexdigest()


@pytest.fixture
async def service(database_dsns: DatabaseDsns) -> AsyncIterator[Service]:
    """A service that has just started."""
    database = Database(database_dsns.recall, PoolSize(1, 2))
    await database.open(TIMEOUT_S)
    yield Service(database_dsns, deps_on(database, WordEmbedding()))
    await database.close()


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("file", ["", *filter(None, [FILE])])
async def test_nothing_asserted_changes_no_answer_about_conversations(
    service: Service, tmp_path: Path, file: str
) -> None:
    found: dict[str, str] = {}
    for conversation in load_conversations(Path(file) if file else small_file(tmp_path)):
        await service.store(conversation)
        found[conversation.id] = await hash_of(service, conversation)
    known = json.loads(HASHES.read_text("utf-8"))
    if os.environ.get("RENSOU_WRITE_GOLDEN"):
        known |= found
        HASHES.write_text(json.dumps(known, indent=1) + "\n", "utf-8")
    assert found == {name: known.get(name) for name in found}
