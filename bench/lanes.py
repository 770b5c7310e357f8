"""The approximate indexes of large agents, built at once over rows that name their lanes already.

So they stand as the worker's passes would leave them, at a fifth of the time: row by row, a row costs its index one to
two milliseconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from rensou_embedded.vector_indexes import DEFAULT_LANES, make_vector_indexes

_BUILD_OPTIONS = "-c maintenance_work_mem=2GB -c max_parallel_maintenance_workers=2"
_INDEXES = """
SELECT c.relname FROM pg_class c
WHERE c.relname LIKE 'record_vectors_ann_%' AND c.relnamespace = 'rensou'::regnamespace
"""
_SEAT = """
INSERT INTO rensou.ann_agents (agent_id, model_id, lane, state, since_xid)
VALUES (%s, %s, %s, 'ready', pg_snapshot_xmax(pg_current_snapshot()))
ON CONFLICT (agent_id, model_id) DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes of `agents`, in turn, under one model."""

    admin_dsn: str
    migrator_dsn: str
    agents: Sequence[str]
    model_id: int

    @staticmethod
    def of(place: int) -> int:
        """The lane of the agent in that place."""
        return place % DEFAULT_LANES

    def drop(self) -> None:
        """Drops every index there is: a row that names its lane costs nothing then, and the worker enters nobody."""
        with psycopg.connect(self.admin_dsn, autocommit=True) as connection:
            for (name,) in connection.execute(_INDEXES).fetchall():
                connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier("rensou", name)))

    def build(self) -> None:
        """Seats the agents and builds the indexes over their rows."""
        with psycopg.connect(self.admin_dsn) as connection:
            for place, agent_id in enumerate(self.agents):
                connection.execute(_SEAT, (agent_id, self.model_id, self.of(place)))
        make_vector_indexes(make_conninfo(self.migrator_dsn, options=_BUILD_OPTIONS))
