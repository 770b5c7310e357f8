"""The records of a period in the database, and following a cue to them."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from rensou_recall.convert.time_cue import encode_time_cue
from rensou_recall.pipelines.time_cue import follow_cue
from rensou_recall.store.time_cue import CueSearch, load_cued
from rensou_recall.types.embedding import EmbeddedText, Model
from rensou_recall.types.time_cue import (
    Ago,
    AgoUnit,
    Between,
    Confidence,
    CueFindings,
    CueIgnored,
    CueOutcome,
    LongAgo,
    Period,
    TimeCue,
)
from rensou_shared.ids import RecordId
from rensou_shared.text.index import question_terms
from tests.conftest import DatabaseDsns
from tests.integration.corpus import ANN, EVERYTHING, TIMEOUT_S, Corpus, open_corpus, register, unit

NOW = datetime(2026, 3, 29, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MARCH = Period(datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 4, 1, tzinfo=UTC))
WORDS = CueSearch(question_terms(ANN, "tea"), None, None)


@pytest.fixture
async def corpus(database_dsns: DatabaseDsns) -> AsyncIterator[Corpus]:
    async with open_corpus(database_dsns) as one:
        yield one


async def follow(corpus: Corpus, cue: TimeCue, search: CueSearch | None = WORDS) -> CueFindings:
    async with corpus.database.transaction(ANN, TIMEOUT_S) as connection:
        return await follow_cue(connection, EVERYTHING, cue, search, NOW)


def ids(findings: CueFindings) -> list[RecordId]:
    return [hit.record_id for hit in findings.found.hits]


async def test_a_period_is_half_open_and_exact_to_the_microsecond(corpus: Corpus) -> None:
    moment = timedelta(microseconds=1)
    times = (MARCH.start_at - moment, MARCH.start_at, MARCH.end_at - moment, MARCH.end_at)
    stored = [await corpus.add(f"tea {place}", occurred_at=time) for place, time in enumerate(times)]
    cue = TimeCue(Confidence.SURE, Between(MARCH.start_at, MARCH.end_at))
    assert sorted(ids(await follow(corpus, cue))) == stored[1:3]
    assert ids(await follow(corpus, cue, None)) == [stored[2], stored[1]]


async def test_a_record_without_a_time_happened_when_it_was_stored(corpus: Corpus) -> None:
    undated = await corpus.add("tea")
    async with corpus.database.transaction(ANN, TIMEOUT_S) as connection:
        lately = Period(datetime.now(UTC) - DAY, datetime.now(UTC) + DAY)
        assert [hit.record_id for hit in (await load_cued(connection, EVERYTHING, lately, WORDS)).hits] == [undated]


async def test_scores_are_those_of_the_arms_and_ranks_are_the_periods_own(
    corpus: Corpus, database_dsns: DatabaseDsns
) -> None:
    model = Model(register(database_dsns.admin, 2), "m", "m", 2, 512)
    query = unit([1, 0])
    texts = {"tea and cake": [1, 0], "tea tea": [1, 1], "a boat": [0, 1], "tea far away": [1, 0]}
    stored = {
        text: await corpus.add(
            text, EmbeddedText(model, unit(vector), 3), MARCH.start_at if text != "tea far away" else NOW
        )
        for text, vector in texts.items()
    }
    await corpus.add("no vector, no word", None, MARCH.start_at)
    everywhere = await corpus.ask("tea", query, model.id)
    search = CueSearch(question_terms(ANN, "tea"), query, model.id)
    async with corpus.database.transaction(ANN, TIMEOUT_S) as connection:
        found = await load_cued(connection, EVERYTHING, MARCH, search)
        few = await load_cued(connection, EVERYTHING, MARCH, search, depth=1)
    by_id = {hit.record_id: hit for hit in found.hits}
    assert sorted(by_id) == sorted(stored.values())[:3]
    for number, hit in by_id.items():
        assert (hit.cosine, hit.bm25) == (everywhere[number].cosine, everywhere[number].bm25)
    cake, tea, boat = (by_id[stored[text]] for text in ("tea and cake", "tea tea", "a boat"))
    assert (cake.vector_rank, tea.vector_rank, boat.vector_rank) == (1, 2, 3)
    assert sorted([cake.lexical_rank or 0, tea.lexical_rank or 0]) == [1, 2]
    assert boat.lexical_rank is None
    assert {hit.record_id for hit in few.hits} == {stored["tea and cake"], stored["tea tea"]}


async def test_the_newest_of_a_period_are_scored_and_the_cut_is_said(corpus: Corpus) -> None:
    stored = [await corpus.add(f"tea {day}", occurred_at=MARCH.start_at + day * DAY) for day in range(5)]
    async with corpus.database.transaction(ANN, TIMEOUT_S) as connection:
        cut = await load_cued(connection, EVERYTHING, MARCH, WORDS, newest=2)
        whole = await load_cued(connection, EVERYTHING, MARCH, WORDS, newest=5)
    assert [hit.record_id for hit in cut.hits] == stored[3:]
    assert (cut.cut, whole.cut, len(whole.hits)) == (True, False, 5)
    assert (cut.held, whole.held) == (2, 5)


async def test_a_period_that_holds_nothing_is_widened_once_and_one_that_holds_something_is_not(corpus: Corpus) -> None:
    late = await corpus.add("tea", occurred_at=MARCH.end_at + 5 * DAY)
    sure = await follow(corpus, TimeCue(Confidence.SURE, Between(MARCH.start_at, MARCH.end_at)))
    assert (ids(sure), sure.revised, sure.confidence) == ([late], True, Confidence.LIKELY)
    assert sure.period.end_at == MARCH.end_at + 15.5 * DAY
    vague = await follow(
        corpus, TimeCue(Confidence.VAGUE, Between(MARCH.start_at - 90 * DAY, MARCH.start_at - 80 * DAY))
    )
    assert (ids(vague), vague.revised, vague.found.held) == ([], False, 0)
    await corpus.add("no word of it", occurred_at=MARCH.start_at)
    held = await follow(corpus, TimeCue(Confidence.SURE, Between(MARCH.start_at, MARCH.end_at)))
    assert (ids(held), held.revised, held.found.held) == ([], False, 1)


@pytest.mark.parametrize("search", [WORDS, None])
async def test_a_period_that_lies_ahead_holds_nothing_and_says_so(corpus: Corpus, search: CueSearch | None) -> None:
    await corpus.add("tea", occurred_at=NOW - DAY)
    findings = await follow(corpus, TimeCue(Confidence.VAGUE, Between(NOW + DAY, NOW + 2 * DAY)), search)
    outcome = encode_time_cue(CueOutcome(findings, 0, 0))
    assert outcome is not None and (outcome.records, outcome.ignored, findings.ignored) == (0, 0, None)
    await corpus.add("tea of the day before", occurred_at=NOW - 40 * DAY)
    findings = await follow(corpus, TimeCue(Confidence.SURE, Between(NOW - 41 * DAY, NOW)), search)
    outcome = encode_time_cue(CueOutcome(findings, 0, 0))
    assert outcome is not None and outcome.records == 2


async def test_a_recent_cue_is_not_used(corpus: Corpus) -> None:
    await corpus.add("tea", occurred_at=NOW - DAY / 2)
    findings = await follow(corpus, TimeCue(Confidence.SURE, Ago(AgoUnit.DAYS, 0)))
    assert (findings.ignored, ids(findings)) == (CueIgnored.RECENT_ONLY, [])
    assert findings.period == Period(NOW - DAY / 2, NOW)


async def test_long_ago_and_before_end_at_the_scopes_oldest_record(corpus: Corpus) -> None:
    stored = [
        await corpus.add(f"tea {year}", occurred_at=datetime(year, 1, 1, tzinfo=UTC)) for year in (2000, 2012, 2024)
    ]
    long_ago = await follow(corpus, TimeCue(Confidence.SURE, LongAgo()))
    assert ids(long_ago) == stored[:1]
    assert long_ago.period.start_at == datetime(2000, 1, 1, tzinfo=UTC)
    before = await follow(corpus, TimeCue(Confidence.SURE, Between(None, datetime(2013, 1, 1, tzinfo=UTC))))
    assert sorted(ids(before)) == stored[:2]
    assert before.period.start_at == long_ago.period.start_at


async def test_the_period_is_found_by_its_index(corpus: Corpus) -> None:
    await corpus.run(
        b"INSERT INTO records (agent_id, kind, content, occurred_at) SELECT 'ann', 'mem', 'r' || i,"
        b" '2020-01-01Z'::timestamptz + i * interval '1 hour' FROM generate_series(1, 3000) AS i"
    )
    plan = "\n".join(
        row[0]
        for row in await corpus.run(
            b"EXPLAIN SELECT r.id FROM records r WHERE r.agent_id = 'ann' AND r.happened_at >= '2020-02-01Z'"
            b" AND r.happened_at < '2020-02-02Z' AND r.retired_at IS NULL"
            b" ORDER BY r.happened_at DESC, r.id DESC LIMIT 50"
        )
    )
    assert "records_time" in plan


async def test_two_records_of_one_instant_are_in_the_order_of_their_ids(corpus: Corpus) -> None:
    same = [await corpus.add(f"tea number {word}", occurred_at=MARCH.start_at) for word in ("one", "two")]
    cue = TimeCue(Confidence.SURE, Between(MARCH.start_at, MARCH.end_at))
    assert ids(await follow(corpus, cue)) == same
    assert ids(await follow(corpus, cue, None)) == same[::-1]
