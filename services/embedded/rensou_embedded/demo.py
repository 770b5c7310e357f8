"""`rensou demo`: the main job on real input, on a stack of its own."""

import sys
from collections.abc import Sequence

import httpx
from rich.console import Console as RichConsole
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.conversations import Conversation
from rensou_embedded.demo_corpus import DemoLanguage, load_demo_corpus
from rensou_embedded.demo_show import show_nodes, show_recall, show_reconstruct, show_traverse
from rensou_embedded.demo_store import store_corpus, wait_for_nodes
from rensou_embedded.embed_probe import EmbeddingProbe
from rensou_embedded.errors import StackError
from rensou_embedded.evaluation import Evaluation, evaluate
from rensou_embedded.stack import EmbeddedStack

_LANGUAGES: Sequence[DemoLanguage] = ("en", "ja")


async def play_shipped_texts(stack: EmbeddedStack, console: Console) -> None:
    """Stores both work logs, waits for their nodes, and prints what comes back.

    Raises:
        StackError: A record or a declaration was refused, or the nodes did not come.
    """
    async with RensouClient(stack.grpc_address) as client:
        for language in _LANGUAGES:
            corpus = load_demo_corpus(language)
            with console.step(f"storing the work log of {corpus.team}"):
                stored = await store_corpus(client, corpus)
            with console.step(f"waiting for the worker to cut {len(stored.episodes)} long episodes into nodes"):
                nodes = await wait_for_nodes(client, stored)
            print(
                f"\n=== {corpus.team}: {len(stored.entries)} memories, "
                f"{len(stored.episodes)} episodes in {nodes} nodes, "
                f"{stored.relations} relations, {stored.mentions} mentions"
            )
            await show_recall(client, corpus, stored, print)
            await show_reconstruct(client, corpus, stored, print)
            await show_traverse(client, corpus, stored, print)
            await show_nodes(client, stored, print)
            sys.stdout.flush()


async def play_conversations(
    stack: EmbeddedStack, conversations: Sequence[Conversation], run: str = "conversation"
) -> Evaluation:
    """Stores every turn, recalls every question, and returns what was measured.

    Raises:
        StackError: A turn was refused, or the embedding server did not answer.
    """
    total = sum(len(one.turns) + len(one.questions) for one in conversations)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = RichConsole(file=sys.stderr)
    async with (
        RensouClient(stack.grpc_address) as client,
        EmbeddingProbe(stack.embedding_url, stack.embedding_token) as probe,
    ):
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("turns stored and questions asked", total=total)
            try:
                return await evaluate(client, conversations, probe, lambda n: bar.advance(task, n), run)
            except httpx.HTTPError as error:
                raise StackError(f"the embedding server did not answer: {error}") from error
