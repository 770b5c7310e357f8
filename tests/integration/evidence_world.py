"""Rows of the graph and the records, written by hand."""

from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

import psycopg

from rensou_shared.ids import AgentId, EntityId, RecordId
from rensou_shared.scope import ReadScope

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANN, BOB = AgentId("ann"), AgentId("bob")
EVERYTHING = ReadScope(ANN)


class World:
    """Rows written by the superuser, whom no policy binds; every method answers with the new row's id."""

    def __init__(self, admin: psycopg.Connection) -> None:
        self._admin = admin

    def _id(self, statement: LiteralString, **params: Any) -> Any:
        return self._admin.execute(statement, params).fetchone()[0]  # pyright: ignore[reportOptionalSubscript]

    def record(
        self, content: str, agent: str = ANN, project: str = "", channel: str = "", source: str = ""
    ) -> RecordId:
        return self._id(
            """INSERT INTO rensou.records (agent_id, kind, content, project_id, channel, source_id, occurred_at)
               VALUES (%(agent)s, 'mem', %(content)s, %(project)s, %(channel)s, %(source)s, %(at)s) RETURNING id""",
            agent=agent, content=content, project=project, channel=channel, source=source, at=NOON,
        )  # fmt: skip

    def entity(self, name: str, *aliases: str, agent: str = ANN, project: str = "", channel: str = "") -> EntityId:
        place = {"agent": agent, "project": project, "channel": channel}
        entity = self._id(
            """INSERT INTO rensou.entities (agent_id, project_id, channel, name, declared_by)
               VALUES (%(agent)s, %(project)s, %(channel)s, %(name)s, 'agent') RETURNING id""",
            name=name, **place,
        )  # fmt: skip
        for index, alias in enumerate((name, *aliases)):
            self._admin.execute(
                """INSERT INTO rensou.entity_aliases
                     (agent_id, project_id, channel, normalized, entity_id, alias, is_name)
                   VALUES (%(agent)s, %(project)s, %(channel)s, lower(%(alias)s), %(entity)s, %(alias)s,
                           %(is_name)s)""",
                {"alias": alias, "entity": entity, "is_name": index == 0, **place},
            )
        return entity

    def entities(self, count: int) -> None:
        """Entities of Ann's, "name 1" and so on."""
        self._admin.execute(
            """WITH made AS (INSERT INTO entities (agent_id, project_id, channel, name, declared_by)
                             SELECT 'ann', '', '', 'name ' || n, 'agent' FROM generate_series(1, %s) AS n
                             RETURNING id, name)
               INSERT INTO entity_aliases (agent_id, project_id, channel, normalized, entity_id, alias, is_name)
               SELECT 'ann', '', '', m.name, m.id, m.name, true FROM made m""",
            (count,),
        )

    def mention(self, entity: EntityId, *records: RecordId, agent: str = ANN) -> None:
        for record in records:
            self._admin.execute(
                """INSERT INTO rensou.entity_mentions (agent_id, entity_id, record_id, declared_by)
                   VALUES (%s, %s, %s, 'agent')""",
                (agent, entity, record),
            )

    def relation(
        self, subject: int, predicate: str, object_: int, *, kind: str = "entity", minute: int = 0, **place: str
    ) -> int:
        ends = {f"{end}_{side}": None for end in ("subject", "object") for side in ("entity", "record")}
        ends |= {f"subject_{kind}": subject, f"object_{kind}": object_}
        return self._id(
            """INSERT INTO rensou.relations
                 (agent_id, project_id, channel, subject_entity, subject_record, predicate, normalized_predicate,
                  object_entity, object_record, declared_by, declared_at)
               VALUES (%(agent)s, %(project)s, %(channel)s, %(subject_entity)s, %(subject_record)s, %(predicate)s,
                       %(predicate)s, %(object_entity)s, %(object_record)s, 'agent', %(at)s)
               RETURNING id""",
            predicate=predicate,
            at=NOON + timedelta(minutes=minute),
            **({"agent": ANN, "project": "", "channel": ""} | place | ends),
        )

    def nodes(self, record: RecordId, model: int, window: int, *vectors: list[float], agent: str = ANN) -> None:
        for index, vector in enumerate(vectors):
            self._admin.execute(
                """INSERT INTO rensou.record_nodes (agent_id, record_id, node_index, start_char, end_char, token_count,
                                                    token_window, model_id, divider_version, embedding)
                   VALUES (%s, %s, %s, %s, %s, 1, %s, %s, 1, %s::halfvec)""",
                (agent, record, index, index, index + 1, window, model, str(vector)),
            )

    def model(self, state: str = "active") -> int:
        return self._id(
            """INSERT INTO rensou.embedding_models (fingerprint, name, dimensions, token_window, state)
               VALUES (%(state)s, 'm', 3, 8, %(state)s) RETURNING id""",
            state=state,
        )
