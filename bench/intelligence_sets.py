"""The sets that judge corrections and time: texts of ours, English and Japanese, in bench/intelligence."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path

from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.errors import StackError

TIMEOUT_S = 60
TOP = 10
_SETS = Path(__file__).parent / "intelligence"


@dataclass(frozen=True, slots=True)
class Correction:
    """A record, the one that corrects it, what stands beside them, and what is asked."""

    language: str
    question: str
    old: str
    correction: str
    distractors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Interval:
    """A text that is true in [valid_from, valid_to); None is without an end."""

    text: str
    valid_from: datetime | None
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class TimeQuestion:
    """A question about a thread; `kind` is now, as_of (with its instant) or when; `evidence` is the record's place."""

    kind: str
    text: str
    valid_at: datetime | None
    evidence: int


@dataclass(frozen=True, slots=True)
class Thread:
    """What was true of one thing, one after the other."""

    language: str
    records: tuple[Interval, ...]
    distractors: tuple[str, ...]
    questions: tuple[TimeQuestion, ...]


def load_corrections() -> tuple[Correction, ...]:
    """The cases in the order of the file."""
    root = json.loads((_SETS / "correction.json").read_text(encoding="utf-8"))
    return tuple(
        Correction(one["language"], one["question"], one["old"], one["correction"], tuple(one["distractors"]))
        for one in root["cases"]
    )


def load_threads() -> tuple[Thread, ...]:
    """The threads in the order of the file."""
    root = json.loads((_SETS / "temporal.json").read_text(encoding="utf-8"))
    return tuple(
        Thread(
            one["language"],
            tuple(
                Interval(record["text"], _instant(record["valid_from"]), _instant(record["valid_to"]))
                for record in one["records"]
            ),
            tuple(one["distractors"]),
            tuple(
                TimeQuestion(asked["kind"], asked["text"], _instant(asked["valid_at"]), asked["evidence"])
                for asked in one["questions"]
            ),
        )
        for one in root["threads"]
    )


def _instant(day: str | None) -> datetime | None:
    """The first instant of the day, UTC."""
    return None if day is None else datetime.combine(date.fromisoformat(day), time(), UTC)


def timestamp(moment: datetime | None) -> Timestamp | None:
    """The moment as the wire has it."""
    if moment is None:
        return None
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp


def memory(agent_id: str, text: str, source: pb.Source | None = None) -> rpc.StoreRequest:
    """A memory to store."""
    return rpc.StoreRequest(
        scope=pb.WriteScope(agent_id=agent_id), memory=rpc.MemoryContent(content=text), source=source
    )


async def ask(client: RensouClient, request: rpc.RecallRequest) -> Sequence[rpc.Hit]:
    """The hits of a recall that had everything it needs.

    Raises:
        StackError: It had to do without something.
    """
    answer = await client.recall.Recall(request, timeout=TIMEOUT_S)
    if answer.HasField("degradation"):
        raise StackError(f"recall had to do without: {answer.degradation}")
    return answer.hits
