"""Builds as operators list them and ask for them again, against PostgreSQL, as the service's own role."""

from collections.abc import AsyncIterator

import psycopg
import pytest

from rensou_recall.types.builds import BuildState, RetryOutcome
from rensou_recall.types.listing import PageRequest
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.errors import InvalidPageToken
from tests.conftest import DatabaseDsns
from tests.integration.builds_world import Builds, of

_FILL = (
    b"ANALYZE rensou.node_builds, rensou.records",
    b"INSERT INTO rensou.records (agent_id, kind, content) SELECT 'many', 'mem', n FROM generate_series(1, 2000) n",
    b"INSERT INTO rensou.node_builds (agent_id, record_id, content_sha256, divider_version, state, finished_at)"
    b" SELECT 'many', r.id, r.content_sha256, 1, (ARRAY['done', 'pending', 'dead'])[r.id % 3 + 1], now()"
    b" FROM rensou.records r WHERE r.agent_id = 'many'",
)


@pytest.fixture
async def builds(database_dsns: DatabaseDsns) -> AsyncIterator[Builds]:
    database = Database(database_dsns.recall, PoolSize(1, 4))
    await database.open(20)
    yield Builds(database_dsns, database)
    await database.close()


async def test_each_state_lists_its_own_and_what_ended_well_is_in_no_list(builds: Builds) -> None:
    made = {
        BuildState.PENDING: builds.build("ann", "pending"),
        BuildState.QUARANTINED: builds.build("ann", "pending", crashes=2),
        BuildState.RUNNING: builds.build("ann", "running", crashes=1),
        BuildState.DEAD: builds.build("ann", "dead", crashes=3),
    }
    builds.build("ann", "done")
    builds.build("ann", "superseded")
    for state, build in made.items():
        (one,) = (await builds.page(state=state)).builds
        assert (one.id, one.state) == (build, state)
    assert await builds.ids() == sorted(made.values())


async def test_a_build_shows_whose_it_is_and_why_it_failed_and_no_text(builds: Builds) -> None:
    build = builds.build("ann")
    (one,) = (await builds.page()).builds
    assert (one.agent_id, one.id, one.errors, one.crashes, one.last_error) == ("ann", build, 1, 0, "why")
    assert one.record.kind == "mem" and 0 <= one.age_s < 60 and one.lease_until is None
    assert not one.outdated and not one.rebuild and "text 0" not in repr(one)


async def test_a_build_of_a_former_text_or_a_retired_model_is_outdated(builds: Builds) -> None:
    builds.run(
        "INSERT INTO embedding_models (fingerprint, name, dimensions, token_window, state)"
        " VALUES ('f', 'm', 4, 12, 'retired')"
    )
    ((model,),) = builds.run("SELECT id FROM embedding_models")
    former, retired, fine = builds.build("ann"), builds.build("ann", model=model), builds.build("ann")
    builds.run("UPDATE node_builds SET content_sha256 = 'x' WHERE id = %s", (former,))
    shown = (await builds.page()).builds
    assert [(one.id, one.outdated) for one in shown] == [(former, True), (retired, True), (fine, False)]
    assert [one.fingerprint for one in shown] == [None, "f", None]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
async def test_pages_of_any_size_put_together_are_the_whole_list_by_agent_and_number(builds: Builds, size: int) -> None:
    made = [
        (agent, builds.build(agent, state)) for state in ("dead", "pending") for agent in ("bob", "Zoe", "ann", "日本")
    ]
    in_order = [build for _, build in sorted(made, key=lambda one: (one[0].encode(), one[1]))]
    assert await builds.ids(size=size) == in_order
    assert await builds.ids(of("Zoe", "ann"), size=size) == [
        build for agent, build in sorted(made) if agent in ("Zoe", "ann")
    ]
    assert await builds.ids(of("nobody"), size=size) == []


async def test_what_stands_all_the_time_is_listed_once_while_others_come_and_go(builds: Builds) -> None:
    made = [builds.build("ann") for _ in range(6)]
    first = await builds.page(page=PageRequest(3, ""))
    builds.run("DELETE FROM node_builds WHERE id = ANY (%s)", ([made[2], made[4]],))
    builds.build("abe")
    late = builds.build("bob")
    second = await builds.page(page=PageRequest(3, first.next_token))
    assert [one.id for one in first.builds] == made[:3]
    assert [one.id for one in second.builds] == [made[3], made[5], late] and second.next_token == ""


async def test_a_token_is_good_for_its_agents_and_its_state_alone(builds: Builds) -> None:
    for _ in range(3):
        builds.build("ann")
    token = (await builds.page(of("ann"), page=PageRequest(1, ""))).next_token
    page = PageRequest(1, token)
    assert len((await builds.page(of("ann"), page=page)).builds) == 1
    for reach, state in ((of("ann", "bob"), None), (of("bob"), None), (of("ann"), BuildState.DEAD)):
        with pytest.raises(InvalidPageToken):
            await builds.page(reach, state, page)
    with pytest.raises(InvalidPageToken):
        await builds.page(page=page)


async def test_the_summary_counts_each_unfinished_build_of_these_agents_once(builds: Builds) -> None:
    for state, crashes, rebuild in (
        ("pending", 0, False),
        ("pending", 1, False),
        ("pending", 0, True),
        ("running", 0, False),
        ("running", 2, False),
        ("dead", 3, False),
        ("done", 0, False),
    ):
        builds.build("ann", state, crashes=crashes, rebuild=rebuild)
    builds.build("bob", "pending")
    builds.run("UPDATE node_builds SET created_at = now() - interval '90 s' WHERE crashes = 1 OR rebuild")
    summary = (await builds.page(of("ann"), summary=True)).summary
    assert summary is not None and 89 < summary.oldest_s < 120
    assert (summary.pending, summary.quarantined, summary.rebuilds) == (1, 1, 1)
    assert (summary.running, summary.dead, summary.ended) == (2, 1, 1)
    everybody = (await builds.page(summary=True)).summary
    assert everybody is not None and everybody.pending == 2 and (await builds.page()).summary is None


async def test_a_dead_build_that_is_asked_for_again_is_as_new_and_hinted_at(builds: Builds) -> None:
    build = builds.build("ann", crashes=3)
    builds.run("UPDATE node_builds SET next_at = now() + interval '1 h', hinted_at = now()")
    done = await builds.retry([build])
    assert [(one.id, one.outcome, one.agent_id) for one in done.builds] == [(build, RetryOutcome.QUEUED, "ann")]
    assert builds.run(
        "SELECT state, errors, crashes, last_error, hinted_at, finished_at, next_at <= clock_timestamp()"
        " FROM node_builds"
    ) == [("pending", 0, 0, None, None, None, True)]
    assert [(hint.agent_id, hint.build_id) for hint in builds.hints.hints] == [("ann", build)] and done.remaining == 0


async def test_each_build_that_is_named_has_its_answer_in_that_order(builds: Builds) -> None:
    dead, waiting, running = builds.build("ann"), builds.build("ann", "pending"), builds.build("ann", "running")
    ended, former, gone = builds.build("ann", "done"), builds.build("ann"), builds.build("ann")
    builds.run("UPDATE node_builds SET content_sha256 = 'x' WHERE id = %s", (former,))
    builds.run("DELETE FROM records r USING node_builds b WHERE b.record_id = r.id AND b.id = %s", (gone,))
    done = await builds.retry([10**12, former, gone, running, dead, waiting, ended])
    assert [one.outcome for one in done.builds] == [
        RetryOutcome.NOT_FOUND,
        RetryOutcome.SUPERSEDED,
        RetryOutcome.NOT_FOUND,
        RetryOutcome.NOT_DEAD,
        RetryOutcome.QUEUED,
        RetryOutcome.NOT_DEAD,
        RetryOutcome.NOT_FOUND,
    ]
    states = dict(builds.run("SELECT id, state FROM node_builds"))
    assert states == {dead: "pending", waiting: "pending", running: "running", ended: "done", former: "superseded"}


async def test_all_takes_the_lowest_up_to_its_limit_and_says_what_is_left(builds: Builds) -> None:
    made = [builds.build(agent) for agent in ("ann", "bob", "ann", "bob")]
    done = await builds.retry(None, limit=3)
    assert [one.id for one in done.builds] == [made[0], made[2], made[1]] and done.remaining == 1
    done = await builds.retry(None, of("ann"))
    assert (done.builds, done.remaining) == ((), 0)
    assert [one.id for one in (await builds.retry(None, of("bob"))).builds] == [made[3]]


async def test_a_build_beyond_the_reach_is_not_found_and_stays_dead(builds: Builds) -> None:
    build = builds.build("bob")
    for reach in (of("ann"), of("ann", "zoe")):
        assert [one.outcome for one in (await builds.retry([build], reach)).builds] == [RetryOutcome.NOT_FOUND]
    assert builds.run("SELECT state FROM node_builds") == [("dead",)]


async def _rows_read(builds: Builds, *, state: BuildState, agent: str | None) -> int:
    """Rows that a page of ten costs, by the database's own counts."""
    with psycopg.connect(builds.dsns.recall, options="-c search_path=rensou,public") as connection:
        names = [agent] if agent else None
        last = agent or "\U0010ffff"
        connection.execute(
            "SELECT * FROM list_builds_v1(%s, %s, %s, %s, 0, 10)", (names, last, state.value, agent or "")
        ).fetchall()
        row = connection.execute(
            "SELECT sum(coalesce(t.idx_tup_fetch, 0) + t.seq_tup_read)::bigint FROM pg_stat_xact_user_tables t"
            " WHERE t.schemaname = 'rensou'"
        ).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize("agent", [None, "many"])
@pytest.mark.parametrize("state", [BuildState.DEAD, BuildState.PENDING, BuildState.RUNNING, BuildState.QUARANTINED])
@pytest.mark.parametrize("analyzed", [False, True])
async def test_a_page_costs_a_page_however_many_builds_there_are(
    builds: Builds, agent: str | None, state: BuildState, analyzed: bool
) -> None:
    with psycopg.connect(builds.dsns.admin, autocommit=True) as admin:
        for statement in _FILL:
            admin.execute(statement)
        if analyzed:
            admin.execute(b"ANALYZE rensou.node_builds, rensou.records")
    assert await _rows_read(builds, state=state, agent=agent) < 100
