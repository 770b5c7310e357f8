"""Holding a build while it runs."""

import asyncio

from rensou_nodeworker.pipelines.models import DATABASE_TIMEOUT_S
from rensou_nodeworker.store.builds import renew_lease
from rensou_nodeworker.types.builds import LeasedBuild
from rensou_shared.db.pool import Database
from rensou_shared.errors import RensouError
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

_RENEWALS_A_LEASE = 3


async def keep_lease(database: Database, claim: LeasedBuild, lease_s: float) -> None:
    """Renews the lease at every third of it; returns when the build is another's.

    A renewal that the database does not answer is tried again at the next third: the fence decides in the end.
    """
    while True:
        await asyncio.sleep(lease_s / _RENEWALS_A_LEASE)
        try:
            timeout_s = min(DATABASE_TIMEOUT_S, lease_s / _RENEWALS_A_LEASE)
            async with database.transaction(claim.agent_id, timeout_s) as connection:
                is_mine = await renew_lease(connection, claim, lease_s)
        except RensouError as error:
            _log.warning("lease_not_renewed", build=claim.build_id, error=type(error).__name__)
            continue
        if not is_mine:
            return
