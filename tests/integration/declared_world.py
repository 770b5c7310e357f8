"""Declared graphs as plain rows: written past every check of the service, and cut to what a scope reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, LiteralString

import psycopg
from psycopg import sql

from rensou_shared.scope import ReadScope

TABLES = ("entity_edges", "relations", "entity_mentions", "entity_aliases", "entities")


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a row stands; the source is a record's."""

    agent: str
    project: str = ""
    channel: str = ""
    source: str = ""

    def is_read_by(self, scope: ReadScope) -> bool:
        """The rule of the contract, said once more."""
        asked = scope.source_id
        by_source = self.source.startswith(asked) if asked and not asked[-1].isalnum() else self.source == asked
        here = self.agent == scope.agent_id and (asked == "" or by_source)
        return here and scope.reads(self.project, self.channel)


@dataclass(frozen=True, slots=True)
class DeclaredEntity:
    """An entity; its names are in normal form already, the first is the name."""

    id: int
    spot: Spot
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeclaredRelation:
    """A relation; an end is an entity's number, or a record's as a negative one. `second`: when it was declared."""

    id: int
    spot: Spot
    subject: int
    predicate: str
    object: int
    anchor: int | None = None
    second: int = 0


@dataclass(frozen=True, slots=True)
class DeclaredWorld:
    """A graph; mentions are (entity, record), records where each of them stands."""

    records: Mapping[int, Spot]
    entities: Sequence[DeclaredEntity]
    mentions: Sequence[tuple[int, int]]
    relations: Sequence[DeclaredRelation]

    def entities_of(self, scope: ReadScope) -> set[int]:
        """The entities that a scope reads."""
        return {one.id for one in self.entities if replace(one.spot, source=scope.source_id).is_read_by(scope)}

    def records_of(self, scope: ReadScope) -> set[int]:
        """The records that a scope reads."""
        return {number for number, spot in self.records.items() if spot.is_read_by(scope)}

    def relations_of(self, scope: ReadScope) -> list[DeclaredRelation]:
        """The relations that a scope reads, both ends included; an anchor that it does not read is left out."""
        ends = self.entities_of(scope) | {-number for number in self.records_of(scope)}
        return [
            replace(one, anchor=one.anchor if one.anchor is not None and -one.anchor in ends else None)
            for one in self.relations
            if replace(one.spot, source=scope.source_id).is_read_by(scope) and {one.subject, one.object} <= ends
        ]

    def mentions_of(self, scope: ReadScope) -> list[tuple[int, int]]:
        """The mentions of which a scope reads both ends."""
        entities, records = self.entities_of(scope), self.records_of(scope)
        return [(entity, record) for entity, record in self.mentions if entity in entities and record in records]

    def cut_to(self, scope: ReadScope) -> "DeclaredWorld":
        """The graph as it would be if nothing stood in it but what the scope reads."""
        readable = self.entities_of(scope)
        entities = [one for one in self.entities if one.id in readable]
        return replace(self, entities=entities, mentions=self.mentions_of(scope), relations=self.relations_of(scope))

    def write(self, admin: psycopg.Connection) -> None:
        """Makes this the whole graph of the database; `admin` is the superuser, whom no policy binds."""
        with admin.transaction(), admin.cursor() as cursor:
            for table in TABLES:
                cursor.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier("rensou", table)))
            for statement, rows in self._rows():
                cursor.executemany(statement, rows)

    def _rows(self) -> list[tuple[LiteralString, list[dict[str, Any]]]]:
        spots = {one.id: one.spot for one in self.entities}
        return [
            (
                """INSERT INTO rensou.entities (agent_id, id, project_id, channel, name, declared_by)
                   VALUES (%(agent)s, %(id)s, %(project)s, %(channel)s, %(name)s, 'agent')""",
                [_place(one.spot) | {"id": one.id, "name": one.names[0]} for one in self.entities],
            ),
            (
                """INSERT INTO rensou.entity_aliases
                     (agent_id, project_id, channel, normalized, entity_id, alias, is_name)
                   VALUES (%(agent)s, %(project)s, %(channel)s, %(name)s, %(id)s, %(name)s, %(is_name)s)""",
                [
                    _place(one.spot) | {"id": one.id, "name": name, "is_name": name == one.names[0]}
                    for one in self.entities
                    for name in one.names
                ],
            ),
            (
                """INSERT INTO rensou.entity_mentions (agent_id, entity_id, record_id, declared_by)
                   VALUES (%(agent)s, %(entity)s, %(record)s, 'agent')""",
                [
                    {"agent": spots[entity].agent, "entity": entity, "record": record}
                    for entity, record in self.mentions
                ],
            ),
            (
                """INSERT INTO rensou.relations
                     (agent_id, id, project_id, channel, subject_entity, subject_record, predicate,
                      normalized_predicate, object_entity, object_record, anchor_record, declared_by, declared_at)
                   VALUES (%(agent)s, %(id)s, %(project)s, %(channel)s, %(subject_entity)s, %(subject_record)s,
                           %(predicate)s, %(predicate)s, %(object_entity)s, %(object_record)s, %(anchor)s, 'agent',
                           '2026-01-01Z'::timestamptz + %(second)s * interval '1 second')""",
                [
                    _place(one.spot)
                    | _end("subject", one.subject)
                    | _end("object", one.object)
                    | {"id": one.id, "predicate": one.predicate, "anchor": one.anchor, "second": one.second}
                    for one in self.relations
                ],
            ),
        ]


def _place(spot: Spot) -> dict[str, Any]:
    return {"agent": spot.agent, "project": spot.project, "channel": spot.channel}


def _end(side: str, number: int) -> dict[str, Any]:
    return {f"{side}_entity": number if number > 0 else None, f"{side}_record": -number if number < 0 else None}
