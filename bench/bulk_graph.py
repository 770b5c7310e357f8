"""Loads a declared graph about made-up records straight into the tables, by COPY; its edges come from the triggers.

Every entity is one of the topics' words, and is mentioned by the records that say it. Three hubs are related to each of
them, so that each word leads to a hub in one hop and to every other word in two.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import psycopg

from topics import topic_words

HUBS = ("hub one", "hub two", "hub three")
_START = datetime(2025, 6, 1, tzinfo=UTC)
_WORD = re.compile("[a-z]+")

_ENTITIES = b"COPY rensou.entities (agent_id, id, project_id, channel, name, declared_by) FROM STDIN"
_ALIASES = (
    b"COPY rensou.entity_aliases (agent_id, project_id, channel, normalized, entity_id, alias, is_name) FROM STDIN"
)
_MENTIONS = b"COPY rensou.entity_mentions (agent_id, entity_id, record_id, declared_by) FROM STDIN"
_RELATIONS = b"""
COPY rensou.relations (
  agent_id, project_id, channel, subject_entity, predicate, normalized_predicate, object_entity, declared_by,
  declared_at
) FROM STDIN
"""
_RECORDS = b"SELECT r.id, r.content FROM rensou.records r WHERE r.agent_id = %s ORDER BY r.id"
_TABLES = b"rensou.entities, rensou.entity_aliases, rensou.entity_mentions, rensou.relations, rensou.entity_edges"


@dataclass(frozen=True, slots=True)
class LoadedGraph:
    """How much of it there is."""

    entities: int
    names: int
    mentions: int
    relations: int


def load_graph(admin_dsn: str, agent_id: str, entities: int) -> LoadedGraph:
    """Declares `entities` words (at most 12,000) and the hubs, each with one alias, about the agent's records.

    Raises:
        psycopg.Error: The database took it not.
    """
    words = topic_words()[:entities]
    with psycopg.connect(admin_dsn) as connection:
        numbers = load_names(connection, agent_id, [(name, f"the {name} affair") for name in (*HUBS, *words)])
        mentions = list(_mentions(connection.execute(_RECORDS, (agent_id,)).fetchall(), numbers))
        _copy(connection, _MENTIONS, ((agent_id, entity, record, "agent") for entity, record in mentions))
        relations = [(numbers[hub], numbers[word]) for word in words for hub in HUBS]
        _copy(
            connection,
            _RELATIONS,
            (
                (agent_id, "", "", hub, "leads to", "leads to", word, "agent", _START + timedelta(seconds=place))
                for place, (hub, word) in enumerate(relations)
            ),
        )
    with psycopg.connect(admin_dsn, autocommit=True) as connection:
        connection.execute(b"VACUUM (ANALYZE) " + _TABLES)
    return LoadedGraph(len(numbers), 2 * len(numbers), len(mentions), len(relations))


def load_names(connection: psycopg.Connection, agent_id: str, names: Sequence[Sequence[str]]) -> dict[str, int]:
    """Makes an entity of each row: its name, then its aliases, all in normal form. The number of each name."""
    drawn = connection.execute(b"SELECT nextval('rensou.entity_ids') FROM generate_series(1, %s)", (len(names),))
    numbers = {row[0]: int(number) for row, (number,) in zip(names, drawn.fetchall(), strict=True)}
    _copy(connection, _ENTITIES, ((agent_id, numbers[row[0]], "", "", row[0], "agent") for row in names))
    _copy(
        connection,
        _ALIASES,
        (
            (agent_id, "", "", alias, numbers[row[0]], alias, place == 0)
            for row in names
            for place, alias in enumerate(row)
        ),
    )
    return numbers


def _mentions(records: Sequence[tuple[int, str]], numbers: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    for record, content in records:
        for word in sorted(set(_WORD.findall(content))):
            if word in numbers:
                yield numbers[word], record


def _copy(connection: psycopg.Connection, statement: bytes, rows: Iterator[tuple[object, ...]]) -> None:
    with connection.cursor().copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
