"""The whole stack, started once for the run, and clients of it."""

import os
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rensou_embedded.client import RensouClient
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, StackOptions
from tests.conftest import FAST_POSTGRES
from tests.e2e.harness import own_recall

# A worker that is killed leaves its build for so long, seconds.
LEASE_S = "6"


@pytest.fixture(scope="session")
async def stack(scratch_folder: Path) -> AsyncIterator[EmbeddedStack]:
    """Every part of Rensou, ready. A test that stops a part starts it again before it ends."""
    environ = clean_environ(os.environ) | {"RENSOU_LEASE_S": LEASE_S}
    options = StackOptions(scratch_folder / "stack", environ, grpc_port=0, postgres_settings=FAST_POSTGRES)
    running = EmbeddedStack(options)
    await running.start()
    yield running
    await running.stop()


@pytest.fixture
async def client(stack: EmbeddedStack) -> AsyncIterator[RensouClient]:
    """A client of the stack's gRPC server."""
    async with RensouClient(stack.grpc_address) as one:
        yield one


@pytest.fixture(scope="session")
async def lexical_address(stack: EmbeddedStack, scratch_folder: Path) -> AsyncIterator[str]:
    """A recall service on the stack's data that has no embedding server: the lexical arm answers alone."""
    async with own_recall(scratch_folder, database_url=stack.recall_dsn) as one:
        yield one.address


@pytest.fixture
async def lexical(lexical_address: str) -> AsyncIterator[RensouClient]:
    """A client of the recall service without vectors."""
    async with RensouClient(lexical_address) as one:
        yield one


@pytest.fixture
def agent() -> str:
    """An agent that no other test uses."""
    return f"agent-{uuid.uuid4().hex[:12]}"
