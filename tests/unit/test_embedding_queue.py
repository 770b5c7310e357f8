"""The line in front of the model, with a fake engine."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import pytest_asyncio

from rensou_embedded import embedding_queue
from rensou_embedded.embedding_engine import Capabilities, EngineError, Matrix, Side, TokenInfo
from rensou_embedded.embedding_queue import ModelQueue, QueueFullError


class FakeEngine:
    """Embeds a text as its length; waits for `gate`, notes each turn, fails on "bad"."""

    def __init__(self) -> None:
        self.turns: list[tuple[Side, int]] = []
        self.gate = threading.Event()

    def measure(self, text: str, side: Side) -> TokenInfo:
        return TokenInfo(len(text), 512, len(text))

    def embed(self, texts: Sequence[str], side: Side) -> Matrix:
        self.gate.wait(10)
        self.turns.append((side, len(texts)))
        if "bad" in texts:
            raise EngineError("bad")
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    def capabilities(self) -> Capabilities:
        return Capabilities({})


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest_asyncio.fixture
async def queue(engine: FakeEngine) -> AsyncIterator[ModelQueue]:
    with ThreadPoolExecutor(1) as executor:
        queue = ModelQueue(engine, executor)
        task = asyncio.create_task(queue.run())
        yield queue
        engine.gate.set()
        task.cancel()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_answers_keep_the_order_of_their_texts_over_many_turns(engine: FakeEngine, queue: ModelQueue) -> None:
    engine.gate.set()
    texts = ["x" * length for length in range(1, 101)]
    assert await queue.embed(texts, Side.PASSAGE) == [[float(length)] for length in range(1, 101)]
    assert len(engine.turns) > 1


async def test_waiting_requests_of_one_side_share_a_turn(engine: FakeEngine, queue: ModelQueue) -> None:
    first = asyncio.create_task(queue.embed(["a"], Side.PASSAGE))
    await settle()
    others = [asyncio.create_task(queue.embed(["x" * n], Side.PASSAGE)) for n in (2, 3)]
    await settle()
    engine.gate.set()
    assert await first == [[1.0]]
    assert await asyncio.gather(*others) == [[[2.0]], [[3.0]]]
    assert engine.turns == [(Side.PASSAGE, 1), (Side.PASSAGE, 2)]


async def test_a_question_does_not_wait_for_a_long_batch(engine: FakeEngine, queue: ModelQueue) -> None:
    batch = asyncio.create_task(queue.embed(["d" * 4_000] * 10, Side.PASSAGE))
    await settle()
    question = asyncio.create_task(queue.embed(["q"], Side.QUERY))
    await settle()
    engine.gate.set()
    await question
    assert [side for side, _ in engine.turns[:2]] == [Side.PASSAGE, Side.QUERY]
    assert len(await batch) == 10


async def test_a_batch_moves_on_between_many_questions(engine: FakeEngine, queue: ModelQueue) -> None:
    questions = [asyncio.create_task(queue.embed(["q" * 2_000], Side.QUERY)) for _ in range(8)]
    batch = asyncio.create_task(queue.embed(["d"], Side.PASSAGE))
    await settle()
    engine.gate.set()
    await asyncio.gather(*questions, batch)
    assert engine.turns[1][0] is Side.PASSAGE


async def test_a_request_that_was_given_up_costs_no_turn(engine: FakeEngine, queue: ModelQueue) -> None:
    first = asyncio.create_task(queue.embed(["a"], Side.PASSAGE))
    await settle()
    abandoned = asyncio.create_task(queue.embed(["b"], Side.QUERY))
    last = asyncio.create_task(queue.embed(["c"], Side.PASSAGE))
    await settle()
    abandoned.cancel()
    engine.gate.set()
    await asyncio.gather(first, last)
    assert engine.turns == [(Side.PASSAGE, 1), (Side.PASSAGE, 1)]


async def test_a_failure_fails_the_whole_request_and_the_queue_goes_on(engine: FakeEngine, queue: ModelQueue) -> None:
    engine.gate.set()
    with pytest.raises(EngineError):
        await queue.embed(["x" * 4_000, "x" * 4_000, "bad"], Side.PASSAGE)
    assert await queue.embed(["a"], Side.PASSAGE) == [[1.0]]


async def test_too_many_waiting_texts_are_refused(
    engine: FakeEngine, queue: ModelQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_queue, "MAX_PENDING_TEXTS", 4)
    waiting = [asyncio.create_task(queue.embed(["a", "b"], Side.PASSAGE)) for _ in range(2)]
    await settle()
    with pytest.raises(QueueFullError):
        await queue.embed(["c", "d"], Side.PASSAGE)
    engine.gate.set()
    await asyncio.gather(*waiting)


async def test_a_short_job_passes_long_ones_of_the_same_side(engine: FakeEngine, queue: ModelQueue) -> None:
    ended: list[str] = []

    async def ask(name: str, texts: list[str]) -> None:
        await queue.embed(texts, Side.PASSAGE)
        ended.append(name)

    long = [asyncio.create_task(ask("long", ["字" * 4_000] * 12)) for _ in range(2)]
    await settle()
    short = asyncio.create_task(ask("short", ["a note"]))
    await settle()
    engine.gate.set()
    await asyncio.gather(*long, short)
    assert ended[0] == "short"
    # The turn that had begun, the short one, and then the rest of the long ones, two windows a turn.
    assert engine.turns[1] == (Side.PASSAGE, 1)
    assert {texts for _, texts in engine.turns} == {1, 2}
