"""The statements that a pipeline sends, with their parameters, to be sent again without the pipeline."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import psycopg

from rensou_shared.db.pool import begin
from rensou_shared.ids import AgentId

_TIMEOUT_MS = 60_000


class Statement(NamedTuple):
    """One statement as it was sent."""

    text: bytes
    params: dict[str, Any]
    binary: bool | None


class RecordingDatabase:
    """Stands where a pipeline asks for its database, on one connection, and notes what is sent in its transactions."""

    def __init__(self, connection: psycopg.AsyncConnection[Any]) -> None:
        self._connection = connection
        self.statements: list[Statement] = []

    @asynccontextmanager
    async def transaction(self, agent_id: AgentId, timeout_s: float) -> AsyncGenerator["RecordingDatabase"]:
        """One transaction; what it gives takes `execute` alone."""
        await begin(self._connection, agent_id, int(timeout_s * 1000))
        yield self
        await self._connection.commit()

    async def execute(self, text: bytes, params: dict[str, Any], *, binary: bool | None = None) -> Any:
        """The cursor of the statement."""
        self.statements.append(Statement(text, params, binary))
        return await self._connection.execute(text, params, binary=binary)


async def replay(connection: psycopg.AsyncConnection[Any], agent_id: str, statements: list[Statement]) -> None:
    """BEGIN with its settings, the statements, COMMIT; every row is read."""
    await begin(connection, AgentId(agent_id), _TIMEOUT_MS)
    for one in statements:
        await (await connection.execute(one.text, one.params, binary=one.binary)).fetchall()
    await connection.commit()
