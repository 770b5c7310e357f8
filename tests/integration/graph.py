"""A small world for the tests of the graph: a database, records, declarations."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from rensou_recall.pipelines.declare import declare_in
from rensou_recall.types.call import Call, Principal
from rensou_recall.types.graph import AssociationReport, Associations, EntityDeclaration, RelationDeclaration
from rensou_shared.db.pool import Connection, Database, PoolSize
from rensou_shared.ids import AgentId, RecordId, RecordKind, RecordRef
from rensou_shared.scope import WriteScope

AGENT = AgentId("ann")
TIMEOUT_S = 20.0

_INSERT_RECORD = b"""
INSERT INTO records (agent_id, kind, project_id, channel, content, source_id, occurred_at, ended_at)
VALUES (%(agent_id)s, %(kind)s, %(project_id)s, %(channel)s, %(content)s, %(source_id)s,
        CASE %(kind)s WHEN 'ep' THEN now() END, CASE %(kind)s WHEN 'ep' THEN now() END)
RETURNING id
"""


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph of one database, reached as the recall service reaches it.

    It stands where a pipeline asks for `Deps`: declaring and traversing use nothing but the database.
    """

    database: Database

    def call(self, *, operator: bool = False) -> Call:
        """A call of the agent that has just begun."""
        principal = Principal("test", frozenset({AGENT}), operator)
        return Call(principal, asyncio.get_running_loop().time() + TIMEOUT_S)

    async def run(self, statement: bytes, as_agent: AgentId = AGENT, **params: Any) -> list[tuple[Any, ...]]:
        """The rows of a statement, run for an agent."""
        async with self.database.transaction(as_agent, TIMEOUT_S) as connection:
            cursor = await connection.execute(statement, params)
            return await cursor.fetchall() if cursor.description else []

    async def record(
        self, content: str, scope: WriteScope | None = None, *, kind: RecordKind = "mem", source_id: str = ""
    ) -> RecordRef:
        """A stored record."""
        owner = scope or scope_of()
        ((record_id,),) = await self.run(
            _INSERT_RECORD,
            owner.agent_id,
            agent_id=owner.agent_id,
            project_id=owner.project_id,
            channel=owner.channel,
            kind=kind,
            content=content,
            source_id=source_id,
        )
        return RecordRef(kind, RecordId(record_id))

    async def declare(
        self, associations: Associations, scope: WriteScope | None = None, anchor: RecordRef | None = None
    ) -> AssociationReport:
        """What became of a declaration."""
        owner = scope or scope_of()

        async def work(connection: Connection) -> AssociationReport:
            return await declare_in(connection, owner, "agent", associations, None if anchor is None else anchor.id)

        return await self.database.write(owner.agent_id, TIMEOUT_S, work)

    async def count(self, table: str, agent_id: AgentId = AGENT) -> int:
        """Rows of the agent."""
        ((rows,),) = await self.run(f"SELECT count(*) FROM {table}".encode(), agent_id)
        return rows


def scope_of(project_id: str = "", channel: str = "", agent_id: AgentId = AGENT) -> WriteScope:
    """A place to write to."""
    return WriteScope(agent_id, project_id, channel)


def entities(*declared: str | tuple[str, ...]) -> Associations:
    """Names, each with its aliases when it is a tuple."""
    items = [(one,) if isinstance(one, str) else one for one in declared]
    return Associations(entities=tuple(EntityDeclaration(name, tuple(aliases)) for name, *aliases in items))


def relations(*declared: tuple[str, str, str]) -> Associations:
    """Subject, predicate, object."""
    return Associations(relations=tuple(RelationDeclaration(*one) for one in declared))


@asynccontextmanager
async def open_graph(dsn: str) -> AsyncIterator[Graph]:
    """The graph of a database, closed at the end."""
    database = Database(dsn, PoolSize(min_size=1, max_size=8))
    await database.open(timeout_s=10)
    try:
        yield Graph(database)
    finally:
        await database.close()


async def together(*work: Any) -> list[Any]:
    """Everything at once; the first error is raised."""
    return list(await asyncio.gather(*work))
