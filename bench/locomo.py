"""Retrieval on conversations with questions about them, through the running service. The last line is JSON.

Times: `recall_ms_p50` is a call as the client sees it, `embed_ms_p50` the embedding of the same question asked of the
embedding server just before, `outside_embed_ms_p50` the median of the differences. `mrr` counts the first ten.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rensou_embedded.console import Console
from rensou_embedded.conversations import Conversation, load_conversations
from rensou_embedded.demo import play_conversations
from rensou_embedded.demo_worklog import DemoFormatError
from rensou_embedded.errors import StackError
from rensou_embedded.evaluation import Evaluation
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, StackOptions


async def measure(conversations: Sequence[Conversation], data_dir: Path) -> Evaluation:
    """The evaluation on a fresh stack."""
    stack = EmbeddedStack(StackOptions(data_dir, clean_environ(os.environ), grpc_port=0), Console())
    await stack.start()
    try:
        return await play_conversations(stack, conversations, "bench")
    finally:
        await stack.stop()


def without_sessions(conversations: Sequence[Conversation]) -> tuple[Conversation, ...]:
    """The same records, of which none says what it belongs to."""
    return tuple(replace(one, turns=tuple(replace(turn, session="") for turn in one.turns)) for one in conversations)


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sessions", choices=("on", "off"), default="on", help="off: records without a session")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            conversations = load_conversations(arguments.data)
            if arguments.sessions == "off":
                conversations = without_sessions(conversations)
            evaluation = asyncio.run(measure(conversations, Path(folder, "data")))
        except (StackError, DemoFormatError) as error:
            print(f"bench-locomo: {error}", file=sys.stderr)
            return 1
    print(evaluation.table())
    print(json.dumps(evaluation.summary()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
