"""Two agents in one database: what belongs to one, and what the other may see of it, which is nothing."""

from dataclasses import dataclass

import psycopg
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp
from psycopg import sql

from rensou.v1 import association_service_pb2 as associations_rpc
from rensou.v1 import feedback_service_pb2 as feedback_rpc
from rensou.v1 import lifecycle_service_pb2 as lifecycle_rpc
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient

OWNER, STRANGER = "owner", "stranger"
SECRET = "zanzibar"
"""Stands in every text of the owner's, and in none of the stranger's."""
SHARED_NAME = "Common Name"
"""An entity of this name is declared by both."""
TWINS = ("the words that both have said", "the other words that both have said")
TOLD_AT = Timestamp(seconds=1_750_000_000)
LONG = f"{SECRET} is told at length. " * 40

_TABLES = """
SELECT c.relname
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'agent_id'
WHERE c.relnamespace = 'rensou'::regnamespace AND c.relkind = 'r'
ORDER BY c.relname
"""
# What the worker would have made, and what CheckHealth would find.
_NODES = """
INSERT INTO rensou.record_nodes (agent_id, record_id, node_index, start_char, end_char, token_count, token_window,
                                 model_id, divider_version, embedding)
SELECT v.agent_id, v.record_id, i, i * 100, (i + 1) * 100, 1, m.token_window, m.id, 1, v.embedding
FROM rensou.record_vectors v
JOIN rensou.embedding_models m ON m.id = v.model_id
CROSS JOIN generate_series(0, 1) AS i
WHERE v.record_id = %(long)s
"""
# A place that is full, for whoever takes it for his own.
_POLICIES = """
INSERT INTO rensou.retention_policies (agent_id, project_id, channel, name, tests, put_by, put_at)
SELECT 'owner', '', '', CASE WHEN i = 0 THEN %(secret)s ELSE 'p' || i END, '{"older_than_days": 1}', 'agent', now()
FROM generate_series(0, 31) AS i
"""
_DEAD = "UPDATE rensou.node_builds SET state = 'dead' WHERE record_id = %(memory)s"
_UNEMBEDDED = "DELETE FROM rensou.record_vectors WHERE record_id = %(episode)s"
_ASSERTED = """
INSERT INTO rensou.validity_assertions (agent_id, record_id, relation_id, valid_from, asserted_by, recorded_at)
VALUES ('owner', %(memory)s, NULL, '2026-01-01Z', 'agent', now()),
       ('owner', NULL, %(relation)s, '2026-01-01Z', 'agent', now())
"""
_CERTAIN = """
INSERT INTO rensou.former_certainties (agent_id, relation_id, certainty, superseded_at)
VALUES ('owner', %(relation)s, 'vague', now())
"""


@dataclass(frozen=True, slots=True)
class World:
    """The owner's refs, as strings; `own` is a record of the stranger's; at `past` more was known than now.

    `recall` is the id of a recall of the owner's that is on record.
    """

    memory: str
    episode: str
    long: str
    entity: str
    relation: str
    foreign_refs: frozenset[str]
    retired: str
    own: str
    past: Timestamp
    recall: str


def agent_tables(admin: str) -> list[str]:
    """The tables that hold agents' data."""
    with psycopg.connect(admin) as connection:
        return [str(row[0]) for row in connection.execute(_TABLES)]


def owners_rows(admin: str) -> dict[str, list[str]]:
    """Every row of the owner's, as text, by table."""
    rows: dict[str, list[str]] = {}
    for table in agent_tables(admin):
        statement = sql.SQL("SELECT t::text FROM rensou.{} t WHERE t.agent_id = %s ORDER BY 1").format(
            sql.Identifier(table)
        )
        with psycopg.connect(admin) as connection:
            rows[table] = [str(row[0]) for row in connection.execute(statement, (OWNER,))]
    return rows


def twin(agent_id: str, text: str, associations: pb.Associations | None = None) -> rpc.StoreRequest:
    """A record that both agents store, alike in everything but the agent."""
    return rpc.StoreRequest(
        scope=pb.WriteScope(agent_id=agent_id),
        memory=rpc.MemoryContent(content=text),
        caller_id=f"caller of {text}",
        source=pb.Source(type="User", id="chat:1"),
        session_id="session",
        occurred_time=TOLD_AT,
        associations=associations,
    )


def _number(ref: str) -> int:
    return int(ref.partition(":")[2])


async def _store(client: RensouClient, request: rpc.StoreRequest) -> rpc.StoreResponse:
    answer: rpc.StoreResponse = await client.recall.Store(request)
    assert answer.outcome == rpc.STORE_OUTCOME_STORED
    return answer


async def _store_owners(client: RensouClient) -> list[rpc.StoreResponse]:
    scope = pb.WriteScope(agent_id=OWNER)
    tower = pb.EntityDeclaration(
        name=f"{SECRET} tower", aliases=["by traverse", "by store", "by batch", "by declare", "by question"]
    )
    graph = pb.Associations(
        entities=[tower, pb.EntityDeclaration(name=SHARED_NAME)],
        relations=[
            pb.RelationDeclaration(subject=f"{SECRET} tower", predicate=f"{SECRET} guards", object=f"{SECRET} keeper"),
            pb.RelationDeclaration(subject=SHARED_NAME, predicate="lives in", object=f"{SECRET} tower"),
            pb.RelationDeclaration(subject=SHARED_NAME, predicate="lives in", object=f"{SECRET} palace"),
        ],
    )
    told = {"metadata": ParseDict({"key": SECRET}, Struct()), "source": pb.Source(id=f"{SECRET}:1", name=SECRET)}
    memory = rpc.MemoryContent(content=f"the {SECRET} code lies under the green stone, says {SHARED_NAME}")
    once = pb.Validity(valid_to=TOLD_AT)
    episode = rpc.EpisodeContent(summary=f"a day in {SECRET}", started_time=TOLD_AT, ended_time=TOLD_AT)
    return [
        await _store(
            client, rpc.StoreRequest(scope=scope, memory=memory, caller_id=SECRET, associations=graph, **told)
        ),
        await _store(client, rpc.StoreRequest(scope=scope, episode=episode, associations=graph, validity=once, **told)),
        await _store(client, rpc.StoreRequest(scope=scope, memory=rpc.MemoryContent(content=LONG))),
        *[await _store(client, twin(OWNER, text)) for text in TWINS],
    ]


async def _retire_one(client: RensouClient) -> str:
    content = rpc.MemoryContent(content=f"{SECRET} had a code before")
    stored = await _store(
        client, rpc.StoreRequest(scope=pb.WriteScope(agent_id=OWNER), memory=content, caller_id=f"{SECRET} before")
    )
    await client.lifecycle.Forget(
        lifecycle_rpc.ForgetRequest(agent_id=OWNER, refs=[stored.ref], mode=lifecycle_rpc.FORGET_MODE_RETIRE)
    )
    return stored.ref


async def seed(client: RensouClient, admin: str) -> World:
    """Both agents' data, the owner's of every kind that there is."""
    stored = await _store_owners(client)
    memory, episode, long, *_ = (one.ref for one in stored)
    linked: associations_rpc.DeclareAssociationsResponse = await client.associations.DeclareAssociations(
        associations_rpc.DeclareAssociationsRequest(
            scope=pb.WriteScope(agent_id=OWNER),
            associations=pb.Associations(
                entities=[pb.EntityDeclaration(name=f"{SECRET} orphan")],
                relations=[pb.RelationDeclaration(subject=memory, predicate="supersedes", object=long)],
            ),
        )
    )
    await client.lifecycle.ReviseRecord(
        lifecycle_rpc.ReviseRecordRequest(agent_id=OWNER, ref=memory, content=f"the {SECRET} code is 1234")
    )
    retired = await _retire_one(client)
    with psycopg.connect(admin) as connection:
        connection.execute(_POLICIES, {"secret": SECRET})
        for statement in (_NODES, _DEAD, _UNEMBEDDED):
            connection.execute(
                statement, {"long": _number(long), "memory": _number(memory), "episode": _number(episode)}
            )
        connection.execute(_CERTAIN, {"relation": _number(stored[0].associations.relations[0].ref)})
    past = await _take_back(client, admin, memory)
    asked = rpc.RecallRequest(scope=pb.ReadScope(agent_id=OWNER), query=SECRET, report=True)
    recalled = await client.recall.Recall(asked)
    wrong = feedback_rpc.UseReport(ref=memory, verdict=feedback_rpc.USE_VERDICT_WRONG)
    await client.feedback.ReportUse(
        feedback_rpc.ReportUseRequest(agent_id=OWNER, recall_id=recalled.recall_id, items=[wrong])
    )
    own = await _store_strangers(client)
    reports = [stored[0].associations, stored[1].associations, linked.report]
    declared = [one.ref for report in reports for one in (*report.entities, *report.relations)]
    return World(
        memory,
        episode,
        long,
        entity=stored[0].associations.entities[0].ref,
        relation=stored[0].associations.relations[0].ref,
        foreign_refs=frozenset([*declared, *(one.ref for one in stored), retired]),
        retired=retired,
        own=own,
        past=past,
        recall=recalled.recall_id,
    )


async def _take_back(client: RensouClient, admin: str, memory: str) -> Timestamp:
    """When a relation, a mention and an entity of the owner's stood that stand no more."""
    names = [f"{SECRET} ruin", f"{SECRET} ghost"]
    report = (
        await client.associations.DeclareAssociations(
            associations_rpc.DeclareAssociationsRequest(
                scope=pb.WriteScope(agent_id=OWNER),
                anchor_ref=memory,
                associations=pb.Associations(
                    entities=[pb.EntityDeclaration(name=name) for name in names],
                    relations=[pb.RelationDeclaration(subject=names[0], predicate=f"{SECRET} hides", object=names[1])],
                ),
            )
        )
    ).report
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(_ASSERTED, {"relation": _number(report.relations[0].ref), "memory": _number(memory)})
        rows = connection.execute("SELECT clock_timestamp()").fetchall()
    mention = associations_rpc.MentionRef(entity=report.entities[1].ref, ref=memory)
    taken = associations_rpc.Retraction(relations=[report.relations[0].ref], mentions=[mention])
    await client.associations.DeclareAssociations(
        associations_rpc.DeclareAssociationsRequest(scope=pb.WriteScope(agent_id=OWNER), retract=taken)
    )
    await client.associations.DeleteEntity(
        associations_rpc.DeleteEntityRequest(agent_id=OWNER, ref=report.entities[0].ref)
    )
    past = Timestamp()
    past.FromDatetime(rows[0][0])
    return past


async def _store_strangers(client: RensouClient) -> str:
    graph = pb.Associations(
        entities=[pb.EntityDeclaration(name=SHARED_NAME)],
        relations=[
            pb.RelationDeclaration(subject=SHARED_NAME, predicate="lives in", object=f"a {size} house")
            for size in ("small", "big")
        ],
    )
    scope = pb.WriteScope(agent_id=STRANGER)
    memory = rpc.MemoryContent(content=f"nothing is known of it, says {SHARED_NAME}")
    return (await _store(client, rpc.StoreRequest(scope=scope, memory=memory, associations=graph))).ref
