"""What the service reads under known_at, held against events replayed in memory, over random histories."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

import numpy as np
import psycopg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pgvector.psycopg import register_vector_async

from rensou_recall.pipelines.standing import load_standings, starts_of
from rensou_recall.store.candidates import load_candidates
from rensou_recall.store.evidence_graph import (
    load_pool_links,
    load_pool_mentions,
    load_record_neighbours,
    load_walk_edges,
    load_walk_records,
)
from rensou_recall.store.known_at import look_back
from rensou_recall.store.records import load_newest_records, load_records
from rensou_recall.store.traverse import load_details
from rensou_recall.store.validity import load_outside
from rensou_recall.types.retrieval import VectorQuery
from rensou_shared.ids import AgentId, EntityId, ModelId, RecordId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import index_terms, question_terms
from tests.conftest import DatabaseDsns
from tests.integration.corpus import register
from tests.integration.known_events import Event, Facts, Target, Verb, known_at

ANN = AgentId("ann")
SCOPE = ReadScope(ANN)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORDS = ("osaka", "kyoto", "nara")
VECTORS = {"osaka": "[1,0,0]", "kyoto": "[0,1,0]", "nara": "[0,0,1]"}
EXAMPLES = 2_000
ALL = 100


def minute(number: int | None) -> datetime | None:
    return None if number is None else NOON + timedelta(minutes=number)


def _moment(number: int) -> datetime:
    return NOON + timedelta(minutes=number)


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Up to 18 events that can happen one after another; several may share a minute."""
    facts, events = Facts(), list[Event]()
    records = entities = relations = clock = 0
    small = st.integers(1, 3)
    for _ in range(draw(st.integers(4, 18))):
        clock += draw(st.sampled_from([0, 1, 1, 2]))
        verb = draw(st.sampled_from(_VERBS))
        text, embedded = draw(st.sampled_from(WORDS)), draw(_OFTEN)
        event = Event(clock, verb, draw(small), draw(small), relations + 1, text, embedded)
        if verb == "store":
            event = replace(event, one=records + 1)
        elif verb == "name":
            event = replace(event, one=entities + 1)
        elif verb in ("relate", "join"):
            event = replace(event, text=draw(st.sampled_from(["corrects", "supports"])))
        elif verb == "retract":
            event = replace(event, number=draw(st.integers(1, max(relations, 1))))
        elif verb == "assert":
            kind = draw(st.sampled_from(["record", "relation"]))
            target: Target = ("record", draw(small)) if kind == "record" else ("relation", draw(st.integers(1, 4)))
            event = replace(event, target=target, interval=draw(_INTERVALS))
        if not facts.allows(event):
            continue
        records += verb == "store"
        entities += verb == "name"
        relations += verb in ("relate", "join")
        facts.apply(event)
        events.append(event)
    return events


_VERBS: list[Verb] = [
    *("store", "name") * 3, *("revise", "relate", "join", "mention", "assert") * 2,
    "retract", "retract", "unmention", "delete", "forget",
]  # fmt: skip
_OFTEN = st.sampled_from([True, True, True, False])
_INTERVALS = st.tuples(st.none() | st.integers(0, 5), st.none() | st.integers(6, 12))


@dataclass(slots=True)
class Written:
    """Events as rows: statements by hand, whose times are then those of the events."""

    connection: psycopg.AsyncConnection[Any]
    model: ModelId
    records: dict[int, RecordId]
    entities: dict[int, EntityId]
    relations: dict[int, int]

    async def run(self, statement: LiteralString, **params: Any) -> list[tuple[Any, ...]]:
        cursor = await self.connection.execute(statement, params)
        return await cursor.fetchall() if cursor.description else []

    async def write(self, event: Event) -> None:
        await getattr(self, f"_{event.verb}")(event, _moment(event.at))

    async def _store(self, event: Event, at: datetime) -> None:
        ((number,),) = await self.run(
            """INSERT INTO records (agent_id, kind, content, created_at) VALUES ('ann', 'mem', %(text)s, %(at)s)
               RETURNING id""",
            text=_text(event),
            at=at,
        )
        self.records[event.one] = RecordId(number)
        await self._derive(event)

    async def _derive(self, event: Event) -> None:
        terms = index_terms(ANN, _text(event))
        await self.run(
            """INSERT INTO record_terms (agent_id, record_id, terms_version, project_id, channel, source_id, hashes,
                                         words, trigrams)
               VALUES ('ann', %(id)s, 1, '', '', '', %(hashes)s, %(words)s, %(trigrams)s)""",
            id=self.records[event.one], hashes=terms.hashes, words=terms.words, trigrams=terms.trigrams,
        )  # fmt: skip
        if event.embedded:
            await self.run(
                """INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, embedding)
                   VALUES ('ann', %(id)s, %(model)s, '', '', '', %(vector)s)""",
                id=self.records[event.one], model=self.model, vector=VECTORS[event.text],
            )  # fmt: skip

    async def _revise(self, event: Event, at: datetime) -> None:
        await self.run(
            "UPDATE records SET content = %(text)s WHERE id = %(id)s", text=_text(event), id=self.records[event.one]
        )
        await self.run(
            """WITH r AS (UPDATE records SET revised_at = %(at)s WHERE id = %(id)s RETURNING id, revision)
               UPDATE record_revisions v SET current_to = %(at)s FROM r
               WHERE v.record_id = r.id AND v.revision = r.revision - 1""",
            id=self.records[event.one],
            at=at,
        )
        await self._derive(event)

    async def _relate(self, event: Event, at: datetime) -> None:
        ends = {"one": self.records[event.one], "other": self.records[event.other]}
        ((number,),) = await self.run(
            """INSERT INTO relations (agent_id, project_id, channel, subject_record, predicate, normalized_predicate,
                                      object_record, declared_by, declared_at)
               VALUES ('ann', '', '', %(one)s, %(text)s, %(text)s, %(other)s, 'agent', %(at)s) RETURNING id""",
            text=event.text, at=at, **ends,
        )  # fmt: skip
        self.relations[event.number] = number

    async def _join(self, event: Event, at: datetime) -> None:
        ends = {"one": self.entities[event.one], "other": self.entities[event.other]}
        ((number,),) = await self.run(
            """INSERT INTO relations (agent_id, project_id, channel, subject_entity, predicate, normalized_predicate,
                                      object_entity, declared_by, declared_at)
               VALUES ('ann', '', '', %(one)s, %(text)s, %(text)s, %(other)s, 'agent', %(at)s) RETURNING id""",
            text=event.text, at=at, **ends,
        )  # fmt: skip
        self.relations[event.number] = number

    async def _retract(self, event: Event, at: datetime) -> None:
        await self.run("DELETE FROM relations WHERE id = %(id)s", id=self.relations[event.number])
        await self._date("UPDATE relation_history SET retracted_at = %(at)s WHERE retracted_at > '2026-06-01'", at)

    async def _name(self, event: Event, at: datetime) -> None:
        ((number,),) = await self.run(
            """INSERT INTO entities (agent_id, project_id, channel, name, declared_by, created_at)
               VALUES ('ann', '', '', %(name)s, 'agent', %(at)s) RETURNING id""",
            name=f"e{event.one}",
            at=at,
        )
        self.entities[event.one] = EntityId(number)
        await self.run(
            """INSERT INTO entity_aliases (agent_id, project_id, channel, normalized, entity_id, alias, is_name,
                                           created_at)
               VALUES ('ann', '', '', %(name)s, %(id)s, %(name)s, true, %(at)s)""",
            name=f"e{event.one}", id=number, at=at,
        )  # fmt: skip

    async def _mention(self, event: Event, at: datetime) -> None:
        await self.run(
            """INSERT INTO entity_mentions (agent_id, entity_id, record_id, declared_by, created_at)
               VALUES ('ann', %(entity)s, %(record)s, 'agent', %(at)s)""",
            entity=self.entities[event.other], record=self.records[event.one], at=at,
        )  # fmt: skip

    async def _unmention(self, event: Event, at: datetime) -> None:
        await self.run(
            "DELETE FROM entity_mentions WHERE entity_id = %(entity)s AND record_id = %(record)s",
            entity=self.entities[event.other],
            record=self.records[event.one],
        )
        await self._date("UPDATE mention_history SET retracted_at = %(at)s WHERE retracted_at > '2026-06-01'", at)

    async def _delete(self, event: Event, at: datetime) -> None:
        await self.run("DELETE FROM entities WHERE id = %(id)s", id=self.entities[event.one])
        await self._date("UPDATE entity_history SET deleted_at = %(at)s WHERE deleted_at > '2026-06-01'", at)
        await self._date("UPDATE alias_history SET deleted_at = %(at)s WHERE deleted_at > '2026-06-01'", at)
        await self._date("UPDATE relation_history SET retracted_at = %(at)s WHERE retracted_at > '2026-06-01'", at)
        await self._date("UPDATE mention_history SET retracted_at = %(at)s WHERE retracted_at > '2026-06-01'", at)

    async def _date(self, statement: LiteralString, at: datetime) -> None:
        await self.run(statement, at=at)

    async def _assert(self, event: Event, at: datetime) -> None:
        assert event.target is not None
        kind, number = event.target
        ids = {
            "record": self.records[number] if kind == "record" else None,
            "relation": self.relations[number] if kind == "relation" else None,
        }
        await self.run(
            """UPDATE validity_assertions SET superseded_at = %(at)s
               WHERE superseded_at IS NULL AND (record_id = %(record)s OR relation_id = %(relation)s)""",
            at=at,
            **ids,
        )
        begins, ends = event.interval
        await self.run(
            """INSERT INTO validity_assertions (agent_id, record_id, relation_id, valid_from, valid_to, asserted_by,
                                                recorded_at)
               VALUES ('ann', %(record)s, %(relation)s, %(begins)s, %(ends)s, 'agent', %(at)s)""",
            at=at, begins=minute(begins), ends=minute(ends), **ids,
        )  # fmt: skip

    async def _forget(self, event: Event, at: datetime) -> None:
        await self.run("DELETE FROM records WHERE id = %(id)s", id=self.records[event.one])


def _text(event: Event) -> str:
    return f"{event.text} r{event.one}"


async def check(written: Written, facts: Facts) -> None:
    """Every store function says what the facts say."""
    connection = written.connection
    record_of = {number: record for record, number in written.records.items()}
    entity_of = {number: entity for entity, number in written.entities.items()}
    relation_of = {number: relation for relation, number in written.relations.items()}
    records, entities = list(written.records.values()), list(written.entities.values())

    found = await load_records(connection, SCOPE, records)
    assert {record_of[one]: (stored.revision, stored.content) for one, stored in found.items()} == {
        record: (revision, f"{text} r{record}") for record, (revision, text, _) in facts.texts.items()
    }
    newest = await load_newest_records(connection, SCOPE, ALL)
    assert [record_of[stored.ref.id] for stored in newest] == sorted(facts.texts, reverse=True)

    for word in {text for _, text, _ in facts.texts.values()} or {WORDS[0]}:
        query = VectorQuery(np.array([WORDS[0] == word, WORDS[1] == word, WORDS[2] == word], np.float32), written.model)
        seen = await load_candidates(connection, SCOPE, question_terms(ANN, word), query, ALL)
        said = {record_of[one.record_id] for one in seen.rows if one.lexical_rank is not None}
        assert said == {record for record, (_, text, _) in facts.texts.items() if text == word}
        near = {record_of[one.record_id]: one.cosine for one in seen.rows if one.cosine is not None}
        vectors = {record: float(text == word) for record, (_, text, embedded) in facts.texts.items() if embedded}
        assert near == pytest.approx(vectors)

    links = await load_pool_links(connection, SCOPE, records)
    assert {(record_of[one.subject], one.predicate, record_of[one.object]) for one in links} == set(
        facts.between_records.values()
    )
    neighbours = await load_record_neighbours(connection, SCOPE, list(found), ALL)
    joined = [{one, other} for one, _, other in facts.between_records.values()]
    assert {record_of[one]: {record_of[far] for far in fars} for one, fars in neighbours.items()} == {
        one: set[int]().union(*(pair - {one} for pair in joined if one in pair))
        for one in facts.texts
        if any(one in pair for pair in joined)
    }

    standings = await load_standings(connection, SCOPE, starts_of(found.values()))
    stands = {record_of[one]: said for one, said in standings.items()}
    assert {
        one: {record_of[end.ref.id] for end in said.successors} for one, said in stands.items() if said.is_replaced
    } == {one: ends for one in facts.texts if (ends := facts.successors(one)) is not None}

    mentions = await load_pool_mentions(connection, SCOPE, records)
    assert {
        (record_of[one], entity_of[entity]) for one, named in mentions.items() for entity in named
    } == facts.mentions
    walked = await load_walk_records(connection, SCOPE, entities, [], ALL)
    assert {
        (record_of[one], entity_of[entity]) for entity, named in walked.items() for one in named.record_ids
    } == facts.mentions
    details = await load_details(connection, SCOPE, entities, ALL)
    assert {entity_of[entity] for entity in details.names} == facts.entities
    assert {
        (record_of[ref.id], entity_of[entity]) for entity, one in details.mentions.items() for ref in one.refs
    } == facts.mentions
    assert [relation_of[one.id] for one in details.relations] == sorted(
        facts.between_entities, key=lambda number: (-facts.declared[number], number)
    )

    edges = await load_walk_edges(connection, SCOPE, [written.entities[one] for one in sorted(facts.entities)])
    assert {
        entity_of[entity]: {entity_of[edge.to_entity]: relation_of[edge.relation_id] for edge in found}
        for entity, found in edges.items()
    } == {entity: facts.edges(entity) for entity in facts.entities}
    await _check_validity(written, facts, record_of, relation_of)


async def _check_validity(
    written: Written, facts: Facts, record_of: Mapping[RecordId, int], relation_of: Mapping[int, int]
) -> None:
    """What is true at each of some moments, of what is known."""
    connection, records = written.connection, list(written.records.values())
    entities = [written.entities[one] for one in sorted(facts.entities)]
    entity_of = {number: entity for entity, number in written.entities.items()}
    for minutes in (5, 8):
        moment = _moment(minutes)
        found = await load_records(connection, SCOPE, records, moment)
        states = {record_of[one]: stored.validity for one, stored in found.items()}
        assert {one: "timeless" if said is None else said.state.name.lower() for one, said in states.items()} == {
            one: facts.state(("record", one), minutes) for one in facts.texts
        }
        outside = await load_outside(connection, SCOPE, records, moment)
        assert {record_of[one] for one in outside} == {
            one for one in facts.texts if facts.is_outside("record", one, minutes)
        }
        links = await load_pool_links(connection, SCOPE, records, moment)
        assert {(record_of[one.subject], one.predicate, record_of[one.object]) for one in links} == {
            triple
            for number, triple in facts.between_records.items()
            if not facts.is_outside("relation", number, minutes)
        }
        edges = await load_walk_edges(connection, SCOPE, entities, valid_at=moment)
        assert {
            entity_of[entity]: {entity_of[edge.to_entity]: relation_of[edge.relation_id] for edge in joined}
            for entity, joined in edges.items()
        } == {entity: facts.edges(entity, minutes) for entity in facts.entities}
        walked = await load_walk_records(connection, SCOPE, entities, [], ALL, moment)
        assert {
            (record_of[one], entity_of[entity])
            for entity, mentioning in walked.items()
            for one in mentioning.record_ids
        } == {one for one in facts.mentions if not facts.is_outside("record", one[0], minutes)}


@pytest.fixture
async def connection(database_dsns: DatabaseDsns) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """The superuser, in the service's search path."""
    register(database_dsns.admin, 3)
    options = "-c search_path=rensou,public -c rensou.agent_id=ann"
    async with await psycopg.AsyncConnection.connect(database_dsns.admin, autocommit=True, options=options) as opened:
        await register_vector_async(opened)
        yield opened


async def _replay(connection: psycopg.AsyncConnection[Any], events: Sequence[Event], moment: int) -> None:
    cursor = await connection.execute("SELECT id FROM embedding_models")
    ((model,),) = await cursor.fetchall()
    written = Written(connection, ModelId(model), {}, {}, {})
    for event in events:
        await written.write(event)
    await look_back(connection, _moment(moment))
    await check(written, known_at(events, moment))


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(events=histories(), data=st.data())
async def test_what_was_known_is_what_a_replay_says(
    connection: psycopg.AsyncConnection[Any], events: list[Event], data: st.DataObject
) -> None:
    last = events[-1].at if events else 0
    moment = data.draw(st.integers(-1, last + 1))
    async with connection.transaction(force_rollback=True):
        await _replay(connection, events, moment)
