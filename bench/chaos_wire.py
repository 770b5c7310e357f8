"""The way of one worker to PostgreSQL, which can be held up: what is under way arrives, but late."""

import asyncio
import contextlib
import random
from pathlib import Path
from types import TracebackType
from typing import Self

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_CHUNK = 65_536
_SPREAD_S = 0.4


class Wire:
    """A socket in `folder` that passes on to the one of `dsn`; used as a context manager.

    Connections keep their own order, and none among each other, as on any network.
    """

    def __init__(self, dsn: str, folder: Path, draw: random.Random) -> None:
        parameters = conninfo_to_dict(dsn)
        self._upstream = Path(str(parameters["host"])) / f".s.PGSQL.{parameters['port']}"
        self._socket = folder / self._upstream.name
        self._draw = draw
        self._open = asyncio.Event()
        self._open.set()
        self._passing: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.dsn = make_conninfo(dsn, host=str(folder))

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._accept, self._socket)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        for passing in self._passing:
            passing.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)

    async def hold_up(self, seconds: float) -> None:
        """Lets nothing through, in either direction, for so long; then everything that was sent."""
        self._open.clear()
        try:
            await asyncio.sleep(seconds)
        finally:
            self._open.set()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        passing = asyncio.create_task(self._connect(reader, writer))
        self._passing.add(passing)
        passing.add_done_callback(self._passing.discard)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._open.wait()
            far_reader, far_writer = await asyncio.open_unix_connection(self._upstream)
        except OSError:
            writer.close()
            return
        ways = [
            asyncio.create_task(self._pass(reader, far_writer)),
            asyncio.create_task(self._pass(far_reader, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            for end in (writer, far_writer):
                end.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(_CHUNK):
                if not self._open.is_set():
                    await self._open.wait()
                    await asyncio.sleep(self._draw.uniform(0, _SPREAD_S))
                writer.write(data)
                await writer.drain()
