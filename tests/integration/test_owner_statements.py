"""Statements that the tables' owner writes by hand: what was derived of a text leaves with it, on every path."""

from collections.abc import Iterator
from typing import LiteralString

import psycopg
import pytest

from tests.conftest import DatabaseDsns
from tests.integration.record_world import DERIVED, NEW_TEXT, Record, whole_record

_BY_TRIGGER: LiteralString = """
CREATE FUNCTION rewrite_on_lock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN NEW.content := 'the second text'; RETURN NEW; END $$;
CREATE TRIGGER a_later_one BEFORE UPDATE OF locked ON records FOR EACH ROW EXECUTE FUNCTION rewrite_on_lock();
UPDATE records SET locked = true
"""
CHANGES: dict[str, LiteralString] = {
    "update": "UPDATE records SET content = 'the second text' WHERE id = (SELECT max(id) FROM records)",
    "update from": "UPDATE records r SET content = v.t FROM (VALUES ('the second text')) v (t)",
    "expression": "UPDATE records SET content = replace(content, 'first', 'second')",
    "common table": "WITH u AS (UPDATE records SET content = 'the second text' RETURNING id) SELECT count(*) FROM u",
    "merge": "MERGE INTO records r USING (SELECT 1) s ON true WHEN MATCHED THEN UPDATE SET content = 'the second text'",
    "upsert": "INSERT INTO records (agent_id, id, kind, content) SELECT agent_id, id, kind, 'x' FROM records"
    " ON CONFLICT (agent_id, id) DO UPDATE SET content = 'the second text'",
    "block": "DO $$ BEGIN UPDATE rensou.records SET content = 'the second text'; END $$",
    "a trigger that is not written yet": _BY_TRIGGER,
    "with a false hash": "UPDATE records SET content = 'the second text', content_sha256 = '\\x00'",
}
REMOVALS: dict[str, LiteralString] = {
    "delete": "DELETE FROM records",
    "delete using": "DELETE FROM records r USING (VALUES (1)) v WHERE r.agent_id = 'ann'",
    "common table": "WITH d AS (DELETE FROM records RETURNING id) SELECT count(*) FROM d",
    "merge": "MERGE INTO records r USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE",
    "truncate": "TRUNCATE records CASCADE",
}


@pytest.fixture
def record(database_dsns: DatabaseDsns) -> Iterator[Record]:
    with whole_record(database_dsns) as one:
        one.run("SET ROLE rensou_owner")
        yield one


@pytest.mark.parametrize("name", CHANGES)
def test_a_text_changed_by_hand_drops_what_was_derived_and_queues_its_build(record: Record, name: str) -> None:
    record.run(CHANGES[name])
    assert record.run("SELECT content FROM records") == [(NEW_TEXT,)]
    assert {table: record.counts()[table] for table in DERIVED} == dict.fromkeys(DERIVED, 0)
    assert record.run(
        "SELECT b.state FROM node_builds b JOIN records r ON r.id = b.record_id"
        " WHERE b.content_sha256 = r.content_sha256 AND r.content_sha256 = sha256(convert_to(r.content, 'UTF8'))"
    ) == [("pending",)]
    assert record.counts()["record_revisions"] == 1


@pytest.mark.parametrize("name", REMOVALS)
def test_a_record_removed_by_hand_takes_its_nodes_and_builds_along(record: Record, name: str) -> None:
    record.run("UPDATE records SET content = 'the second text'")
    record.derive(1, NEW_TEXT)
    record.run(REMOVALS[name])
    assert record.run("SELECT 1 FROM records") == []
    counts = record.counts()
    assert {table: counts[table] for table in (*DERIVED, "node_builds")} == dict.fromkeys((*DERIVED, "node_builds"), 0)


@pytest.mark.parametrize("statement", ["content_sha256 = '\\x00'", "content_chars = 3"])
def test_a_hash_or_a_length_written_by_hand_stays_the_texts(record: Record, statement: LiteralString) -> None:
    before = record.counts()
    record.run("UPDATE records SET " + statement)
    assert record.run(
        "SELECT content_sha256 = sha256(convert_to(content, 'UTF8')), content_chars = char_length(content), revision"
        " FROM records"
    ) == [(True, True, 1)]
    assert record.counts() == before


def test_nodes_moved_to_a_record_that_is_not_there_are_refused(record: Record) -> None:
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        record.run("UPDATE record_nodes SET record_id = record_id + 1000")
