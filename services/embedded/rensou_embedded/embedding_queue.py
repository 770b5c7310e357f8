"""The line in front of a thread of the model: short turns, so that a question never waits behind long documents."""

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from enum import Enum, auto

from rensou_embedded.embedding_engine import Engine, EngineError, Matrix, Side, TokenInfo

MAX_TURN_TEXTS = 64
# A text costs its bytes: about four to a token in any script, and no more than the window is read.
_MAX_TURN_COST = 4_096
_EMBED_COST_CAP = 2_048
_COUNT_COST_DIVISOR = 64
MAX_PENDING_TEXTS = 5_000


class Work(Enum):
    """What a job asks of the model."""

    EMBED = auto()
    MEASURE = auto()


class Line(Enum):
    """Who waits together. The lines have their turns one after the other."""

    QUESTIONS = auto()
    SHORT = auto()
    LONG = auto()


class QueueFullError(Exception):
    """More texts are waiting than the model will get to in reasonable time."""


@dataclass(eq=False, slots=True)
class Job:
    """One request on its way through the model; its answer is whole or an error, never a part."""

    work: Work
    side: Side
    texts: Sequence[str]
    answer: "asyncio.Future[list[object]]"
    results: list[object] = field(default_factory=list)

    @property
    def remaining(self) -> Sequence[str]:
        return self.texts[len(self.results) :]

    @property
    def line(self) -> Line:
        """Where it stands: a request that is more than one turn's work lets the others pass by turns."""
        if self.work is Work.EMBED and self.side is Side.QUERY:
            return Line.QUESTIONS
        cost = 0
        for text in self.remaining:
            cost += _cost(self.work, text)
            if cost > _MAX_TURN_COST:
                return Line.LONG
        return Line.SHORT


class ModelQueue:
    """Runs jobs on one thread in bounded turns: questions, short jobs and long ones have theirs one after the other.

    A turn takes texts of as many waiting jobs of one kind as fit (a text costs its bytes, up to the window); a job that
    is not finished goes to the back of a line. Vectors do not depend on what else is in the turn.
    """

    def __init__(self, engine: Engine, executor: Executor) -> None:
        self._engine = engine
        self._executor = executor
        # In the order of their turns; the line that had the last turn stands last.
        self._lines: dict[Line, deque[Job]] = {line: deque() for line in Line}
        self._arrived = asyncio.Event()
        self._pending_texts = 0

    async def embed(self, texts: Sequence[str], side: Side) -> list[list[float]]:
        """Return one vector a text, in order.

        Raises:
            QueueFullError: too much is waiting.
            EngineError: the model failed.
        """
        return await self._ask(Work.EMBED, texts, side)  # pyright: ignore[reportReturnType]

    async def measure(self, texts: Sequence[str], side: Side) -> list[TokenInfo]:
        """Return one token report a text, in order.

        Raises:
            QueueFullError: too much is waiting.
        """
        return await self._ask(Work.MEASURE, texts, side)  # pyright: ignore[reportReturnType]

    async def run(self) -> None:
        """Serve jobs until cancelled."""
        while True:
            await self._arrived.wait()
            turn = self._next_turn()
            if turn:
                await self._take(turn)
            elif not any(self._lines.values()):
                self._arrived.clear()

    async def _ask(self, work: Work, texts: Sequence[str], side: Side) -> list[object]:
        if self._pending_texts and self._pending_texts + len(texts) > MAX_PENDING_TEXTS:
            raise QueueFullError
        job = Job(work, side, texts, asyncio.get_running_loop().create_future())
        self._lines[job.line].append(job)
        self._arrived.set()
        self._pending_texts += len(texts)
        try:
            return await job.answer
        finally:
            self._pending_texts -= len(texts)

    def _next_turn(self) -> list[tuple[Job, Sequence[str]]]:
        """Take jobs of one kind off the line that is due, with the texts each has in this turn."""
        line = self._due_line()
        turn: list[tuple[Job, Sequence[str]]] = []
        texts, cost = 0, 0
        while line and texts < MAX_TURN_TEXTS and (not turn or cost < _MAX_TURN_COST):
            job = line[0]
            if job.answer.done():
                line.popleft()
                continue
            if turn and (job.work, job.side) != (turn[0][0].work, turn[0][0].side):
                break
            share = _share(job, MAX_TURN_TEXTS - texts, _MAX_TURN_COST - cost)
            turn.append((line.popleft(), share))
            texts += len(share)
            cost += sum(_cost(job.work, text) for text in share)
        return turn

    def _due_line(self) -> deque[Job]:
        for line in list(self._lines):
            waiting = self._lines.pop(line)
            self._lines[line] = waiting
            if waiting:
                return waiting
        return deque()

    async def _take(self, turn: list[tuple[Job, Sequence[str]]]) -> None:
        loop = asyncio.get_running_loop()
        work, side = turn[0][0].work, turn[0][0].side
        texts = [text for _, share in turn for text in share]
        try:
            results = await loop.run_in_executor(self._executor, _compute, self._engine, work, side, texts)
        except (EngineError, MemoryError, ValueError) as error:
            _fail(turn, error)
            return
        for job, share in turn:
            job.results.extend(results[: len(share)])
            del results[: len(share)]
            self._settle(job)

    def _settle(self, job: Job) -> None:
        if job.answer.done():
            return
        if job.remaining:
            self._lines[job.line].append(job)
        else:
            job.answer.set_result(job.results)


def _fail(turn: list[tuple[Job, Sequence[str]]], error: Exception) -> None:
    for job, _ in turn:
        if not job.answer.done():
            job.answer.set_exception(EngineError(str(error)))


def _share(job: Job, max_texts: int, max_cost: int) -> Sequence[str]:
    """Return the job's next texts for one turn: at least one, then as many as fit."""
    cost, end = 0, 0
    for text in job.remaining[:max_texts]:
        cost += _cost(job.work, text)
        if end and cost > max_cost:
            break
        end += 1
    return job.remaining[:end]


def _cost(work: Work, text: str) -> int:
    if work is Work.MEASURE:
        return len(text) // _COUNT_COST_DIVISOR
    return min(len(text[:_EMBED_COST_CAP].encode("utf-8", "surrogatepass")), _EMBED_COST_CAP)


def _compute(engine: Engine, work: Work, side: Side, texts: Sequence[str]) -> list[object]:
    if work is Work.MEASURE:
        return [engine.measure(text, side) for text in texts]
    vectors: Matrix = engine.embed(texts, side)
    return list(vectors.tolist())
