"""No row of the declared graph can point to what is not there, nor to another agent's: the database refuses it."""

from collections.abc import AsyncIterator

import psycopg
import pytest

from tests.conftest import DatabaseDsns
from tests.integration.graph import entities, open_graph, relations, scope_of

_RELATION = """
INSERT INTO relations (agent_id, project_id, channel, {columns}, predicate, normalized_predicate, declared_by)
VALUES ('{agent}', '', '', {values}, 'p', 'p', 'agent')
"""
_MENTION = "INSERT INTO entity_mentions (agent_id, entity_id, record_id, declared_by) VALUES ('{}', {}, {}, 'agent')"
_ALIAS = "INSERT INTO entity_aliases VALUES ('{}', '{}', '{}', 'x', {}, 'x', false)"
_EDGE = "INSERT INTO entity_edges VALUES ('{}', '', '', {}, {}, {}, now())"


def _relation(agent: str, columns: str, values: str) -> str:
    return _RELATION.format(agent=agent, columns=columns, values=values)


# ann has the entities 1 and 2, the record 1 and the relation 1 between the entities; bob has nothing; 9 is nobody's.
ORPHANS = {
    "an alias of no entity": _ALIAS.format("ann", "", "", 9),
    "an alias of another agent's entity": _ALIAS.format("bob", "", "", 1),
    "an alias in another place than its entity": _ALIAS.format("ann", "P", "", 1),
    "a mention of no entity": _MENTION.format("ann", 9, 1),
    "a mention in no record": _MENTION.format("ann", 1, 9),
    "a mention of another agent's entity": _MENTION.format("bob", 1, 1),
    "a relation of no entity": _relation("ann", "subject_entity, object_entity", "9, 1"),
    "a relation to no entity": _relation("ann", "subject_entity, object_entity", "1, 9"),
    "a relation of no record": _relation("ann", "subject_record, object_entity", "9, 1"),
    "a relation to no record": _relation("ann", "subject_entity, object_record", "1, 9"),
    "a relation that rests on no record": _relation("ann", "subject_entity, object_entity, anchor_record", "1, 2, 9"),
    "a relation of another agent's entities": _relation("bob", "subject_entity, object_entity", "1, 2"),
    "a relation without a subject": _relation("ann", "object_entity", "1"),
    "a relation without an object": _relation("ann", "subject_record", "1"),
    "a relation with two subjects": _relation("ann", "subject_entity, subject_record, object_entity", "1, 1, 2"),
    "an entity related to itself": _relation("ann", "subject_entity, object_entity", "1, 1"),
    "a record related to itself": _relation("ann", "subject_record, object_record", "1, 1"),
    "an edge of no relation": _EDGE.format("ann", 1, 9, 1),
    "an edge that shows no relation": "UPDATE entity_edges SET relation_id = 9",
    "an edge from no entity": _EDGE.format("ann", 9, 1, 1),
    "an edge of another agent's relation": _EDGE.format("bob", 1, 2, 1),
}


@pytest.fixture
async def admin(database_dsns: DatabaseDsns) -> AsyncIterator[psycopg.AsyncConnection]:
    async with open_graph(database_dsns.recall) as graph:
        await graph.record("one")
        await graph.declare(entities("Ann"), scope_of())
        await graph.declare(relations(("Ann", "knows", "Bob")))
    options = "-c search_path=rensou,public"
    async with await psycopg.AsyncConnection.connect(database_dsns.admin, autocommit=True, options=options) as one:
        yield one


async def test_every_kind_of_orphan_is_refused(admin: psycopg.AsyncConnection) -> None:
    taken: list[str] = []
    for name, statement in ORPHANS.items():
        try:
            await admin.execute(statement.encode())
            taken.append(name)
        except psycopg.errors.IntegrityError:
            continue
    assert taken == []


async def test_what_is_whole_is_taken(admin: psycopg.AsyncConnection) -> None:
    """The statements above are refused for what they say, not for how they say it."""
    whole = (
        _ALIAS.format("ann", "", "", 1),
        _MENTION.format("ann", 1, 1),
        _relation("ann", "subject_entity, object_record, anchor_record", "1, 1, 1"),
        "UPDATE entity_edges SET relation_id = 1",
    )
    for statement in whole:
        assert (await admin.execute(statement.encode())).rowcount > 0
