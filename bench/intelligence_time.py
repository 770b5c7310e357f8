"""What was true, when, and what is true now? The temporal set with valid_at and without."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import mean

from intelligence_found import Found, Panel, Row
from intelligence_sets import TOP, Thread, TimeQuestion, ask, load_threads, memory, timestamp
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou.v1 import validity_pb2 as validity
from rensou_embedded.client import RensouClient
from rensou_embedded.demo_store import store_all

AGENT = "bench-time"
WHEN, NOW = "when", "now"


@dataclass(frozen=True, slots=True)
class StoredThread:
    """A thread with the refs of its records."""

    thread: Thread
    refs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What one answer tells; `past_as_present` and `unsaid` are None for a when question.

    `past_as_present`: the first record of the thread is not true at the instant. `unsaid`: nor does the hit say
    by its state that it is not true now, which for a now question says it.
    """

    kind: str
    language: str
    found: bool
    past_as_present: bool | None
    unsaid: bool | None


@dataclass(frozen=True, slots=True)
class TimeShares:
    """The same over many answers, between 0 and 1."""

    questions: int
    recall: float
    asked_at: int
    past_as_present: float
    unsaid: float


async def store_threads(client: RensouClient, threads: Sequence[Thread]) -> list[StoredThread]:
    """Stores each thread with when its records are true, and its distractors without.

    Raises:
        StackError: A record was refused.
    """
    stored: list[StoredThread] = []
    for thread in threads:
        requests = [memory(AGENT, text) for text in thread.distractors]
        for record in thread.records:
            request = memory(AGENT, record.text)
            request.validity.CopyFrom(
                pb.Validity(valid_from=timestamp(record.valid_from), valid_to=timestamp(record.valid_to))
            )
            requests.append(request)
        refs = await store_all(client, requests)
        stored.append(StoredThread(thread, refs[len(thread.distractors) :]))
    return stored


def judge(one: StoredThread, asked: TimeQuestion, instant: datetime, hits: Sequence[rpc.Hit]) -> Told:
    """What the answer tells about the thread at the instant."""
    evidence = one.refs[asked.evidence]
    own = [hit for hit in hits if hit.record.ref in one.refs]
    if asked.kind == WHEN:
        record = one.thread.records[asked.evidence]
        said = pb.Validity(valid_from=timestamp(record.valid_from), valid_to=timestamp(record.valid_to))
        found = any(
            hit.record.ref == evidence
            and (hit.validity.valid_from, hit.validity.valid_to) == (said.valid_from, said.valid_to)
            for hit in own
        )
        return Told(asked.kind, one.thread.language, found, None, None)
    is_wrong = bool(own) and not _is_true(one, own[0].record.ref, instant)
    is_said = bool(own) and asked.kind == NOW and own[0].validity.state != validity.VALIDITY_STATE_VALID
    found = any(hit.record.ref == evidence for hit in own)
    return Told(asked.kind, one.thread.language, found, is_wrong, is_wrong and not is_said)


def _is_true(one: StoredThread, ref: str, instant: datetime) -> bool:
    record = one.thread.records[one.refs.index(ref)]
    return (record.valid_from is None or record.valid_from <= instant) and (
        record.valid_to is None or instant < record.valid_to
    )


def time_shares(told: Sequence[Told]) -> TimeShares:
    """The share of each finding."""
    asked_at = [one for one in told if one.past_as_present is not None]
    return TimeShares(
        len(told),
        mean(one.found for one in told),
        len(asked_at),
        mean(bool(one.past_as_present) for one in asked_at) if asked_at else 0.0,
        mean(bool(one.unsaid) for one in asked_at) if asked_at else 0.0,
    )


async def measure_time(client: RensouClient, threads: Sequence[Thread]) -> Mapping[str, list[Told]]:
    """What is told to each question, with `valid_at` and without."""
    stored = await store_threads(client, threads)
    told: dict[str, list[Told]] = {"without valid_at": [], "valid_at": []}
    for name, of in told.items():
        for one in stored:
            for asked in one.thread.questions:
                instant = asked.valid_at or datetime.now(UTC)
                is_given = name == "valid_at" and asked.kind != WHEN
                request = rpc.RecallRequest(
                    scope=pb.ReadScope(agent_id=AGENT),
                    query=asked.text,
                    limit=TOP,
                    valid_at=timestamp(instant) if is_given else None,
                )
                of.append(judge(one, asked, instant, await ask(client, request)))
    return told


async def find_time(client: RensouClient) -> Found:
    """The shares with valid_at and without."""
    told = await measure_time(client, load_threads())
    found = {name: time_shares(of) for name, of in told.items()}
    panel = Panel(
        "time",
        list(found),
        {
            "past as present": [one.past_as_present for one in found.values()],
            "recall@10": [one.recall for one in found.values()],
        },
    )
    figures = {
        "past_as_present": round(found["valid_at"].past_as_present, 4),
        "temporal_recall@10": round(found["valid_at"].recall, 4),
    }
    return Found(_rows(told), panel, figures)


def _rows(told: Mapping[str, Sequence[Told]]) -> list[Row]:
    """The shares by kind, by language, and whole."""
    rows: list[Row] = []
    for name, of in told.items():
        parts = {
            **{kind: [one for one in of if one.kind == kind] for kind in (NOW, "as_of", WHEN)},
            **{language: [one for one in of if one.language == language] for language in ("en", "ja")},
            "all": list(of),
        }
        for part, ones in parts.items():
            found, label = time_shares(ones), f"time, {name}, {part}"
            rows.append((label, "recall@10", found.questions, f"{found.recall:.3f}"))
            if found.asked_at:
                rows.append((label, "past as present", found.asked_at, f"{found.past_as_present:.3f}"))
                rows.append((label, "the same, and its state does not say so", found.asked_at, f"{found.unsaid:.3f}"))
    return rows
