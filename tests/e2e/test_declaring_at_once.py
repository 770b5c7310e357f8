"""Fifty writers declare, store, take back and forget at once: no error, nothing twice, nothing lost, no stale edge."""

import asyncio
from collections.abc import Awaitable
from typing import Any

from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import TIMEOUT_S, memory, rows, store, store_many
from tests.e2e.naming import declare, dropped, named, related

_NAMES = tuple(f"n{number}" for number in range(10))
_WRITERS = 10
_ROUNDS = 3

_DEADLOCKS = "SELECT d.deadlocks FROM pg_stat_database d WHERE d.datname = current_database()"
# A session says what it counted once a second.
_COUNTED_S = 1.5

_RELATIONS = """
SELECT coalesce(s.name, 'mem'), r.predicate, coalesce(o.name, 'mem'), a.content
FROM relations r
LEFT JOIN entities s ON s.agent_id = r.agent_id AND s.id = r.subject_entity
LEFT JOIN entities o ON o.agent_id = r.agent_id AND o.id = r.object_entity
LEFT JOIN records a ON a.agent_id = r.agent_id AND a.id = r.anchor_record
WHERE r.agent_id = %s ORDER BY 1, 2, 3, 4
"""
_MENTIONS = """
SELECT e.name, r.content FROM entity_mentions m
JOIN entities e ON e.agent_id = m.agent_id AND e.id = m.entity_id
JOIN records r ON r.agent_id = m.agent_id AND r.id = m.record_id
WHERE m.agent_id = %s ORDER BY 1, 2
"""
# Of every pair and direction the newest relation, and nothing else.
_WRONG_EDGES = """
WITH newest AS (
  SELECT DISTINCT ON (x.a, x.b) x.a, x.b, r.id, r.declared_at
  FROM relations r
  CROSS JOIN LATERAL (VALUES (r.subject_entity, r.object_entity), (r.object_entity, r.subject_entity)) AS x (a, b)
  WHERE r.agent_id = %(agent)s AND r.subject_entity IS NOT NULL AND r.object_entity IS NOT NULL
  ORDER BY x.a, x.b, r.declared_at DESC, r.id
)
SELECT n.a, n.b, n.id, e.from_entity, e.to_entity, e.relation_id
FROM newest n
FULL JOIN (SELECT * FROM entity_edges WHERE agent_id = %(agent)s) e
  ON (e.from_entity, e.to_entity, e.relation_id, e.declared_at) = (n.a, n.b, n.id, n.declared_at)
WHERE n.id IS NULL OR e.relation_id IS NULL
"""


def _ring(predicate: str, turn: int) -> list[pb.RelationDeclaration]:
    """Ten relations around the names, from another start each time, so that writers name them in other orders."""
    places = [(turn + step) % 10 for step in range(10)]
    return related(*((_NAMES[place], predicate, _NAMES[(place + 1) % 10]) for place in places))


def _all_names(turn: int) -> list[pb.EntityDeclaration]:
    return named(*(_NAMES[(turn + step) % 10] for step in range(10)))


class _Writers:
    """What each of the kinds of writers does, in turn `turn` of writer `number`."""

    def __init__(self, client: RensouClient, agent: str, shared: list[str]) -> None:
        self._client = client
        self._agent = agent
        self._shared = shared
        self.reports: list[pb.AssociationReport] = []

    async def stores(self, number: int, turn: int) -> None:
        """One record with a ring of its own."""
        graph = pb.Associations(entities=_all_names(number), relations=_ring("stored", number))
        answer = await store(self._client, self._agent, f"store {number} {turn}", associations=graph)
        self.reports.append(answer.associations)

    async def stores_batches(self, number: int, turn: int) -> None:
        """A text of its own and one that every batch holds, both with the same ring."""
        graph = pb.Associations(entities=_all_names(turn), relations=_ring("batched", number))
        texts = [f"batch {number} {turn}", "the text of all batches"]
        items = [memory(self._agent, text, associations=graph) for text in (texts if number % 2 else reversed(texts))]
        request = rpc.BatchStoreRequest(requests=items)
        answer = await self._client.recall.BatchStore(request, timeout=TIMEOUT_S)
        assert all(result.HasField("response") for result in answer.results), answer
        self.reports += [result.response.associations for result in answer.results]

    async def declares(self, number: int, turn: int) -> None:
        """The same ring on the same record as every other writer of its kind, and relations between two records."""
        pair = self._shared[:2] if number % 2 else self._shared[1::-1]
        sent = [*_ring("declared", number), *related((pair[0], "qualifies", pair[1]))]
        answer = await declare(
            self._client, self._agent, anchor_ref=self._shared[0], entities=_all_names(number), relations=sent
        )
        self.reports.append(answer.report)

    async def takes_back(self, number: int, turn: int) -> None:
        """Declares a relation parallel to those of the rings, and a mention, and takes both back."""
        mine = await declare(
            self._client,
            self._agent,
            anchor_ref=self._shared[1],
            entities=named(f"own {number}"),
            relations=related((_NAMES[number], f"own {number}", _NAMES[(number + 1) % 10])),
        )
        self.reports.append(mine.report)
        entity, relation = mine.report.entities[0].ref, mine.report.relations[0].ref
        retract = assoc.Retraction(
            relations=[relation], mentions=[assoc.MentionRef(entity=entity, ref=self._shared[1])]
        )
        answer = await declare(self._client, self._agent, retract=retract)
        assert (answer.retracted.relations, answer.retracted.mentions) == (1, 1)

    async def forgets(self, number: int, turn: int) -> None:
        """Stores three records with rings and forgets them, while others may declare on them."""
        graph = pb.Associations(entities=_all_names(turn), relations=_ring("forgotten", number))
        texts = [f"forget {number} {turn} {place}" for place in range(3)]
        refs = await store_many(self._client, self._agent, texts, associations=graph)
        doomed = declare(
            self._client, self._agent, anchor_ref=refs[1], relations=related((refs[2], "p", refs[0]), ("n0", "p", "n1"))
        )
        _, answer = await _together(self._forget(refs), doomed)
        left = [one.ref for one in answer.report.relations]
        await declare(self._client, self._agent, retract=assoc.Retraction(relations=left or ["rel:1"]))

    async def _forget(self, refs: list[str]) -> None:
        request = life.ForgetRequest(agent_id=self._agent, refs=refs, mode=life.FORGET_MODE_HARD)
        await self._client.lifecycle.Forget(request, timeout=TIMEOUT_S)

    async def work(self, number: int) -> None:
        """Everything that writer `number` of each kind does, at once."""
        kinds = (self.stores, self.stores_batches, self.declares, self.takes_back, self.forgets)
        for turn in range(_ROUNDS):
            await _together(*(kind(number, turn) for kind in kinds))


async def _together(*work: Awaitable[Any]) -> list[Any]:
    """Everything at once; nothing may fail."""
    answers = await asyncio.gather(*work, return_exceptions=True)
    assert [answer for answer in answers if isinstance(answer, BaseException)] == []
    return answers


async def test_fifty_writers_at_once_lose_nothing_and_double_nothing(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    shared = await store_many(client, agent, ["shared 0", "shared 1"])
    deadlocks = await rows(stack.admin_dsn, _DEADLOCKS)
    writers = _Writers(client, agent, shared)
    await _together(*(writers.work(number) for number in range(_WRITERS)))
    await asyncio.sleep(_COUNTED_S)
    assert await rows(stack.admin_dsn, _DEADLOCKS) == deadlocks

    entities = await rows(stack.admin_dsn, "SELECT name FROM entities WHERE agent_id = %s ORDER BY name", agent)
    assert [name for (name,) in entities] == sorted([*_NAMES, *(f"own {number}" for number in range(_WRITERS))])
    stored = [f"store {number} {turn}" for number in range(_WRITERS) for turn in range(_ROUNDS)]
    batched = [f"batch {number} {turn}" for number in range(_WRITERS) for turn in range(_ROUNDS)]
    everyones = "the text of all batches"
    ring = [(_NAMES[place], _NAMES[(place + 1) % 10]) for place in range(10)]
    expected = [(one, "stored", other, text) for one, other in ring for text in stored]
    expected += [(one, "batched", other, text) for one, other in ring for text in (*batched, everyones)]
    expected += [(one, "declared", other, "shared 0") for one, other in ring]
    expected += [("mem", "qualifies", "mem", "shared 0")] * 2
    assert sorted(await rows(stack.admin_dsn, _RELATIONS, agent)) == sorted(expected)
    texts = [*stored, *batched, everyones, "shared 0"]
    mentions = [(name, text) for name in _NAMES for text in texts]
    assert sorted(await rows(stack.admin_dsn, _MENTIONS, agent)) == sorted(mentions)
    assert await rows(stack.admin_dsn, _WRONG_EDGES.replace("%(agent)s", f"'{agent}'")) == []
    kept = await rows(stack.admin_dsn, "SELECT count(*) FROM records WHERE agent_id = %s", agent)
    assert kept == [(len(texts) + 1,)]

    assert [drop for report in writers.reports for drop in dropped(report)] == []
    created = [entity.name for report in writers.reports for entity in report.entities if entity.created]
    assert len(created) == len(set(created)), "an entity is created once, whoever says so"


async def test_a_record_stored_twice_takes_what_the_second_call_declares(client: RensouClient, agent: str) -> None:
    first = await store(client, agent, "the text", associations=pb.Associations(entities=named("Ann")))
    again = await store(client, agent, "the text", associations=pb.Associations(entities=named("Ann", "Bob")))
    assert (again.outcome, again.ref) == (rpc.STORE_OUTCOME_SKIPPED_DUPLICATE, first.ref)
    assert again.associations.mentions == 1
    retract = assoc.Retraction(
        mentions=[assoc.MentionRef(entity=entity.ref, ref=first.ref) for entity in again.associations.entities]
    )
    assert (await declare(client, agent, retract=retract)).retracted.mentions == 2


_REFUSE = """
CREATE FUNCTION rensou.refuse_for_a_test() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.agent_id = '{agent}' AND NEW.predicate = 'is refused' THEN RAISE EXCEPTION 'no'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_for_a_test BEFORE INSERT ON rensou.relations
FOR EACH ROW EXECUTE FUNCTION rensou.refuse_for_a_test();
"""


async def test_what_the_database_refuses_of_a_declaration_costs_no_record(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    refused = pb.Associations(entities=named("Ann"), relations=related(("Ann", "is refused", "Bob")))
    kept = pb.Associations(entities=named("Cid"))
    await rows(stack.admin_dsn, _REFUSE.replace("{agent}", agent))
    try:
        items = [memory(agent, text, associations=graph) for text, graph in (("two", refused), ("three", kept))]
        one, batch = await _together(
            store(client, agent, "one", associations=refused),
            client.recall.BatchStore(rpc.BatchStoreRequest(requests=items), timeout=TIMEOUT_S),
        )
    finally:
        await rows(stack.admin_dsn, "DROP FUNCTION rensou.refuse_for_a_test CASCADE")
    two, three = [result.response for result in batch.results]
    assert {answer.outcome for answer in (one, two, three)} == {rpc.STORE_OUTCOME_STORED}
    assert dropped(one.associations) == dropped(two.associations) == [("associations", "FAILED")]
    assert dropped(three.associations) == [] and three.associations.mentions == 1
    entities = await rows(stack.admin_dsn, "SELECT name FROM entities WHERE agent_id = %s", agent)
    assert entities == [("Cid",)]
