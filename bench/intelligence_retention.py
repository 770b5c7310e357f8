"""What a retention policy costs and gives: the correction set among 1,000 records that a policy retires."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from intelligence_corrections import StoredCase, store_cases
from intelligence_found import Found, Panel, Row
from intelligence_sets import TIMEOUT_S, TOP, Correction, load_corrections, memory
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import resolution_pb2 as resolution
from rensou.v1 import retention_pb2 as retention
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.demo_store import store_all
from rensou_embedded.errors import StackError
from timing import percentile
from workload import sentences

AGENT = "bench-retention"
_LOG, _LOGGED = "Log", 1_000
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Standing:
    """What the questions find: shares between 0 and 1, milliseconds of questions asked before."""

    recall: float
    candidates: float
    p50_ms: float
    p95_ms: float


async def measure_retention(client: RensouClient, cases: Sequence[Correction]) -> tuple[Standing, Standing, int]:
    """Before the policy, after it, and how many records it retired."""
    await store_all(client, [memory(AGENT, text, pb.Source(type=_LOG)) for text in sentences(_LOGGED)])
    stored = await store_cases(client, cases, AGENT)
    before = await _ask_all(client, stored)
    retired = await _apply_policy(client)
    return before, await _ask_all(client, stored), retired


async def _ask_all(client: RensouClient, stored: Sequence[StoredCase]) -> Standing:
    requests = [
        rpc.RecallRequest(
            scope=pb.ReadScope(agent_id=AGENT),
            query=one.case.question,
            limit=TOP,
            resolution=resolution.RESOLUTION_CURRENT,
        )
        for one in stored
    ]
    answers = [await client.recall.Recall(request, timeout=TIMEOUT_S) for request in requests]
    times: list[float] = []
    for request in requests:
        started = time.perf_counter()
        await client.recall.Recall(request, timeout=TIMEOUT_S)
        times.append((time.perf_counter() - started) * 1000)
    found = [
        one.correction in {hit.record.ref for hit in answer.hits} for one, answer in zip(stored, answers, strict=True)
    ]
    return Standing(
        mean(found), mean(answer.candidates for answer in answers), percentile(times, 50), percentile(times, 95)
    )


async def _apply_policy(client: RensouClient) -> int:
    """Retires what the policy lists; how many records.

    Raises:
        StackError: A record that was listed was skipped.
    """
    key = retention.PolicyKey(scope=pb.WriteScope(agent_id=AGENT), name="old log")
    policy = retention.RetentionPolicy(key=key, tests=retention.RetentionTests(source_type=_LOG))
    await client.lifecycle.PutRetentionPolicy(retention.PutRetentionPolicyRequest(policy=policy), timeout=TIMEOUT_S)
    retired, token = 0, ""
    while True:
        listed = await client.lifecycle.ListRetention(
            retention.ListRetentionRequest(key=key, page_size=_PAGE, page_token=token), timeout=TIMEOUT_S
        )
        if listed.matches:
            refs = [one.ref for one in listed.matches]
            applied = await client.lifecycle.ApplyRetention(
                retention.ApplyRetentionRequest(key=key, refs=refs, digest=listed.digest), timeout=TIMEOUT_S
            )
            if applied.skipped:
                raise StackError(f"a listed record was skipped: {applied.skipped[0]}")
            retired += len(applied.retired)
        token = listed.next_page_token
        if not token:
            return retired


async def find_retention(client: RensouClient) -> Found:
    """What a policy changes."""
    before, after, retired = await measure_retention(client, load_corrections())
    states = {"before": before, "after": after}
    rows: list[Row] = [("policy", "records retired", _LOGGED, str(retired))]
    for name, one in states.items():
        label, asked = f"policy, {name}", len(load_corrections())
        rows += [
            (label, "corrector returned", asked, f"{one.recall:.3f}"),
            (label, "candidates", asked, f"{one.candidates:.1f}"),
            (label, "p50 ms", asked, f"{one.p50_ms:.1f}"),
            (label, "p95 ms", asked, f"{one.p95_ms:.1f}"),
        ]
    series = {
        "corrector returned": [one.recall for one in states.values()],
        "candidates, of before": [one.candidates / before.candidates for one in states.values()],
        "p50, of before": [one.p50_ms / before.p50_ms for one in states.values()],
    }
    return Found(rows, Panel("a policy", list(states), series))
