"""What declared associations add to Reconstruct, through the running service. The last line is JSON.

Hypotheses, arms, measures and verdicts were registered before the first run: docs/measurements/associations.md. The
records of a conversation are stored once, in the pool that every project reads; each arm declares into a project of
its own and asks there, so that retrieval has the same records, numbers and counts in every arm. The control's
project has no declaration: its answers must be the bytes of a service whose reads of the graph answer nothing.
Writes bench/results/associations-NAME.md, -NAME-items.md (ids alone) and .png.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from arm_figures import Asked, draw, figures_of, rows_of_items, table_of
from declaring import declare
from graph_arms import GRAPHS, arms_of
from reconstructed import read_answer
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.conversations import Conversation, load_conversations
from rensou_embedded.demo_worklog import DemoFormatError
from rensou_embedded.errors import StackError
from rensou_embedded.evaluation import store_turns
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, StackOptions
from results import save_plot, save_table
from second_recall import second_recall

_TIMEOUT_S = 120
_POOL = 20  # Candidates of a Reconstruct by its defaults.


def _question(agent_id: str, project: str, text: str) -> rpc.ReconstructRequest:
    return rpc.ReconstructRequest(scope=pb.ReadScope(agent_id=agent_id, project_id=project), query=text)


async def _pool(client: RensouClient, agent_id: str, text: str, turn_of: dict[str, str]) -> frozenset[str]:
    request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent_id), query=text, limit=_POOL)
    response: rpc.RecallResponse = await client.recall.Recall(request, timeout=_TIMEOUT_S)
    return frozenset(turn_of[hit.record.ref] for hit in response.hits)


async def _ask(
    client: RensouClient, plain: RensouClient, conversation: Conversation, agent_id: str, turn_of: dict[str, str]
) -> list[Asked]:
    asked: list[Asked] = []
    for position, question in enumerate(conversation.questions):
        requests = {arm: _question(agent_id, project, question.text) for arm, project in arms_of(position).items()}
        told = {arm: await client.recall.Reconstruct(one, timeout=_TIMEOUT_S) for arm, one in requests.items()}
        without = await plain.recall.Reconstruct(requests["control"], timeout=_TIMEOUT_S)
        same = without.SerializeToString(deterministic=True) == told["control"].SerializeToString(deterministic=True)
        answers = {arm: read_answer(response, turn_of) for arm, response in told.items()}
        pool = await _pool(client, agent_id, question.text, turn_of)
        asked.append(Asked(conversation.id, question, pool, answers, same, len(turn_of)))
    return asked


async def measure(client: RensouClient, plain: RensouClient, conversations: Sequence[Conversation]) -> list[Asked]:
    """Every question in every arm."""
    asked: list[Asked] = []
    for conversation in conversations:
        agent_id = f"bench:{conversation.id}"
        turn_of = await store_turns(client, agent_id, conversation.turns, lambda _: None)
        ref_of = {turn: ref for ref, turn in turn_of.items()}
        for project, graph_of in GRAPHS.items():
            scope = pb.WriteScope(agent_id=agent_id, project_id=project)
            await declare(client, scope, ref_of, graph_of(conversation))
        asked += await _ask(client, plain, conversation, agent_id, turn_of)
        print(f"{conversation.id}: {len(conversation.questions)} questions", file=sys.stderr, flush=True)
    return asked


async def run(conversations: Sequence[Conversation], data_dir: Path) -> list[Asked]:
    """The answers on a fresh stack."""
    stack = EmbeddedStack(StackOptions(data_dir, clean_environ(os.environ), grpc_port=0), Console(quiet=True))
    await stack.start()
    try:
        async with RensouClient(stack.grpc_address) as client, second_recall(stack, "without_graph.py") as plain:
            return await measure(client, plain, conversations)
    finally:
        await stack.stop()


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--conversations", type=int, default=None, help="only so many, from the start of the file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            conversations = load_conversations(arguments.data)[: arguments.conversations]
            asked = asyncio.run(run(conversations, Path(folder, "data")))
        except (StackError, DemoFormatError) as error:
            print(f"bench-associations: {error}", file=sys.stderr)
            return 1
    name = f"associations-{arguments.data.stem}"
    title = f"What associations add, {len(asked)} questions of {len(conversations)} conversations"
    table = save_table(name, title, *table_of(asked))
    save_table(f"{name}-items", "Items to which the walk brought evidence of the question", *rows_of_items(asked))
    save_plot(name, draw(asked))
    print(table.read_text(encoding="utf-8"))
    print(json.dumps(figures_of(asked, len(conversations))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
