"""Hard forgetting takes a record and all that was derived from it, and nothing else."""

import asyncio

import grpc
import grpc.aio
import pytest

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import errors_pb2 as errors
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.stack import EmbeddedStack
from tests.e2e.harness import builds_settle, failure_of, found, get_contents, rows, store

LONG = "The council met about the harbour wall and the price of stone. " * 50
_COLUMNS = """
SELECT c.table_name, c.column_name FROM information_schema.columns c
WHERE c.table_schema = 'rensou' AND (
  c.column_name IN ('record_id', 'subject_record', 'object_record', 'anchor_record')
  OR (c.table_name, c.column_name) = ('records', 'id'))
ORDER BY 1, 2
"""


# Rows that name a record, an entity or a relation which is not there.
_DANGLING = """
WITH named (record_id, entity_id, relation_id) AS (
  SELECT record_id, NULL::bigint, NULL::bigint FROM record_nodes WHERE agent_id = %(agent)s
  UNION ALL SELECT record_id, NULL, NULL FROM record_vectors WHERE agent_id = %(agent)s
  UNION ALL SELECT record_id, NULL, NULL FROM record_terms WHERE agent_id = %(agent)s
  UNION ALL SELECT record_id, NULL, NULL FROM retired_vectors WHERE agent_id = %(agent)s
  UNION ALL SELECT record_id, NULL, NULL FROM retired_terms WHERE agent_id = %(agent)s
  UNION ALL SELECT record_id, NULL, NULL FROM record_retirements WHERE agent_id = %(agent)s
  UNION ALL SELECT record_id, NULL, NULL FROM node_builds WHERE agent_id = %(agent)s
  UNION ALL SELECT record_id, entity_id, NULL FROM entity_mentions WHERE agent_id = %(agent)s
  UNION ALL SELECT NULL, entity_id, NULL FROM entity_aliases WHERE agent_id = %(agent)s
  UNION ALL SELECT NULL, from_entity, relation_id FROM entity_edges WHERE agent_id = %(agent)s
  UNION ALL SELECT NULL, to_entity, relation_id FROM entity_edges WHERE agent_id = %(agent)s
  UNION ALL SELECT subject_record, subject_entity, NULL FROM relations WHERE agent_id = %(agent)s
  UNION ALL SELECT object_record, object_entity, NULL FROM relations WHERE agent_id = %(agent)s
  UNION ALL SELECT anchor_record, NULL, NULL FROM relations WHERE agent_id = %(agent)s
  UNION ALL SELECT record_id, NULL, relation_id FROM validity_assertions WHERE agent_id = %(agent)s
  UNION ALL SELECT NULL, NULL, relation_id FROM former_certainties WHERE agent_id = %(agent)s
)
SELECT count(*) FROM named n
WHERE n.record_id IS NOT NULL AND NOT EXISTS (SELECT FROM records r WHERE r.id = n.record_id)
   OR n.entity_id IS NOT NULL AND NOT EXISTS (SELECT FROM entities e WHERE e.id = n.entity_id)
   OR n.relation_id IS NOT NULL AND NOT EXISTS (SELECT FROM relations l WHERE l.id = n.relation_id)
"""


async def _traces(stack: EmbeddedStack, ref: str) -> dict[str, int]:
    """Rows that name the record, by TABLE.COLUMN, of every table; those without any left out."""
    number, counts = int(ref.partition(":")[2]), dict[str, int]()
    for table, column in await rows(stack.admin_dsn, _COLUMNS):
        ((count,),) = await rows(stack.admin_dsn, f"SELECT count(*) FROM {table} WHERE {column} = %s", number)
        counts[f"{table}.{column}"] = count
    return {name: count for name, count in counts.items() if count}


async def _forget(
    client: RensouClient, agent: str, *refs: str, mode: life.ForgetMode = life.FORGET_MODE_HARD
) -> list[life.ForgetResult]:
    request = life.ForgetRequest(agent_id=agent, refs=refs, mode=mode)
    return list((await client.lifecycle.Forget(request, timeout=60)).results)


async def _revise(client: RensouClient, agent: str, ref: str, content: str) -> None:
    request = life.ReviseRecordRequest(agent_id=agent, ref=ref, content=content)
    await client.lifecycle.ReviseRecord(request, timeout=60)


async def _traverse(client: RensouClient, agent: str, entity: str) -> rpc.TraverseResponse:
    request = rpc.TraverseRequest(scope=pb.ReadScope(agent_id=agent), entity=entity, max_hops=3)
    return await client.recall.Traverse(request, timeout=60)


def _mentions(*names: str) -> pb.Associations:
    return pb.Associations(entities=[pb.EntityDeclaration(name=name) for name in names])


async def test_hard_forgetting_leaves_no_row_of_the_record_in_any_table(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B18"""
    relation = pb.RelationDeclaration(subject="Ann", predicate="chairs", object="Council")
    names = pb.Associations(entities=[pb.EntityDeclaration(name="Ann")], relations=[relation])
    ref = (await store(client, agent, "first draft", associations=names, caller_id="k", validity=pb.Validity())).ref
    await _revise(client, agent, ref, LONG)
    await builds_settle(stack.admin_dsn, agent)
    before = await _traces(stack, ref)
    derived = {"record_nodes", "record_vectors", "record_terms", "record_revisions", "node_builds", "entity_mentions"}
    assert {name.partition(".")[0] for name in before} >= derived | {
        "records",
        "relations",
        "record_caller_ids",
        "validity_assertions",
    }
    (result,) = await _forget(client, agent, ref)
    assert await _traces(stack, ref) == {}
    gone = result.forgotten
    assert (gone.revisions, gone.vectors, gone.terms, gone.relations, gone.caller_ids) == (1, 1, 1, 1, 1)
    assert gone.nodes == before["record_nodes.record_id"] > 1 and gone.builds >= 1 and gone.mentions >= 1


async def test_what_is_no_ref_costs_the_others_nothing(client: RensouClient, agent: str) -> None:
    ref = (await store(client, agent, "a short note")).ref
    bad, gone, again, unknown = await _forget(client, agent, "note 7", ref, ref, "mem:9223372036854775807")
    assert (bad.ref, again.ref, gone.forgotten.vectors) == ("note 7", ref, 1)
    assert [one.refused for one in (bad, again)] == [errors.ERROR_REASON_INVALID_FIELD] * 2
    assert unknown.refused == errors.ERROR_REASON_RECORD_NOT_FOUND


async def test_a_forgotten_record_is_found_by_nobody_and_forgotten_once(client: RensouClient, agent: str) -> None:
    """B18"""
    ref = (await store(client, agent, "The harbour is closed.")).ref
    other = (await store(client, agent, "The harbour is open.")).ref
    await _forget(client, agent, ref)
    assert await found(client, agent, "harbour") == [other] == await found(client, agent, "")
    (one,) = (await get_contents(client, agent, ref)).unresolved
    assert one.reason == rpc.UNRESOLVED_REASON_NOT_FOUND
    (again,) = await _forget(client, agent, ref)
    assert again.WhichOneof("result") == "refused"


async def test_a_forgotten_text_that_is_stored_again_is_a_new_record(client: RensouClient, agent: str) -> None:
    """Lifecycle"""
    first = await store(client, agent, "The harbour is closed.", caller_id="k")
    await _forget(client, agent, first.ref)
    second = await store(client, agent, "The harbour is closed.", caller_id="k")
    assert second.outcome == rpc.STORE_OUTCOME_STORED and second.ref != first.ref
    assert await found(client, agent, "harbour") == [second.ref]


async def test_an_entity_keeps_its_other_mentions_and_one_without_any_is_listed(
    client: RensouClient, agent: str
) -> None:
    """B18"""
    r1 = (await store(client, agent, "Ann met Bob.", associations=_mentions("Ann", "Bob"))).ref
    r2 = (await store(client, agent, "Ann went home.", associations=_mentions("Ann"))).ref
    await _forget(client, agent, r1)
    (ann,) = (await _traverse(client, agent, "Ann")).entities
    (bob,) = (await _traverse(client, agent, "Bob")).entities
    assert (list(ann.mentions), list(bob.mentions)) == ([r2], [])
    health = await client.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent), timeout=60)
    orphans = [issue for issue in health.issues if issue.check == "orphan_entities"]
    assert [list(issue.refs) for issue in orphans] == [[bob.ref]]


async def test_forgetting_a_record_and_then_deleting_an_entity_leaves_nothing_of_either(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B18"""
    knows = pb.RelationDeclaration(subject="Ann", predicate="knows", object="Bob")
    entities = [pb.EntityDeclaration(name="Ann", aliases=["Annie"]), pb.EntityDeclaration(name="Bob")]
    both = pb.Associations(entities=entities, relations=[knows])
    r1 = (await store(client, agent, LONG, associations=both)).ref
    r2 = (await store(client, agent, "Ann went home.", associations=_mentions("Ann"))).ref
    await builds_settle(stack.admin_dsn, agent)
    await _forget(client, agent, r1)
    (ann,) = (await _traverse(client, agent, "Annie")).entities
    (bob,) = (await _traverse(client, agent, "Bob")).entities
    assert (list(ann.mentions), list(bob.mentions)) == ([r2], [])
    request = assoc.DeleteEntityRequest(agent_id=agent, ref=ann.ref)
    deleted = await client.associations.DeleteEntity(request, timeout=60)
    assert (deleted.aliases, deleted.mentions, deleted.relations) == (1, 1, 0)
    assert await rows(stack.admin_dsn, _DANGLING.replace("%(agent)s", f"'{agent}'")) == [(0,)]
    for asked in ("Ann", "Annie", ann.ref):
        failure = await failure_of(_traverse(client, agent, asked))
        assert (failure.code.name, failure.reason) == ("NOT_FOUND", "ENTITY_NOT_FOUND")
    assert [entity.ref for entity in (await _traverse(client, agent, "Bob")).entities] == [bob.ref]
    listed = await client.associations.ListEntities(assoc.ListEntitiesRequest(scope=pb.ReadScope(agent_id=agent)))
    assert [entity.ref for entity in listed.entities] == [bob.ref]
    health = await client.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent), timeout=60)
    assert [(issue.check, list(issue.refs)) for issue in health.issues] == [("orphan_entities", [bob.ref])]
    assert await found(client, agent, "Ann") == [r2]


async def test_deleting_entities_while_others_store_declare_and_forget_never_fails(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B18"""
    knows = pb.RelationDeclaration(subject="Ann", predicate="knows", object="Bob")
    both = pb.Associations(entities=[pb.EntityDeclaration(name="Ann", aliases=["Annie"])], relations=[knows])
    refs = [(await store(client, agent, f"note {number}", associations=both)).ref for number in range(8)]

    async def delete_all() -> int:
        asked = assoc.ListEntitiesRequest(scope=pb.ReadScope(agent_id=agent))
        listed = (await client.associations.ListEntities(asked, timeout=60)).entities
        gone = 0
        for entity in listed:
            try:
                request = assoc.DeleteEntityRequest(agent_id=agent, ref=entity.ref)
                await client.associations.DeleteEntity(request, timeout=60)
                gone += 1
            except grpc.aio.AioRpcError as error:
                # Another one was first.
                if error.code() is not grpc.StatusCode.NOT_FOUND:
                    raise
        return gone

    stored, deleted, _ = await asyncio.gather(
        asyncio.gather(*(store(client, agent, f"new {number}", associations=both) for number in range(24))),
        asyncio.gather(*(delete_all() for _ in range(6))),
        asyncio.gather(*(_forget(client, agent, ref) for ref in refs)),
    )
    assert all(one.associations.mentions == 1 and not one.associations.dropped for one in stored)
    assert sum(deleted) >= 2
    assert await rows(stack.admin_dsn, _DANGLING.replace("%(agent)s", f"'{agent}'")) == [(0,)]
    await delete_all()
    health = await client.admin.CheckHealth(admin.CheckHealthRequest(agent_id=agent), timeout=60)
    assert health.records == 24 and not {one.check for one in health.issues} - {"missing_vectors", "missing_nodes"}


async def test_a_relation_leaves_with_the_record_at_its_end_and_with_its_anchor(
    client: RensouClient, stack: EmbeddedStack, agent: str
) -> None:
    """B18"""
    end, anchor, stays = [(await store(client, agent, text)).ref for text in ("an end", "an anchor", "stays")]

    def relation(subject: str, target: str) -> pb.Associations:
        one = pb.RelationDeclaration(subject=subject, predicate="knows", object=target)
        return pb.Associations(relations=[one])

    for declared, at in ((relation(end, "Ann"), stays), (relation("Ann", "Bob"), anchor), (relation("Ann", "Cy"), "")):
        await client.associations.DeclareAssociations(
            assoc.DeclareAssociationsRequest(scope=pb.WriteScope(agent_id=agent), associations=declared, anchor_ref=at),
            timeout=60,
        )
    await _forget(client, agent, end, anchor)
    walk = await _traverse(client, agent, "Ann")
    assert [entity.name for entity in walk.entities] == ["Ann", "Cy"] and len(walk.relations) == 1
    left = await rows(
        stack.admin_dsn,
        "SELECT FROM entity_edges e WHERE e.agent_id = %s AND NOT EXISTS ("
        " SELECT FROM relations r WHERE r.agent_id = e.agent_id AND r.id = e.relation_id)",
        agent,
    )
    assert left == []


@pytest.mark.parametrize("mode", [life.FORGET_MODE_TOMBSTONE])
async def test_a_mode_that_is_not_there_is_refused_and_the_record_untouched(
    client: RensouClient, agent: str, mode: life.ForgetMode
) -> None:
    """Lifecycle"""
    ref = (await store(client, agent, "The harbour is closed.")).ref
    failure = await failure_of(_forget(client, agent, ref, mode=mode))
    assert (failure.code.name, failure.reason) == ("UNIMPLEMENTED", "UNSUPPORTED_MODE")
    assert await found(client, agent, "harbour") == [ref]


async def test_one_ref_that_is_unknown_or_locked_is_refused_and_the_others_go(client: RensouClient, agent: str) -> None:
    """Lifecycle"""
    goes, locked = [(await store(client, agent, text)).ref for text in ("goes", "locked")]
    await client.lifecycle.LockRecord(life.LockRecordRequest(agent_id=agent, ref=locked), timeout=60)
    results = await _forget(client, agent, locked, "mem:999999999", goes, goes.replace("mem", "ep"))
    assert [result.WhichOneof("result") for result in results] == ["refused", "refused", "forgotten", "refused"]
    assert await found(client, agent, "") == [locked]


async def test_forgetting_while_others_store_and_declare_never_fails(client: RensouClient, agent: str) -> None:
    """B18"""
    refs = [(await store(client, agent, f"note {number}", associations=_mentions("Ann"))).ref for number in range(20)]
    await asyncio.gather(
        *(_forget(client, agent, ref) for ref in refs),
        *(store(client, agent, f"new {number}", associations=_mentions("Ann", f"N{number}")) for number in range(20)),
    )
    (ann, *_) = (await _traverse(client, agent, "Ann")).entities
    assert len(ann.mentions) == 20 and not set(ann.mentions) & set(refs)
