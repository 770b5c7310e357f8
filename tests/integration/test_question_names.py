"""The names that occur in a question are found exactly, and without reading all that an agent declared."""

import random

from rensou_recall.store.expansion import find_question_aliases
from rensou_shared.db.pool import Database
from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope
from tests.integration import test_reconstruct_store
from tests.integration.evidence_world import ANN, BOB, EVERYTHING, World

world, database = test_reconstruct_store.world, test_reconstruct_store.database


async def test_exactly_the_names_that_occur_in_the_question_are_found(world: World, database: Database):
    chance = random.Random(4)
    alphabet = ("a", "ab", "b", " ", "\u3042", "\U0001d4b3", "abababababababababab" * 8)
    for number in range(20):
        agent = AgentId(f"agent-{number}")
        made = ("".join(chance.choices(alphabet, k=chance.randint(1, 6))).strip() for _ in range(40))
        names = sorted(set(made) - {""})
        for name in names:
            world.entity(name, agent=agent)
        question = "".join(chance.choices(alphabet, k=30)).strip()
        async with database.transaction(agent, 10) as connection:
            found = await find_question_aliases(connection, ReadScope(agent), question, 99)
        expected = sorted((name for name in names if name in question), key=lambda name: (-len(name), name))
        assert [match.normalized for match in found] == expected


async def test_finding_names_reads_a_few_rows_of_many_by_a_plan_that_was_made_for_nobody(
    world: World, database: Database
):
    async with database.transaction(BOB, 10) as connection:
        for _ in range((connection.prepare_threshold or 0) + 2):
            await find_question_aliases(connection, ReadScope(BOB), "a plan for bob", 64)
    world.entities(20_000)
    question = "did name 17 and the name 19999 meet at the harbour in the names of others?"
    async with database.transaction(ANN, 10) as connection:
        found = await find_question_aliases(connection, EVERYTHING, question, 64)
        cursor = await connection.execute(
            b"SELECT t.idx_tup_fetch + t.seq_tup_read FROM pg_stat_xact_user_tables t"
            b" WHERE t.relname = 'entity_aliases'"
        )
        row = await cursor.fetchone()
    names = ["name 19999", "name 1999", "name 199", "name 17", "name 19", "name 1"]
    assert [match.normalized for match in found] == names
    assert row is not None
    assert row[0] < 10 * len(question)
