"""Ports to real servers' look-alikes, for the tests of the adapters."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rensou_shared.embedding.deployment import ClosablePort, ServerSettings, make_port
from rensou_shared.embedding.port import TokenCount
from rensou_shared.embedding.retry import Backoff
from rensou_shared.embedding.tokenizer_file import count_in_window
from tests.unit.lying_embedding_server import LyingServer
from tests.unit.real_embedding_servers import KINDS, MODEL, WINDOW, serve
from tests.unit.toy_tokenizer import toy_tokenizer

TIMEOUT_S = 10.0
COUNTING = ("tei", "vllm", "llamacpp")
LONG = "The key is under the mat by the door. " * 8
TEXTS = {
    "english": LONG,
    "japanese": "明日は京都で会議がある。鍵は玄関のマットの下にある。" * 4,
    "four bytes": "🍵🫖𠮷野家 " * 20,
    "families": "👨‍👩‍👧‍👦" * 12,
    "marks": "e\u0301o\u0308\u0323 a\u030a" * 20,
    "windows lines": "The mat.\r\nThe door.\r\n\r\n" * 12,
    "no spaces": "doorkettle" * 40,
    "spaces": " " * 300,
    "short": "The pot.",
    "nothing": "",
}


def settings_of(server: LyingServer, kind: str, **more: object) -> ServerSettings:
    model = "" if kind in {"tei", "llamacpp"} else MODEL
    # llama.cpp does not say what its physical batch is.
    window = WINDOW if kind == "llamacpp" else 0
    return ServerSettings(server.url, kind, **({"model": model, "window": window} | more))  # type: ignore[arg-type]


def port_of(server: LyingServer, kind: str, **more: object) -> ClosablePort:
    return make_port(settings_of(server, kind, **more), "RENSOU_EMBEDDING", Backoff(attempts=3, base_s=0.0))


@pytest_asyncio.fixture(params=KINDS)
async def any_server(request: pytest.FixtureRequest) -> AsyncIterator[tuple[str, LyingServer, ClosablePort]]:
    async with serve(request.param) as server:
        port = port_of(server, request.param)
        yield request.param, server, port
        await port.aclose()


@pytest_asyncio.fixture(params=COUNTING)
async def counting(request: pytest.FixtureRequest) -> AsyncIterator[tuple[str, LyingServer, ClosablePort]]:
    async with serve(request.param) as server:
        port = port_of(server, request.param)
        yield request.param, server, port
        await port.aclose()


def exact(text: str) -> TokenCount:
    """The count and the window's end by the tokens of the whole text."""
    return count_in_window(toy_tokenizer().encode(text), len(text), WINDOW)


AnyServer = tuple[str, LyingServer, ClosablePort]
