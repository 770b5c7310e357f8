"""The retrieval functions of the database against plain arithmetic, and the indexes that they read."""

import math
import random
import re
from collections.abc import AsyncIterator, Sequence
from importlib.resources import files

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray

from rensou_recall.types.embedding import ActiveModelChanged, EmbeddedText, Model
from rensou_shared.ids import ModelId, RecordId
from rensou_shared.text.bm25 import K1, REFERENCE_TRIGRAMS, B
from rensou_shared.text.hashing import sparse_index
from rensou_shared.text.index import index_terms, question_terms
from rensou_shared.text.lexemes import document_terms, query_terms, query_trigrams, trigram_counts, weighted_length
from tests.conftest import DatabaseDsns
from tests.integration.corpus import ANN, Corpus, open_corpus, register, unit

VOCABULARY = ("tea", "cake", "kettle", "harbour", "boat", "clock", "repair", "find", "京都", "明日", "会議", "a", "the")

_FILL = """
WITH r AS (
  INSERT INTO rensou.records (agent_id, kind, content)
  SELECT %(agent)s, 'mem', 'record ' || i FROM generate_series(1, %(rows)s) AS i
  RETURNING agent_id, id
), v AS (
  INSERT INTO rensou.record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, embedding)
  SELECT r.agent_id, r.id, %(model)s, '', '', '', %(embedding)s::halfvec FROM r
)
INSERT INTO rensou.record_terms (agent_id, record_id, terms_version, project_id, channel, source_id, hashes, words,
                                 trigrams)
SELECT r.agent_id, r.id, 1, '', '', '', ARRAY[r.id * 7919, r.id %% 50], '{1:1}/999999937', '{2:1}/999999937' FROM r
"""


@pytest.fixture
async def corpus(database_dsns: DatabaseDsns) -> AsyncIterator[Corpus]:
    async with open_corpus(database_dsns) as one:
        yield one


class Bm25:
    """BM25 over a corpus, by the textbook (Robertson and Zaragoza, 2009), of one voice."""

    def __init__(self, counts: dict[RecordId, dict[str, int]], lengths: dict[RecordId, float], usual: float) -> None:
        self._counts, self._lengths, self._usual = counts, lengths, usual

    def score(self, record_id: RecordId, query: Sequence[str]) -> float:
        total, records = 0.0, len(self._counts)
        floor = K1 * (1 - B + B * self._lengths[record_id] / self._usual)
        for term in query:
            holding = sum(1 for counts in self._counts.values() if term in counts)
            count = self._counts[record_id].get(term, 0)
            idf = math.log(1 + (records - holding + 0.5) / (holding + 0.5))
            total += idf * count * (K1 + 1) / (count + floor)
        return total


def textbook(texts: dict[RecordId, str]) -> tuple[Bm25, Bm25]:
    """BM25 of the words and of the trigrams."""
    words = {number: document_terms(text) for number, text in texts.items()}
    grams = {number: trigram_counts(text) for number, text in texts.items()}
    return (
        Bm25(words, {number: weighted_length(counts) for number, counts in words.items()}, 95.0),
        Bm25(grams, {number: float(sum(counts.values())) for number, counts in grams.items()}, REFERENCE_TRIGRAMS),
    )


def random_texts(seed: int) -> list[str]:
    rng = random.Random(seed)
    texts = {" ".join(rng.choices(VOCABULARY, k=rng.randint(1, 40))) for _ in range(rng.randint(3, 25))}
    return sorted(texts)


@pytest.mark.parametrize("seed", range(4))
async def test_scores_are_bm25_by_the_textbook(corpus: Corpus, seed: int) -> None:
    texts = {await corpus.add(text): text for text in random_texts(seed)}
    words, grams = textbook(texts)
    for query in ("tea in the harbour", "京都の会議", "clock repair find boat", "cake", "the"):
        terms, trigrams = query_terms(query), query_trigrams(query)
        found = await corpus.ask(query)
        expected = {number: words.score(number, terms) for number in texts}
        assert set(found) == {number for number, score in expected.items() if score > 0}
        for number, one in found.items():
            assert one.bm25 == pytest.approx(expected[number], rel=1e-4)
            assert one.trigrams == pytest.approx(grams.score(number, trigrams), rel=1e-4)
        by_rank = sorted(found.values(), key=lambda one: one.lexical_rank or 0)
        assert [one.lexical_rank for one in by_rank] == list(range(1, len(by_rank) + 1))
        assert by_rank == sorted(by_rank, key=lambda one: (-one.bm25, one.record_id))


async def test_counts_that_wait_and_counts_that_are_folded_rank_alike(corpus: Corpus) -> None:
    for text in random_texts(7):
        await corpus.add(text)
    queries = ("tea in the harbour", "京都の会議", "clock repair")
    waiting = [await corpus.ask(query) for query in queries]
    assert await corpus.fold() > 0
    assert [await corpus.ask(query) for query in queries] == waiting
    await corpus.add("tea for two")
    half = [await corpus.ask(query) for query in queries]
    assert half != waiting
    assert await corpus.fold() == 1
    assert [await corpus.ask(query) for query in queries] == half


async def test_a_forgotten_record_leaves_the_counts(corpus: Corpus) -> None:
    texts = {await corpus.add(text): text for text in ("tea and cake", "tea and a boat", "a clock")}
    await corpus.add("tea with tea and more tea")
    await corpus.fold()
    await corpus.run(b"DELETE FROM records WHERE content LIKE '%more tea'")
    for _ in range(2):
        words, _ = textbook(texts)
        found = await corpus.ask("tea")
        assert {number: one.bm25 for number, one in found.items()} == pytest.approx(
            {number: words.score(number, query_terms("tea")) for number in found}, rel=1e-4
        )
        assert len(found) == 2
        assert await corpus.fold() in (1, 0)


async def test_the_oldest_and_the_newest_record_are_found_however_many_counts_wait(corpus: Corpus) -> None:
    oldest = await corpus.add("a walrus slept on the ice")
    model_id = register(corpus.dsns.admin, 2)
    with psycopg.connect(corpus.dsns.admin, autocommit=True) as connection:
        connection.execute(_FILL, {"agent": ANN, "rows": 1_500, "model": model_id, "embedding": "[1,0]"})
    newest = await corpus.add("a zebra crossed the street")
    for _ in range(2):
        assert set(await corpus.ask("where is the zebra?")) == {newest}
        assert set(await corpus.ask("where is the walrus?")) == {oldest}
        await corpus.fold()


@pytest.mark.parametrize("dimensions", [4, 384, 1024, 1025, 1536, 4000])
async def test_cosines_are_those_of_numpy_at_every_width(corpus: Corpus, dimensions: int) -> None:
    rng = np.random.default_rng(dimensions)
    model = Model(register(corpus.dsns.admin, dimensions), "m", "m", dimensions, 512)
    vectors: dict[RecordId, NDArray[np.float32]] = {}
    for position in range(12):
        vector = unit(rng.normal(size=dimensions))
        vectors[await corpus.add(f"text {position}", EmbeddedText(model, vector, 2))] = vector
    question = unit(rng.normal(size=dimensions))
    found = await corpus.ask("nothing of it", question, model.id, depth=5)
    exact = {number: float(vector @ question) for number, vector in vectors.items()}
    assert {number: one.cosine for number, one in found.items()} == pytest.approx(
        {number: exact[number] for number in found}, abs=1e-3
    )
    best = sorted(exact, key=lambda number: -exact[number])[:5]
    assert sorted(found, key=lambda number: found[number].vector_rank or 0) == best
    assert {one.vector_rank for one in found.values()} == {1, 2, 3, 4, 5}


async def test_what_one_arm_found_is_scored_by_the_other(corpus: Corpus) -> None:
    model = Model(register(corpus.dsns.admin, 4), "m", "m", 4, 512)
    near = await corpus.add("a boat", EmbeddedText(model, unit([1, 0, 0, 0]), 2))
    said = await corpus.add("some tea", EmbeddedText(model, unit([0, 1, 0, 0]), 2))
    bare = await corpus.add("tea, not embedded")
    found = await corpus.ask("tea", unit([1, 0.5, 0, 0]), model.id, depth=1)
    assert set(found) == {near, said}
    assert (found[near].bm25, found[near].lexical_rank, found[near].vector_rank) == (0, None, 1)
    assert (found[said].vector_rank, found[said].lexical_rank) == (None, 1)
    assert found[said].cosine == pytest.approx(0.5 / math.sqrt(1.25), abs=1e-3)
    assert (await corpus.ask("tea", unit([1, 0.5, 0, 0]), model.id))[bare].cosine is None


async def test_vectors_of_another_model_are_never_compared(corpus: Corpus) -> None:
    model = Model(register(corpus.dsns.admin, 4), "m", "m", 4, 512)
    number = await corpus.add("a boat", EmbeddedText(model, unit([1, 0, 0, 0]), 2))
    question, another = unit([1, 0, 0, 0]), ModelId(model.id + 1)
    assert set(await corpus.ask("nothing", question, model.id)) == {number}
    # The statement itself compares none, and whoever asks is told so.
    assert await corpus.compare("nothing", question, another) == []
    assert await corpus.compare("boat", question, another) == [(number, None)]
    with pytest.raises(ActiveModelChanged):
        await corpus.ask("nothing", question, another)


async def test_equal_scores_rank_by_id(corpus: Corpus) -> None:
    model = Model(register(corpus.dsns.admin, 4), "m", "m", 4, 512)
    numbers = [await corpus.add(f"tea {i:03}", EmbeddedText(model, unit([1, 0, 0, 0]), 2)) for i in range(20)]
    found = await corpus.ask("tea", unit([1, 0, 0, 0]), model.id, depth=7)
    assert sorted(found) == numbers[:7]
    assert [found[number].vector_rank for number in numbers[:7]] == list(range(1, 8))
    assert [found[number].lexical_rank for number in numbers[:7]] == list(range(1, 8))


async def test_the_longest_text_of_a_script_without_spaces_is_stored_and_found(corpus: Corpus) -> None:
    han = "".join(random.Random(1).choices([chr(code) for code in range(0x4E00, 0x9FA5)], k=16_000))
    row = index_terms(ANN, han)
    # More terms than a sparsevec takes: the heaviest are kept, and those find the text.
    assert len(row.hashes) > 16_000
    number = await corpus.add(han)
    ((slots,),) = await corpus.run(b"SELECT cardinality(sparse_slots(t.words)) FROM record_terms t")
    assert slots == 16_000
    kept = {int(slot) for slot in re.findall(r"(\d+):", row.words)}
    asked = next(han[i : i + 2] for i in range(16_000) if _slots(han[i : i + 2]) <= kept)
    assert number in await corpus.ask(asked)


def _slots(query: str) -> set[int]:
    return {sparse_index(number) for number in question_terms(ANN, query).hashes}


def statement_of(function: str) -> str:
    """The text of a function of migration 0003."""
    migration = files("rensou_shared.db").joinpath("migrations", "0003_arms.sql").read_text(encoding="utf-8")
    _, _, rest = migration.partition(f"CREATE FUNCTION rensou.{function}(")
    return rest.partition("AS $$")[2].partition("$$;")[0]


def plan_of(dsns: DatabaseDsns, function: str, values: dict[str, str]) -> str:
    """The plan of the function's statement as its owner runs it: a generic plan, the agent from the setting."""
    body = statement_of(function)
    names = {name: position for position, name in enumerate(values, start=1)}
    for name in sorted(names, key=len, reverse=True):
        body = body.replace(name, f"${names[name]}")
    types = ", ".join(value.rpartition("::")[2] for value in values.values())
    with psycopg.connect(dsns.migrator) as connection:
        for preparation in (
            "SET search_path = rensou, public",
            "SET plan_cache_mode = force_generic_plan",
            "SELECT set_config('rensou.agent_id', 'ann', true)",
            f"PREPARE arm ({types}) AS {body}",
        ):
            connection.execute(preparation.encode())
        explained = "EXPLAIN EXECUTE arm (" + ", ".join(values.values()) + ")"
        lines = connection.execute(explained.encode()).fetchall()
    return "\n".join(str(line[0]) for line in lines)


_SCOPE_VALUES = {"p_project": "NULL::text", "p_channel": "''::text", "p_source": "''::text"} | {
    "p_source_prefix": "false::boolean",
    "p_depth": "100::integer",
}


async def test_the_arms_read_their_indexes(corpus: Corpus) -> None:
    model_id = register(corpus.dsns.admin, 8)
    query = "[1,0,0,0,0,0,0,0]"
    with psycopg.connect(corpus.dsns.admin, autocommit=True) as connection:
        for agent, rows in (("ann", 5_000), ("bob", 5_000)):
            connection.execute(_FILL, {"agent": agent, "rows": rows, "model": model_id, "embedding": query})
        connection.execute("VACUUM (ANALYZE) rensou.record_vectors, rensou.record_terms")
    exact = {"p_query": f"'{query}'::halfvec", "p_model_id": f"{model_id}::integer", **_SCOPE_VALUES}
    lexical = {"p_weights": "'{1:1}/999999937'::sparsevec", "p_hashes": "'{7919}'::bigint[]", **_SCOPE_VALUES}
    vectors, terms = plan_of(corpus.dsns, "arm_exact_v1", exact), plan_of(corpus.dsns, "arm_lexical_v1", lexical)
    assert "Index Only Scan using record_vectors_covering" in vectors, vectors
    assert "Seq Scan" not in vectors, vectors
    # Of a project filter too: a branch of its own, whose rows the index finds.
    conditions = [line for line in vectors.splitlines() if "Index Cond" in line]
    assert any("project_id = ANY" in line for line in conditions), vectors
    assert any("project_id" not in line for line in conditions), vectors
    assert "Bitmap Index Scan on record_terms_hashes" in terms, terms
    assert "Index Cond: (hashes &&" in terms, terms
    assert "Seq Scan" not in terms, terms
