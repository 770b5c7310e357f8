"""The builds: claimed with a lease and a fence, ended, given back, taken back from the dead."""

from typing import Any

from rensou_nodeworker.store.sweeps import try_lock
from rensou_nodeworker.types.builds import BuildEnd, LeasedBuild, NextState, Verdict
from rensou_nodeworker.types.overview import BuildsOverview
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.ids import AgentId, BuildId, RecordId
from rensou_shared.jobs.hints import BuildHint

_STORE = "rensou_nodeworker.store"


async def claim_build(
    connection: Connection, lease_s: float, *, quarantined: bool, rebuild: bool
) -> LeasedBuild | None:
    """The build that has been due longest, now this worker's, or None.

    `quarantined` ones took a worker down before, and one runs at a time, whatever workers there are; a `rebuild` is for
    the model that is built beside the active one.
    """
    if quarantined and not await try_lock(connection, "rensou.quarantine"):
        return None
    name = "claim_quarantined" if quarantined else "claim_build"
    cursor = await connection.execute(load_statement(_STORE, name), {"lease_s": lease_s, "rebuild": rebuild})
    row = await cursor.fetchone()
    if row is None:
        return None
    return LeasedBuild(AgentId(row[0]), BuildId(row[1]), RecordId(row[2]), bytes(row[3]), *row[4:])


async def has_quarantined(connection: Connection, *, rebuild: bool) -> bool:
    """Whether a build that took a worker down is due; a `rebuild` is for the model that is built."""
    cursor = await connection.execute(load_statement(_STORE, "has_quarantined"), {"rebuild": rebuild})
    row = await cursor.fetchone()
    return row is not None and bool(row[0])


async def renew_lease(connection: Connection, claim: LeasedBuild, lease_s: float) -> bool:
    """Holds the build for `lease_s` more; whether it is still this worker's."""
    return await _touches(connection, "renew_lease", _fence(claim) | {"lease_s": lease_s})


async def hold_fence(connection: Connection, claim: LeasedBuild) -> bool:
    """Keeps the build this worker's until the transaction ends; whether it is."""
    return await _touches(connection, "hold_fence", _fence(claim))


async def end_build(connection: Connection, claim: LeasedBuild, end: BuildEnd) -> bool:
    """Ends the build; whether it was still this worker's."""
    return await _touches(connection, "end_build", _fence(claim) | {"state": end.value})


async def fail_build(connection: Connection, claim: LeasedBuild, verdict: Verdict) -> bool:
    """Does with the build what the verdict says; whether it was still this worker's."""
    params = _fence(claim) | {
        "state": verdict.state.value,
        "errors_added": verdict.errors_added,
        "crashes_added": verdict.crashes_added,
        "wait_s": verdict.wait_s,
        "reason": verdict.reason,
    }
    return await _touches(connection, "fail_build", params)


async def give_back(connection: Connection, claim: LeasedBuild) -> bool:
    """Lets another worker take the build at once, with no mark on it; whether it was still this worker's."""
    params = _fence(claim) | {
        "state": NextState.PENDING.value,
        "errors_added": 0,
        "crashes_added": 0,
        "wait_s": 0.0,
        "reason": None,
    }
    return await _touches(connection, "fail_build", params)


async def expire_leases(connection: Connection, max_crashes: int, max_rows: int) -> list[tuple[BuildId, NextState]]:
    """Takes back at most `max_rows` builds whose lease ended, each a crash more; `max_crashes` are death."""
    params = {"max_crashes": max_crashes, "max_rows": max_rows}
    cursor = await connection.execute(load_statement(_STORE, "expire_leases"), params)
    return [(BuildId(row[1]), NextState(row[3])) for row in await cursor.fetchall()]


async def mark_hinted(connection: Connection, quiet_s: float, max_rows: int) -> list[BuildHint]:
    """Hints at the builds that have been due longest, none of them hinted at within the last `quiet_s`."""
    params = {"quiet_s": quiet_s, "max_rows": max_rows}
    cursor = await connection.execute(load_statement(_STORE, "mark_hinted"), params)
    return [BuildHint(AgentId(row[0]), BuildId(row[1]), int(row[2])) for row in await cursor.fetchall()]


async def load_builds_overview(connection: Connection) -> BuildsOverview:
    """How the builds of all agents stand."""
    cursor = await connection.execute(load_statement(_STORE, "load_builds_overview"))
    row = await cursor.fetchone()
    if row is None:
        return BuildsOverview(0, 0, 0, 0, 0, 0.0)
    return BuildsOverview(*map(int, row[:5]), oldest_pending_s=float(row[5]))


async def prune_builds(connection: Connection, keep_s: float, max_rows: int) -> int:
    """Forgets at most `max_rows` builds that ended well more than `keep_s` ago; how many."""
    params = {"keep_s": keep_s, "max_rows": max_rows}
    cursor = await connection.execute(load_statement(_STORE, "prune_builds"), params)
    return cursor.rowcount


def _fence(claim: LeasedBuild) -> dict[str, Any]:
    return {"agent_id": claim.agent_id, "build_id": claim.build_id, "token": claim.token}


async def _touches(connection: Connection, name: str, params: dict[str, Any]) -> bool:
    cursor = await connection.execute(load_statement(_STORE, name), params)
    return await cursor.fetchone() is not None
