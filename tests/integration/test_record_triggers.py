"""What the database itself keeps true of a record, whoever changes it: here, statements written by hand."""

from collections.abc import Iterator
from typing import LiteralString

import psycopg
import pytest

from rensou_shared.text.index import index_terms
from tests.conftest import DatabaseDsns
from tests.integration.record_world import ALL, DERIVED, NEW_TEXT, TEXT, Record, whole_record


@pytest.fixture
def record(database_dsns: DatabaseDsns) -> Iterator[Record]:
    with whole_record(database_dsns) as one:
        yield one


def revise(record: Record, text: str = NEW_TEXT) -> None:
    record.run("UPDATE records SET content = %(text)s WHERE id = %(id)s", text=text)


def test_a_new_text_keeps_the_former_one(record: Record) -> None:
    ((before,),) = record.run("SELECT created_at FROM records WHERE id = %(id)s")
    revise(record)
    kept = record.run(
        """SELECT revision, content, content_sha256 = sha256(convert_to(content, 'UTF8')), current_from, current_to
           FROM record_revisions WHERE record_id = %(id)s"""
    )
    ((revision, revised_at),) = record.run("SELECT revision, revised_at FROM records WHERE id = %(id)s")
    assert kept == [(1, TEXT, True, before, revised_at)]
    assert revision == 2


def test_former_texts_join_without_a_gap(record: Record) -> None:
    for text in (NEW_TEXT, "the third text", TEXT):
        revise(record, text)
    rows = record.run(
        "SELECT revision, content, current_from, current_to FROM record_revisions WHERE record_id = %(id)s ORDER BY 1"
    )
    assert [row[:2] for row in rows] == [(1, TEXT), (2, NEW_TEXT), (3, "the third text")]
    assert [row[3] for row in rows[:-1]] == [row[2] for row in rows[1:]]
    assert record.run("SELECT revision FROM records WHERE id = %(id)s") == [(4,)]


def test_the_hash_and_the_length_follow_the_text_whatever_is_said_of_them(record: Record) -> None:
    record.run("UPDATE records SET content = '連想', content_sha256 = '\\x00', content_chars = 99 WHERE id = %(id)s")
    assert record.run(
        "SELECT content_chars, content_sha256 = sha256(convert_to('連想', 'UTF8')) FROM records WHERE id = %(id)s"
    ) == [(2, True)]


def test_a_new_text_drops_what_was_derived_and_queues_a_build(record: Record) -> None:
    revise(record)
    counts = record.counts()
    assert {table: counts[table] for table in DERIVED} == dict.fromkeys(DERIVED, 0)
    assert record.run(
        """SELECT b.state, b.errors, b.crashes, b.content_sha256 = r.content_sha256
           FROM node_builds b JOIN records r ON r.id = b.record_id WHERE b.record_id = %(id)s"""
    ) == [("pending", 0, 0, True)]


def test_a_new_text_keeps_what_was_declared(record: Record) -> None:
    revise(record)
    counts = record.counts()
    assert (counts["entity_mentions"], counts["relations"], counts["record_caller_ids"]) == (1, 1, 1)


def test_a_text_that_returns_asks_for_its_build_again_and_for_no_other(record: Record) -> None:
    revise(record)
    record.run(
        "UPDATE node_builds SET state = 'dead', errors = 9, crashes = 2, last_error = 'x' WHERE record_id = %(id)s"
    )
    revise(record, TEXT)
    revise(record)
    rows = record.run("SELECT state, errors, crashes, last_error FROM node_builds WHERE record_id = %(id)s ORDER BY id")
    assert rows == [("pending", 0, 0, None)]


def test_the_same_text_changes_nothing(record: Record) -> None:
    before = record.counts(), record.deltas()
    revise(record, TEXT)
    assert (record.counts(), record.deltas()) == before
    assert record.run("SELECT revision, revised_at FROM records WHERE id = %(id)s") == [(1, None)]


@pytest.mark.parametrize("table", ["record_vectors", "record_terms"])
def test_the_copies_of_the_scope_follow_the_record(record: Record, table: str) -> None:
    record.run("UPDATE records SET project_id = 'P', channel = 'C', source_id = 'chat:1' WHERE id = %(id)s")
    copies: dict[str, LiteralString] = {
        "record_vectors": "SELECT project_id, channel, source_id FROM record_vectors WHERE record_id = %(id)s",
        "record_terms": "SELECT project_id, channel, source_id FROM record_terms WHERE record_id = %(id)s",
    }
    assert record.run(copies[table]) == [("P", "C", "chat:1")]


def test_whom_a_record_comes_from_follows_the_record(record: Record) -> None:
    record.run("UPDATE records SET source_name = 'Mika' WHERE id = %(id)s")
    assert record.run("SELECT source_name FROM record_terms WHERE record_id = %(id)s") == [("Mika",)]


def test_moving_a_record_changes_no_count_and_keeps_its_text(record: Record) -> None:
    deltas = record.deltas()
    record.run("UPDATE records SET project_id = 'P' WHERE id = %(id)s")
    ((came, slots),) = deltas
    # The record's project moved: its count moves, no frequency does.
    assert record.deltas() == [(came, slots), (-1, []), (1, [])]
    assert record.counts()["record_revisions"] == 0


def test_a_deleted_record_takes_everything_along(record: Record) -> None:
    revise(record)
    record.derive(1, NEW_TEXT)
    assert set(record.counts()) == set(ALL)
    assert all(record.counts().values())
    record.run("DELETE FROM records WHERE id = %(id)s")
    assert record.counts() == dict.fromkeys(ALL, 0)


def test_what_is_deleted_leaves_the_counts_as_it_came(record: Record) -> None:
    ((came, slots),) = record.deltas()
    assert came == 1
    record.run("DELETE FROM records WHERE id = %(id)s")
    assert record.deltas() == [(1, slots), (-1, slots)]


def test_a_new_text_takes_the_old_terms_out_of_the_counts(record: Record) -> None:
    ((_, slots),) = record.deltas()
    revise(record)
    assert record.deltas() == [(1, slots), (-1, slots)]


def test_the_slots_are_those_that_the_terms_name(record: Record) -> None:
    words, trigrams = (
        {int(pair.partition(":")[0]) for pair in text.partition("}")[0].strip("{").split(",")}
        for text in (index_terms("ann", TEXT).words, index_terms("ann", TEXT).trigrams)
    )
    ((_, slots),) = record.deltas()
    assert set(slots) == words | trigrams


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record_vectors SET embedding = '[1,1]' WHERE record_id = %(id)s",
        "UPDATE record_vectors SET embedding = '[1,0,0]' WHERE record_id = %(id)s",
        "UPDATE records SET content = '' WHERE id = %(id)s",
        "UPDATE records SET kind = 'ep' WHERE id = %(id)s",
        "UPDATE records SET kind = 'note' WHERE id = %(id)s",
        "UPDATE node_builds SET state = 'running' WHERE record_id = %(id)s",
    ],
)
def test_what_cannot_be_true_is_refused(record: Record, statement: LiteralString) -> None:
    record.run(
        "INSERT INTO node_builds (agent_id, record_id, content_sha256, divider_version) SELECT 'ann', id, "
        "content_sha256, 1 FROM records WHERE id = %(id)s"
    )
    with pytest.raises(psycopg.errors.IntegrityError):
        record.run(statement)
