"""A database, an embedding server that lies when it is told to, and workers on both."""

from collections.abc import AsyncIterator

import pytest

from tests.conftest import DatabaseDsns
from tests.integration.nodeworker_world import World, open_world
from tests.unit.lying_embedding_server import LyingServer, lying_server


@pytest.fixture
async def server() -> AsyncIterator[LyingServer]:
    async with lying_server() as lying:
        yield lying


@pytest.fixture
async def world(database_dsns: DatabaseDsns, server: LyingServer) -> AsyncIterator[World]:
    async with open_world(database_dsns, server) as opened:
        yield opened
