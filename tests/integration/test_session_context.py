"""What a record's predecessors in its session say counts for it, for as long as they say it, and for nobody else."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest

from rensou_nodeworker.store.derived import save_terms
from rensou_nodeworker.types.builds import LeasedBuild
from rensou_recall.stages.priors import CONTEXT
from rensou_recall.store.candidates import load_candidates
from rensou_recall.store.lifecycle import forget_record, hold_record, save_content, save_derived
from rensou_recall.store.save import insert_record
from rensou_recall.types.records import NewRecord, Source
from rensou_recall.types.retrieval import Candidate, Thread
from rensou_shared.db.pool import Database, PoolSize
from rensou_shared.ids import BuildId, RecordId, RecordRef
from rensou_shared.scope import ReadScope, WriteScope
from rensou_shared.text.index import index_terms, question_terms
from rensou_shared.text.traits import Trait
from tests.conftest import DatabaseDsns
from tests.integration.corpus import ANN, EVERYTHING, TIMEOUT_S, Corpus, open_corpus

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ASKED, ANSWER, LATER = "Did you find the kettle?", "It was behind the boat.", "How nice."


@dataclass(frozen=True, slots=True)
class Talk:
    """Records of one session, by minute."""

    corpus: Corpus

    async def say(
        self,
        content: str,
        minute: int | None,
        *,
        scope: WriteScope = WriteScope(ANN, "", ""),  # noqa: B008 (frozen)
        session: str = "s",
        source: str = "",
    ) -> RecordId:
        """Stores a record as the service does."""
        at = None if minute is None else NOON + timedelta(minutes=minute)
        record = NewRecord("mem", content, "", Source("", source, ""), session, at, None, None)
        async with self.corpus.database.transaction(ANN, TIMEOUT_S) as connection:
            terms = index_terms(ANN, content)
            inserted = await insert_record(connection, scope, record, terms, None, wants_build=False)
        assert inserted is not None
        return inserted.id

    async def ask(
        self,
        query: str = "kettle",
        scope: ReadScope = EVERYTHING,
        weights: tuple[float, ...] = CONTEXT.in_order,
    ) -> dict[RecordId, Candidate]:
        """The candidates by record."""
        terms = question_terms(ANN, query)
        async with self.corpus.database.transaction(ANN, TIMEOUT_S) as connection:
            found = await load_candidates(connection, scope, terms, None, 100, weights)
        return {one.record_id: one for one in found.rows}

    def by_hand(self, statement: bytes, record_id: RecordId) -> None:
        """Runs a statement as the superuser, whom no policy and no service binds."""
        with psycopg.connect(self.corpus.dsns.admin) as connection:
            connection.execute("SET search_path = rensou, public")
            connection.execute(statement, {"id": record_id})


@pytest.fixture
async def talk(database_dsns: DatabaseDsns) -> AsyncIterator[Talk]:
    async with open_corpus(database_dsns) as corpus:
        yield Talk(corpus)


async def test_an_answer_is_found_by_the_words_of_its_question(talk: Talk) -> None:
    asked, answer, later = [await talk.say(text, n) for n, text in enumerate((ASKED, ANSWER, LATER))]
    last = await talk.say("Good night.", 3)
    found = await talk.ask()
    assert found[asked].context == 0
    assert found[answer].bm25 == 0
    assert found[answer].context == pytest.approx(CONTEXT.asking * found[asked].bm25)
    assert found[later].context == pytest.approx(CONTEXT.second * found[asked].bm25)
    assert last not in found
    assert (found[answer].thread, found[answer].occurred_at) == (Thread("", "", "s"), NOON + timedelta(minutes=1))
    assert (found[asked].traits, found[answer].traits) == (Trait.ASKS, Trait.NONE)


async def test_a_predecessor_that_asks_nothing_counts_less(talk: Talk) -> None:
    said, answer = [await talk.say(text, n) for n, text in enumerate(("I lost the kettle.", ANSWER))]
    found = await talk.ask()
    assert found[answer].context == pytest.approx(CONTEXT.other * found[said].bm25)


async def test_a_term_counts_where_it_weighs_most_and_once(talk: Talk) -> None:
    asked, again = [await talk.say(text, n) for n, text in enumerate((ASKED, "The kettle? No."))]
    third = await talk.say("kettle", 2)
    found = await talk.ask()
    assert found[again].context == pytest.approx(
        max(CONTEXT.asking * found[asked].bm25 - found[again].bm25, 0), abs=1e-6
    )
    best = max(CONTEXT.asking * found[again].bm25, CONTEXT.second * found[asked].bm25)
    assert found[third].context == pytest.approx(max(best - found[third].bm25, 0), abs=1e-6)


async def test_without_weights_no_session_is_read(talk: Talk) -> None:
    asked, _ = [await talk.say(text, n) for n, text in enumerate((ASKED, ANSWER))]
    found = await talk.ask(weights=())
    assert set(found) == {asked}
    assert found[asked].context == 0


async def test_a_late_arrival_pushes_a_predecessor_away(talk: Talk) -> None:
    asked, answer = [await talk.say(text, 10 * n) for n, text in enumerate((ASKED, ANSWER))]
    await talk.say("Wait a moment.", 5)
    found = await talk.ask()
    assert found[answer].context == pytest.approx(CONTEXT.second * found[asked].bm25)
    await talk.say("One more moment.", 6)
    assert answer not in await talk.ask()


async def test_a_late_question_is_a_predecessor_too(talk: Talk) -> None:
    answer = await talk.say(ANSWER, 1)
    assert await talk.ask() == {}
    asked = await talk.say(ASKED, 0)
    assert set(await talk.ask()) == {asked, answer}


async def test_undated_records_stand_in_the_order_of_their_numbers_before_the_dated(talk: Talk) -> None:
    dated = await talk.say("Well.", 0)
    asked, answer = await talk.say(ASKED, None), await talk.say(ANSWER, None)
    found = await talk.ask()
    assert set(found) == {asked, answer, dated}
    assert found[answer].occurred_at is None
    assert found[dated].context == pytest.approx(CONTEXT.second * found[asked].bm25)


@pytest.mark.parametrize(
    ("scope", "session"),
    [
        (WriteScope(ANN, "P", ""), "s"),
        (WriteScope(ANN, "", "C"), "s"),
        (WriteScope(ANN, "", ""), "t"),
        (WriteScope(ANN, "", ""), ""),
    ],
)
async def test_no_word_leaves_its_project_channel_or_session(talk: Talk, scope: WriteScope, session: str) -> None:
    asked = await talk.say(ASKED, 0)
    await talk.say(ANSWER, 1, scope=scope, session=session)
    assert set(await talk.ask()) == {asked}


async def test_records_without_a_session_have_no_neighbours(talk: Talk) -> None:
    asked = await talk.say(ASKED, 0, session="")
    await talk.say(ANSWER, 1, session="")
    assert set(await talk.ask()) == {asked}


async def test_what_the_scope_does_not_read_moves_nothing(talk: Talk) -> None:
    await talk.say(ASKED, 0, source="Mira")
    answer = await talk.say("It was behind the kettle.", 1, source="Kenji")
    assert (await talk.ask("find kettle"))[answer].context > 0
    found = await talk.ask("find kettle", ReadScope(ANN, source_id="Kenji"))
    assert {number: one.context for number, one in found.items()} == {answer: 0}


async def test_a_follower_of_another_source_is_no_candidate(talk: Talk) -> None:
    asked = await talk.say(ASKED, 0, source="Mira")
    await talk.say(ANSWER, 1, source="Kenji")
    assert set(await talk.ask(scope=ReadScope(ANN, source_id="Mira"))) == {asked}


async def test_a_revised_predecessor_speaks_its_new_words_at_once(talk: Talk) -> None:
    asked, answer = [await talk.say(text, n) for n, text in enumerate((ASKED, ANSWER))]
    async with talk.corpus.database.transaction(ANN, TIMEOUT_S) as connection:
        held = await hold_record(connection, ANN, RecordRef("mem", asked))
        assert held is not None
        await save_content(connection, held, "Did you find the clock?")
        await save_derived(connection, held, index_terms(ANN, "Did you find the clock?"), None)
    assert await talk.ask() == {}
    assert set(await talk.ask("clock")) == {asked, answer}


async def test_a_forgotten_predecessor_is_silent_and_the_one_before_it_is_next(talk: Talk) -> None:
    first, asked, answer = [await talk.say(t, n) for n, t in enumerate(("A clock, you say?", ASKED, ANSWER))]
    async with talk.corpus.database.transaction(ANN, TIMEOUT_S) as connection:
        assert await forget_record(connection, ANN, asked) is not None
    assert await talk.ask() == {}
    found = await talk.ask("clock")
    assert found[answer].context == pytest.approx(CONTEXT.asking * found[first].bm25)


@pytest.mark.parametrize(
    "statement",
    [
        b"DELETE FROM records WHERE id = %(id)s",
        b"UPDATE records SET content = 'Nothing.' WHERE id = %(id)s",
        b"UPDATE records SET session_id = 't' WHERE id = %(id)s",
        b"UPDATE records SET project_id = 'P' WHERE id = %(id)s",
        b"UPDATE records SET occurred_at = occurred_at + interval '1 hour' WHERE id = %(id)s",
        b"DELETE FROM record_terms WHERE record_id = %(id)s",
    ],
)
async def test_no_word_of_a_record_outlives_it_beside_its_neighbours(talk: Talk, statement: bytes) -> None:
    asked, answer, later = [await talk.say(text, n) for n, text in enumerate((ASKED, ANSWER, LATER))]
    assert {answer, later} <= set(await talk.ask())
    talk.by_hand(statement, asked)
    assert set(await talk.ask()) <= {asked}


async def test_the_worker_gives_a_record_that_was_changed_by_hand_its_place_again(talk: Talk) -> None:
    asked, answer = [await talk.say(text, n) for n, text in enumerate((ASKED, ANSWER))]
    talk.by_hand(b"UPDATE records SET content = 'Where is the clock?' WHERE id = %(id)s", asked)
    claim = LeasedBuild(ANN, BuildId(1), asked, b"", None, UUID(int=0), 0, 0, 0.0)
    worker = Database(talk.corpus.dsns.worker, PoolSize(min_size=1, max_size=1))
    await worker.open(TIMEOUT_S)
    async with worker.transaction(ANN, TIMEOUT_S) as connection:
        await save_terms(connection, claim, index_terms(ANN, "Where is the clock?"))
    await worker.close()
    found = await talk.ask("clock")
    assert found[asked].traits == Trait.ASKS
    assert found[answer].context == pytest.approx(CONTEXT.asking * found[asked].bm25)


async def test_a_candidate_names_the_record_before_it_in_its_session(talk: Talk) -> None:
    first, second = [await talk.say(text, n) for n, text in enumerate((ASKED, ANSWER))]
    found = await talk.ask()
    assert (found[first].former, found[second].former) == (None, first)


async def test_words_of_a_neighbour_are_stored_nowhere(talk: Talk) -> None:
    """The answer's row is the same, to the byte, as that of the same text alone."""
    await talk.say(ASKED, 0)
    await talk.say(ANSWER, 1)
    await talk.say(ANSWER, 1, session="alone")
    rows = await talk.corpus.run(
        b"""SELECT t.hashes, t.words::text, t.trigrams::text FROM record_terms t
            JOIN records r ON r.agent_id = t.agent_id AND r.id = t.record_id AND r.content LIKE 'It was%'"""
    )
    assert len(rows) == 2
    assert rows[0] == rows[1]
