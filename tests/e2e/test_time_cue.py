"""When the answer was, through the public door: a prior that moves a few places and takes nothing away."""

import uuid
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import time_cue_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import TIMEOUT_S, recall, store

DAY = timedelta(days=1)
TOKYO = timezone(timedelta(hours=9))
SURE, LIKELY, VAGUE = pb.TIME_CONFIDENCE_SURE, pb.TIME_CONFIDENCE_LIKELY, pb.TIME_CONFIDENCE_VAGUE
PLACES = {SURE: 3, LIKELY: 2, VAGUE: 1}
FIRST = datetime(2024, 1, 1, tzinfo=UTC)
ROWS = 24


async def say(client: RensouClient, agent: str, text: str, moment: datetime) -> str:
    request: dict[str, Any] = {"occurred_time": moment}
    return (await store(client, agent, text, **request)).ref


def between(after: datetime | None, before: datetime | None, confidence: pb.TimeConfidence = SURE) -> pb.TimeCue:
    return pb.TimeCue(confidence=confidence, period=pb.TimePeriod(after_time=after, before_time=before))


def refs(answer: rpc.RecallResponse, admission: rpc.Admission = rpc.ADMISSION_RANKED) -> list[str]:
    return [hit.record.ref for hit in answer.hits if hit.explanation.admission == admission]


@pytest.fixture
async def lanterns(client: RensouClient, agent: str) -> list[str]:
    """The refs of records of as many days."""
    return [
        await say(client, agent, f"The lantern number {day} of the harbour.", FIRST + day * DAY) for day in range(ROWS)
    ]


@pytest.mark.parametrize("confidence", [SURE, LIKELY, VAGUE])
@pytest.mark.parametrize("query", ["the lantern of the harbour", ""])
async def test_hits_of_the_period_move_up_by_a_few_places_and_none_is_taken_away(
    client: RensouClient, agent: str, lanterns: list[str], query: str, confidence: pb.TimeConfidence
) -> None:
    plain = await recall(client, agent, query, limit=10)
    assert not plain.HasField("time_cue")
    order = refs(plain)
    last = lanterns.index(order[8])
    cue = between(FIRST + last * DAY, FIRST + last * DAY + timedelta(seconds=1), confidence)
    hinted = await recall(client, agent, query, limit=10, time_cue=cue)
    assert sorted(refs(hinted)) == sorted(order)
    assert refs(hinted).index(order[8]) == 8 - PLACES[confidence]
    assert hinted.time_cue.moved >= 1
    for place, ref in enumerate(refs(hinted)):
        assert place >= order.index(ref) - PLACES[confidence]
    assert hinted.time_cue.seated == len(refs(hinted, rpc.ADMISSION_TIME_CUE)) <= PLACES[confidence]
    assert (hinted.time_cue.policy, hinted.time_cue.confidence, hinted.time_cue.revised) == (
        "cued-v1",
        confidence,
        False,
    )


async def test_what_has_no_place_gets_a_seat_behind_the_hits_and_says_so(
    client: RensouClient, agent: str, lanterns: list[str]
) -> None:
    plain = refs(await recall(client, agent, "lantern", limit=5))
    beyond = [ref for ref in lanterns if ref not in plain][:8]
    start = min(lanterns.index(ref) for ref in beyond)
    cue = between(FIRST + start * DAY, FIRST + (start + 9) * DAY)
    hinted = await recall(client, agent, "lantern", limit=5, time_cue=cue)
    seats = refs(hinted, rpc.ADMISSION_TIME_CUE)
    assert [hit.record.ref for hit in hinted.hits][5:] == seats
    assert len(seats) == 3
    assert set(seats) <= set(lanterns[start : start + 9]) - set(plain)
    excluded = await recall(client, agent, "lantern", limit=5, time_cue=cue, exclude=seats[:1])
    assert seats[0] not in [hit.record.ref for hit in excluded.hits]
    assert len(excluded.hits) == 8
    assert not (await recall(client, agent, "lantern", limit=0, time_cue=cue)).hits


async def test_the_same_cue_gives_the_same_answer(client: RensouClient, agent: str, lanterns: list[str]) -> None:
    cue = between(FIRST, FIRST + 5 * DAY)
    answers = {
        (await recall(client, agent, "lantern", time_cue=cue)).SerializeToString(deterministic=True) for _ in range(5)
    }
    assert len(answers) == 1


async def test_an_empty_period_is_widened_once(client: RensouClient, agent: str, lanterns: list[str]) -> None:
    end = FIRST + (ROWS - 1) * DAY
    outcome = (await recall(client, agent, "lantern", time_cue=between(end + DAY, end + 5 * DAY))).time_cue
    assert (outcome.revised, outcome.confidence) == (True, LIKELY)
    assert outcome.start_time.ToDatetime(UTC) == end - DAY
    far = (await recall(client, agent, "lantern", time_cue=between(end + 90 * DAY, end + 91 * DAY, VAGUE))).time_cue
    assert (far.revised, far.confidence, far.moved, far.seated) == (False, VAGUE, 0, 0)


async def test_recent_records_need_no_cue(client: RensouClient, agent: str, lanterns: list[str]) -> None:
    plain = await recall(client, agent, "lantern")
    cue = pb.TimeCue(confidence=SURE, ago=pb.TimeAgo(unit=pb.TIME_UNIT_DAYS, value=0))
    answer = await recall(client, agent, "lantern", time_cue=cue)
    assert answer.time_cue.ignored == pb.TIME_CUE_IGNORED_RECENT_ONLY
    assert answer.hits == plain.hits


async def test_so_long_ago_and_long_ago(client: RensouClient, agent: str) -> None:
    now = datetime.now(UTC)
    months, years = (
        await say(client, agent, "Tea.", now - 90 * DAY),
        await say(client, agent, "Tea too.", now - 900 * DAY),
    )
    ago = pb.TimeCue(confidence=SURE, ago=pb.TimeAgo(unit=pb.TIME_UNIT_MONTHS, value=3))
    assert refs(await recall(client, agent, "", time_cue=ago, limit=1)) == [years]
    seated = await recall(client, agent, "", time_cue=ago, limit=1)
    assert refs(seated, rpc.ADMISSION_TIME_CUE) == [months]
    long_ago = pb.TimeCue(confidence=SURE, long_ago=pb.LongAgo())
    assert (await recall(client, agent, "", time_cue=long_ago, limit=2)).time_cue.moved == 0
    assert not refs(await recall(client, agent, "", time_cue=long_ago, limit=1), rpc.ADMISSION_TIME_CUE)


async def test_a_day_in_tokyo_holds_what_happened_on_it_there(client: RensouClient, agent: str) -> None:
    """B22"""
    texts = {
        "三月一日の朝の会議": datetime(2025, 3, 1, 0, 0, tzinfo=TOKYO),
        "三月一日の夜の会議": datetime(2025, 3, 1, 23, 59, 59, 999_999, tzinfo=TOKYO),
        "三月二日の会議": datetime(2025, 3, 2, tzinfo=TOKYO),
    }
    stored = {await say(client, agent, text, moment): text for text, moment in texts.items()}
    for at in range(3):
        await store(client, agent, f"会議の記録 {at}")
    for zone in (UTC, TOKYO, timezone(timedelta(hours=-11)), timezone(timedelta(hours=14))):
        day = [datetime(2025, 3, one, tzinfo=TOKYO).astimezone(zone) for one in (1, 2)]
        cue = between(*day)
        answer = await recall(client, agent, "", limit=3, time_cue=cue)
        seats = refs(answer, rpc.ADMISSION_TIME_CUE)
        assert [stored[ref] for ref in seats] == ["三月一日の夜の会議", "三月一日の朝の会議"]
        asked = await recall(client, agent, "会議", limit=1, time_cue=cue)
        assert {stored.get(hit.record.ref) for hit in asked.hits} >= {"三月一日の夜の会議", "三月一日の朝の会議"}


async def test_a_cue_reads_nothing_of_another_agent(client: RensouClient, agent: str, lanterns: list[str]) -> None:
    other = f"other-{uuid.uuid4()}"
    answer = await recall(client, other, "lantern", time_cue=between(FIRST, FIRST + ROWS * DAY))
    assert (len(answer.hits), answer.time_cue.seated) == (0, 0)


async def test_the_bounds_are_among_the_limits(client: RensouClient) -> None:
    answer = await client.admin.GetCapabilities(admin.GetCapabilitiesRequest(), timeout=TIMEOUT_S)
    limits = {limit.name: limit.value for limit in answer.limits}
    assert (limits["recall.time_cue.records"], limits["recall.time_cue.seats"]) == (5_000, 3)
