"""One record with everything that can hang on it, written by the superuser, whom no policy binds."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg

from rensou_shared.text.index import index_terms
from tests.conftest import DatabaseDsns
from tests.integration.corpus import register

TEXT, NEW_TEXT = "the first text", "the second text"
DERIVED = ("record_vectors", "record_terms", "record_nodes")
ALL = (
    *DERIVED,
    "node_builds",
    "record_revisions",
    "record_caller_ids",
    "entity_mentions",
    "relations",
    "validity_assertions",
    "former_certainties",
    "use_reports",
)
_DERIVE: tuple[LiteralString, ...] = (
    """INSERT INTO record_terms (agent_id, record_id, terms_version, project_id, channel, source_id, hashes, words,
                                 trigrams)
       VALUES ('ann', %(id)s, 1, '', '', '', %(hashes)s, %(words)s, %(trigrams)s)""",
    """INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, embedding)
       VALUES ('ann', %(id)s, %(model)s, '', '', '', '[1,0]')""",
    """INSERT INTO record_nodes (agent_id, record_id, node_index, start_char, end_char, token_count, token_window,
                                 model_id, divider_version, embedding)
       VALUES ('ann', %(id)s, 0, 0, 5, 2, 512, %(model)s, 1, '[1,0]')""",
)
_DECLARE: tuple[LiteralString, ...] = (
    """INSERT INTO record_caller_ids (agent_id, project_id, channel, caller_id, record_id, content_sha256)
       SELECT 'ann', '', '', 'c' || r.id, r.id, r.content_sha256 FROM records r WHERE r.id = %(id)s""",
    "INSERT INTO entities (agent_id, project_id, channel, name, declared_by) VALUES ('ann', '', '', 'Ann', 'agent')",
    """INSERT INTO entity_mentions (agent_id, entity_id, record_id, declared_by)
       SELECT 'ann', max(e.id), %(id)s, 'agent' FROM entities e""",
    """INSERT INTO relations (agent_id, project_id, channel, subject_record, predicate, normalized_predicate,
                              object_entity, anchor_record, declared_by)
       SELECT 'ann', '', '', %(id)s, 'is about', 'is about', max(e.id), %(id)s, 'agent' FROM entities e""",
    """INSERT INTO validity_assertions (agent_id, record_id, asserted_by, recorded_at)
       VALUES ('ann', %(id)s, 'agent', now())""",
    """INSERT INTO former_certainties (agent_id, relation_id, certainty, superseded_at)
       SELECT 'ann', max(r.id), 'vague', now() FROM relations r WHERE r.anchor_record = %(id)s""",
    """INSERT INTO recall_log (agent_id, recall_id, method, project_id, channel, degraded, vector_ids, lexical_ids,
                               other_ids, refused_ids, returned_ids)
       VALUES ('ann', md5('one'), 'recall', '', '', false, '{}', '{}', '{}', '{}', ARRAY[%(id)s::bigint])""",
    """INSERT INTO use_reports (agent_id, recall_id, record_id, verdict, code)
       VALUES ('ann', md5('one'), %(id)s, 'used', 'none')""",
)


@dataclass(frozen=True, slots=True)
class Record:
    """One record of Ann's with everything that can hang on it."""

    connection: psycopg.Connection[Any]
    id: int

    def run(self, statement: LiteralString, **params: Any) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        cursor = self.connection.execute(statement, {"id": self.id, **params})
        return cursor.fetchall() if cursor.description else []

    def derive(self, model: int, text: str = TEXT) -> None:
        """What Store and the worker write beside the text."""
        terms = index_terms("ann", text)
        for statement in _DERIVE:
            self.run(statement, model=model, hashes=terms.hashes, words=terms.words, trigrams=terms.trigrams)

    def counts(self) -> dict[str, int]:
        """Rows of every table that hang on the record."""
        statements: dict[str, LiteralString] = {
            "record_vectors": "SELECT count(*) FROM record_vectors WHERE record_id = %(id)s",
            "record_terms": "SELECT count(*) FROM record_terms WHERE record_id = %(id)s",
            "record_nodes": "SELECT count(*) FROM record_nodes WHERE record_id = %(id)s",
            "node_builds": "SELECT count(*) FROM node_builds WHERE record_id = %(id)s",
            "record_revisions": "SELECT count(*) FROM record_revisions WHERE record_id = %(id)s",
            "record_caller_ids": "SELECT count(*) FROM record_caller_ids WHERE record_id = %(id)s",
            "entity_mentions": "SELECT count(*) FROM entity_mentions WHERE record_id = %(id)s",
            "relations": "SELECT count(*) FROM relations WHERE anchor_record = %(id)s",
            "former_certainties": "SELECT count(*) FROM former_certainties f JOIN relations r ON r.id = f.relation_id"
            " WHERE r.anchor_record = %(id)s",
            "validity_assertions": "SELECT count(*) FROM validity_assertions WHERE record_id = %(id)s",
            "use_reports": "SELECT count(*) FROM use_reports WHERE record_id = %(id)s",
        }
        return {table: self.run(statement)[0][0] for table, statement in statements.items()}

    def deltas(self) -> list[tuple[int, list[int]]]:
        """The changes of term counts, oldest first."""
        return [(delta, sorted(slots)) for delta, slots in self.run("SELECT delta, slots FROM term_deltas ORDER BY id")]


@contextmanager
def whole_record(dsns: DatabaseDsns) -> Iterator[Record]:
    """A record of Ann's in a database that has none."""
    model = register(dsns.admin, 2)
    with psycopg.connect(dsns.admin, autocommit=True, options="-c search_path=rensou,public") as connection:
        row = connection.execute(
            "INSERT INTO records (agent_id, kind, content) VALUES ('ann', 'mem', %s) RETURNING id", (TEXT,)
        ).fetchone()
        assert row is not None
        one = Record(connection, row[0])
        one.derive(model)
        for statement in _DECLARE:
            one.run(statement)
        yield one
