"""What the relevance gate measures with: the sample, the unrelated questions, the words, and what is kept of them."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime

import numpy as np
import psycopg
import pytest

from rensou_recall.pipelines.active_model import ActiveModel
from rensou_recall.pipelines.calibrator import Calibrator
from rensou_recall.stages.calibrate import MIN_SAMPLE, SAMPLE
from rensou_recall.stages.unrelated import Script
from rensou_recall.store.candidates import load_candidates
from rensou_recall.store.gate import load_sample_vectors, load_word_shares
from rensou_recall.types.embedding import EmbeddedText, Model
from rensou_recall.types.gate import Calibration, Origin
from rensou_recall.types.retrieval import SampleDigest
from rensou_shared.db.pool import Connection
from rensou_shared.embedding.breaker import CircuitBreaker
from rensou_shared.embedding.errors import EmbeddingUnavailableError
from rensou_shared.embedding.guard import GuardedEmbedding
from rensou_shared.embedding.health import EmbeddingHealth
from rensou_shared.embedding.port import Embedded, ModelIdentity, Side
from rensou_shared.ids import RecordId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import question_terms
from tests.conftest import DatabaseDsns
from tests.integration.corpus import ANN, TIMEOUT_S, Corpus, open_corpus, register
from tests.integration.word_embedding import WordEmbedding

TOPICS = ("kettle", "harbour", "violin", "glacier", "orchard", "lantern", "saddle", "ferry", "quilt", "compass")
TEXTS = [f"The {one} beside the {other}, note {n}." for n in range(3) for one in TOPICS for other in TOPICS]


class CountingEmbedding(WordEmbedding):
    """Counts what it is asked for, and may become another model."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.asked = 0
        self.fingerprint = "words:1"

    async def embed(self, texts: Sequence[str], side: Side, timeout_s: float, *, with_counts: bool = False) -> Embedded:
        self.calls += 1
        self.asked += 1
        return await super().embed(texts, side, timeout_s, with_counts=with_counts)

    async def identity(self, timeout_s: float) -> ModelIdentity:
        self.asked += 1
        if self.down:
            raise EmbeddingUnavailableError("it is down")
        return ModelIdentity(self.fingerprint, "words", 64, 1_000)


async def load_sample(connection: Connection, size: int = SAMPLE) -> SampleDigest:
    """As a recall reads it, beside its candidates."""
    terms = question_terms(ANN, "unheard")
    return (await load_candidates(connection, ReadScope(ANN), terms, None, 1, sample_size=size)).sample


class World:
    """A corpus whose records have vectors of their words, and calibrators on it."""

    def __init__(self, corpus: Corpus, model: Model) -> None:
        self.corpus, self.model, self.server = corpus, model, CountingEmbedding()
        self.calibrator = self.another_process()

    def another_process(self) -> Calibrator:
        return Calibrator(self.active(), self.corpus.database)

    def active(self) -> ActiveModel:
        """What a process that has just started knows of the server."""
        health = EmbeddingHealth(lambda: datetime.now(UTC))
        server = GuardedEmbedding(self.server, health, CircuitBreaker(time.monotonic))
        return ActiveModel([server], self.corpus.database, TIMEOUT_S)

    async def add(self, *texts: str, with_vector: bool = True) -> None:
        for text in texts:
            vector = np.array(self.server.vector(text), np.float32)
            await self.corpus.add(text, EmbeddedText(self.model, vector, 10) if with_vector else None)

    async def calibration(self, calibrator: Calibrator | None = None) -> Calibration:
        one = calibrator or self.calibrator
        questions = await one.questions(self.model, Script.SPACED, TIMEOUT_S)
        async with self.corpus.database.transaction(ANN, TIMEOUT_S) as connection:
            sample = await load_sample(connection)
            return await one.calibration(connection, ANN, sample, self.model.id, Script.SPACED, questions)


@pytest.fixture
async def world(database_dsns: DatabaseDsns) -> AsyncIterator[World]:
    model = Model(register(database_dsns.admin, 64, "words:1"), "words:1", "words", 64, 1_000)
    async with open_corpus(database_dsns) as corpus:
        yield World(corpus, model)


async def test_the_sample_is_the_same_whatever_the_order_of_the_records(world: World) -> None:
    measured: list[Calibration] = []
    for seed in range(2):
        texts = list(TEXTS)
        random.Random(seed).shuffle(texts)
        await world.add(*texts)
        measured.append(await world.calibration(world.another_process()))
        await world.corpus.run(b"DELETE FROM records")
    assert measured[0].origin is Origin.CALIBRATED
    assert measured[0].sample == SAMPLE < len(TEXTS)
    assert measured[0] == measured[1]


async def test_a_forgotten_record_leaves_the_sample(world: World) -> None:
    texts = TEXTS[: MIN_SAMPLE + 1]
    await world.add(*texts)
    whole = await world.calibration()
    assert whole.sample == MIN_SAMPLE + 1
    await world.corpus.run(b"DELETE FROM records WHERE id = (SELECT max(id) FROM records)")
    shrunk = await world.calibration()
    assert shrunk.sample == MIN_SAMPLE
    assert shrunk == await world.calibration(world.another_process())
    await world.corpus.run(b"DELETE FROM records WHERE id = (SELECT max(id) FROM records)")
    assert (await world.calibration()).origin is Origin.HEURISTIC
    assert await world.corpus.run(b"SELECT count(*) FROM record_vectors") == [(MIN_SAMPLE - 1,)]


async def test_a_revised_text_is_measured_as_it_is_now(world: World) -> None:
    await world.add(*TEXTS[:MIN_SAMPLE])
    before = await world.calibration()
    await world.corpus.run(b"UPDATE records SET content = 'What is the capital of that country?' WHERE id = 1")
    # Its vector went with the text: there are too few until the new one is there.
    assert (await world.calibration()).origin is Origin.HEURISTIC
    vector = world.server.vector("What is the capital of that country?")
    await world.corpus.run(
        f"""INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, embedding)
            VALUES ('ann', 1, {world.model.id}, '', '', '', '{vector}')""".encode()
    )
    after = await world.calibration()
    assert after.nearest[-1] == pytest.approx(1.0, abs=1e-3)
    assert after.nearest[-1] > before.nearest[-1]


async def test_vectors_that_come_late_count_when_they_are_there(world: World) -> None:
    await world.add(*TEXTS[:MIN_SAMPLE])
    await world.add(*TEXTS[MIN_SAMPLE : MIN_SAMPLE + 5], with_vector=False)
    early = await world.calibration()
    assert early.sample == MIN_SAMPLE
    for number, content in await world.corpus.run(b"SELECT id, content FROM records ORDER BY id DESC LIMIT 5"):
        await world.corpus.run(
            f"""INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, embedding)
                VALUES ('ann', {number}, {world.model.id}, '', '', '', '{world.server.vector(content)}')""".encode()
        )
    assert (await world.calibration()).sample == MIN_SAMPLE + 5


async def test_copies_of_one_text_count_once(world: World) -> None:
    await world.corpus.run(
        b"INSERT INTO records (agent_id, kind, content, session_id) "
        b"SELECT 'ann', 'mem', 'Good morning.', n::text FROM generate_series(1, 100) AS n"
    )
    await world.add(*TEXTS[:5])
    async with world.corpus.database.transaction(ANN, TIMEOUT_S) as connection:
        sample = await load_sample(connection)
        found = await load_sample_vectors(connection, ANN, world.model.id, SAMPLE)
    assert sample.records == 6
    assert found.sample == sample
    assert len(found.vectors) == 5
    assert not found.is_complete


async def test_a_text_that_is_stored_often_leaves_room_for_the_others(world: World) -> None:
    await world.add(*TEXTS[:60])
    for rare in (b"Good morning.", b"Good night."):
        await world.corpus.run(
            b"INSERT INTO records (agent_id, kind, content, occurred_at) SELECT 'ann', 'mem', '" + rare + b"', "
            b"'2024-01-01'::timestamptz + n * interval '1 day' FROM generate_series(1, 200) AS n"
        )
    async with world.corpus.database.transaction(ANN, TIMEOUT_S) as connection:
        for size, held in ((1, 1), (2, 2), (61, 61), (62, 62), (SAMPLE, 62)):
            sample = await load_sample(connection, size)
            assert sample.records == held
            assert (await load_sample_vectors(connection, ANN, world.model.id, size)).sample == sample
    assert (await world.calibration()).sample == 60
    vector = world.server.vector("Good night.")
    await world.corpus.run(
        b"INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, embedding) "
        b"SELECT 'ann', r.id, %d, '', '', '', '%b' FROM records r WHERE r.content = 'Good night.'"
        % (world.model.id, str(vector).encode())
    )
    assert (await world.calibration()).sample == 61


async def test_unrelated_questions_are_embedded_once_for_all_processes(world: World) -> None:
    await world.add(*TEXTS[:MIN_SAMPLE])
    first = await world.calibration()
    assert world.server.calls == 1
    world.server.down = True
    assert await world.calibration() == first
    assert await world.calibration(world.another_process()) == first
    assert world.server.calls == 1


async def test_without_the_embedding_server_nothing_is_calibrated_and_nothing_is_kept(world: World) -> None:
    await world.add(*TEXTS[:MIN_SAMPLE])
    world.server.down = True
    assert (await world.calibration()).origin is Origin.HEURISTIC
    asked = world.server.asked
    assert asked > 0
    await world.calibration()
    assert world.server.asked == asked, "the server is left alone for a while"
    world.server.down = False
    known = world.active()
    await known.served(TIMEOUT_S, asyncio.get_running_loop().time())
    world.server.fingerprint = "words:2"
    assert (await world.calibration(world.another_process())).origin is Origin.HEURISTIC
    # Nor from a process that knew the server as it was.
    calls = world.server.calls
    assert (await world.calibration(Calibrator(known, world.corpus.database))).origin is Origin.HEURISTIC
    assert world.server.calls == calls + 1
    assert await world.corpus.run(b"SELECT count(*) FROM unrelated_questions") == [(0,)]
    world.server.fingerprint = "words:1"
    assert (await world.calibration(world.another_process())).origin is Origin.CALIBRATED


async def test_a_share_of_words_weighs_the_words_no_record_holds_as_the_rarest(world: World) -> None:
    await world.add("the violin teacher", "the violin and the quilt", "a ferry")
    question = question_terms(ANN, "violin quilt zeppelin").hashes
    async with world.corpus.database.transaction(ANN, TIMEOUT_S) as connection:
        shares = await load_word_shares(connection, question, [RecordId(1), RecordId(2), RecordId(3), RecordId(99)])
    n = 3
    violin, quilt, zeppelin = (float(np.log(1 + (n - held + 0.5) / (held + 0.5))) for held in (2, 1, 0))
    total = violin + quilt + zeppelin
    assert shares == pytest.approx({1: violin / total, 2: (violin + quilt) / total, 3: 0.0}, rel=1e-5)


async def test_another_agents_records_have_no_share(world: World, database_dsns: DatabaseDsns) -> None:
    await world.add("the violin teacher")
    with psycopg.connect(database_dsns.recall) as connection:
        connection.execute("SELECT set_config('rensou.agent_id', 'bob', true)")
        words = question_terms(ANN, "violin").hashes
        assert connection.execute("SELECT * FROM gate_words_v1(%s::bigint[], '{1}')", (words,)).fetchall() == []
        assert connection.execute("SELECT count(*) FROM records").fetchone() == (0,)
