"""Confidence through the service's pipelines: what is stated, who supports it, what the call may not read, and that it
changes nothing else."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from rensou_recall.convert.reconstruct import encode_reconstruct
from rensou_recall.convert.retrieval import encode_recall
from rensou_recall.pipelines.confidence import Weighed, load_confidences
from rensou_recall.pipelines.reconstruct import reconstruct
from rensou_recall.store.confidence import load_attestations
from rensou_recall.store.known_at import reading
from rensou_recall.types.certainty import Certainty
from rensou_recall.types.confidence import MAX_SUPPORTS, Ground, MemoryConfidence
from rensou_recall.types.evidence import Reconstruction, ReconstructQuestion
from rensou_recall.types.graph import Associations, DropReason, RelationDeclaration
from rensou_recall.types.records import Source
from rensou_recall.types.retrieval import Fusion, GateLevel
from rensou_recall.types.storing import StoreOutcome
from rensou_shared.ids import AgentId, parse_record_ref
from rensou_shared.scope import ReadScope, WriteScope
from tests.conftest import DatabaseDsns
from tests.integration import rensou_world
from tests.integration.rensou_world import ANN, BOUNDS, EVERYTHING, NOON, Rensou
from tests.integration.validity_world import asks, assembles, keep, years

rensou = rensou_world.rensou
QUESTION = "Where does Mira live?"
CLAIM = "Mira does live in Sapporo."
MIRA = Source("chat", "mira")


async def claim(rensou: Rensou, source: Source = MIRA, certainty: Certainty | None = None) -> str:
    return str((await keep(rensou, CLAIM, source=source, certainty=certainty)).ref)


async def relate(rensou: Rensou, subject: str, predicate: str, obj: str, scope: WriteScope | None = None) -> None:
    said = Associations(relations=(RelationDeclaration(subject, predicate, obj),))
    note = f"note {subject} {predicate} {obj}".replace(":", " ")
    result = await keep(rensou, note, scope=scope or WriteScope(ANN, "", ""), associations=said)
    assert result.report is not None and not result.report.dropped


async def witness(rensou: Rensou, text: str, source: str, obj: str, predicate: str = "supports", **fields: Any) -> str:
    ref = str((await keep(rensou, text, source=Source("chat", source), **fields)).ref)
    await relate(rensou, ref, predicate, obj)
    return ref


def of_claim(answer: Reconstruction, ref: str) -> MemoryConfidence | None:
    (found,) = [one.confidence for item in answer.items for one in item.claims if str(one.ref) == ref]
    return found


def grounds(found: MemoryConfidence | None) -> list[tuple[Ground, int, int]]:
    assert found is not None
    return [(one.ground, one.value, one.points) for one in found.grounds]


async def weighed(rensou: Rensou, ref: str, scope: ReadScope = EVERYTHING) -> MemoryConfidence | None:
    parsed = parse_record_ref(ref)
    assert parsed is not None
    async with reading(rensou.deps.database, scope, 10) as connection:
        return (await load_confidences(connection, scope, [Weighed(parsed)])).of.get(parsed.id)


@pytest.mark.parametrize(("certainty", "points"), [(Certainty.SURE, 3), (Certainty.LIKELY, 2), (Certainty.VAGUE, 1)])
async def test_what_is_stored_with_a_certainty_says_so_in_reconstruct(
    rensou: Rensou, certainty: Certainty, points: int
) -> None:
    ref = await claim(rensou, certainty=certainty)
    found = of_claim(await assembles(rensou, QUESTION), ref)
    assert found is not None and found.points == points


async def test_without_anything_stated_no_claim_has_a_confidence_and_no_hit(rensou: Rensou) -> None:
    await claim(rensou)
    built = encode_reconstruct(await assembles(rensou, QUESTION))
    assert not any(one.HasField("confidence") for item in built.items for one in item.claims)
    asked = await asks(rensou, QUESTION, confidence=True)
    assert encode_recall(asked).SerializeToString(deterministic=True) == await plain(rensou)


async def plain(rensou: Rensou) -> bytes:
    return encode_recall(await asks(rensou, QUESTION)).SerializeToString(deterministic=True)


async def test_recall_says_it_on_request_alone(rensou: Rensou) -> None:
    await claim(rensou, certainty=Certainty.SURE)
    assert [hit.confidence for hit in (await asks(rensou, QUESTION)).hits] == [None]
    (hit,) = (await asks(rensou, QUESTION, confidence=True)).hits
    assert grounds(hit.confidence) == [(Ground.STATED, 1, 3)]


async def test_one_who_stores_the_same_again_changes_nothing_of_what_was_stated(rensou: Rensou) -> None:
    await claim(rensou, certainty=Certainty.VAGUE)
    again = await keep(rensou, CLAIM, source=MIRA, certainty=Certainty.SURE)
    assert again.outcome is StoreOutcome.SKIPPED_DUPLICATE
    assert grounds(await weighed(rensou, str(again.ref))) == [(Ground.STATED, 3, 1)]


async def test_independent_witnesses_raise_it_and_the_first_of_each_group_is_named(rensou: Rensou) -> None:
    ref = await claim(rensou)
    first = await witness(rensou, "A letter to Sapporo arrived.", "post", ref)
    await witness(rensou, "Another letter arrived.", "post", ref)
    other = await witness(rensou, "Snow at her window.", "bob", ref)
    found = await weighed(rensou, ref)
    assert grounds(found) == [(Ground.STATED, 0, 2), (Ground.CORROBORATED, 2, 1)]
    assert found is not None and {str(one) for one in found.grounds[1].refs} == {first, other}
    await witness(rensou, "She said so.", "cleo", ref)
    found = await weighed(rensou, ref)
    assert found is not None and found.points == 4


async def test_the_claims_own_source_is_no_witness(rensou: Rensou) -> None:
    ref = await claim(rensou)
    await witness(rensou, "I told you so.", "mira", ref)
    assert grounds(await weighed(rensou, ref)) == [(Ground.STATED, 0, 2)]


async def test_nobodies_are_one_witness_and_none_for_a_claim_of_nobody(rensou: Rensou) -> None:
    named, unnamed = await claim(rensou), await claim(rensou, Source())
    for ref in (named, unnamed):
        for number in range(3):
            await witness(rensou, f"Somebody said {number} of {ref}".replace(":", " "), "", ref)
    assert grounds(await weighed(rensou, named)) == [(Ground.STATED, 0, 2), (Ground.CORROBORATED, 1, 1)]
    assert grounds(await weighed(rensou, unnamed)) == [(Ground.STATED, 0, 2), (Ground.ANONYMOUS, 1, -1)]


async def test_an_episode_that_covers_both_makes_them_one_and_supports_nothing_by_itself(rensou: Rensou) -> None:
    ref = str((await keep(rensou, CLAIM, source=MIRA, occurred_at=NOON)).ref)
    assert await weighed(rensou, ref) is None
    await witness(rensou, "He nodded.", "bob", ref, occurred_at=NOON + timedelta(minutes=5))
    assert grounds(await weighed(rensou, ref))[1:] == [(Ground.CORROBORATED, 1, 1)]
    await rensou.store("They talked about moving.", minute=-10, ends=10, source="log")
    assert grounds(await weighed(rensou, ref)) == [(Ground.STATED, 0, 2)]


async def test_a_covering_episode_that_is_declared_to_support_is_of_the_claims_group(rensou: Rensou) -> None:
    ref = str((await keep(rensou, CLAIM, source=MIRA, occurred_at=NOON)).ref)
    episode = await rensou.store("They talked about moving.", minute=-10, ends=10, source="log")
    await relate(rensou, episode, "supports", ref)
    assert grounds(await weighed(rensou, ref)) == [(Ground.STATED, 0, 2)]


async def test_a_caller_id_of_one_project_in_two_channels_makes_them_one(rensou: Rensou) -> None:
    places = [WriteScope(ANN, "p", "left"), WriteScope(ANN, "p", "")]
    ref = str((await keep(rensou, CLAIM, source=MIRA, scope=places[0], caller_id="run 7")).ref)
    other = await keep(rensou, "Said again.", source=Source("chat", "bob"), scope=places[1], caller_id="run 7")
    await relate(rensou, str(other.ref), "supports", ref, places[0])
    assert grounds(await weighed(rensou, ref)) == [(Ground.STATED, 0, 2)]


async def test_contradicted_qualified_and_replaced_are_grounds_with_their_refs(rensou: Rensou) -> None:
    ref = await claim(rensou, certainty=Certainty.SURE)
    doubt = await witness(rensou, "She is in Osaka.", "bob", ref, "contradicts")
    only = await witness(rensou, "In winter alone.", "cleo", ref, "qualifies")
    found = await weighed(rensou, ref)
    assert grounds(found) == [(Ground.STATED, 1, 3), (Ground.CONTRADICTED, 1, -1), (Ground.QUALIFIED, 1, 0)]
    assert found is not None and [str(one.refs[0]) for one in found.grounds[1:]] == [doubt, only]
    newer = await witness(rensou, "She moved to Nara.", "mira", ref, "supersedes")
    found = await weighed(rensou, ref)
    assert found is not None and found.points == 0
    assert [(one.ground, [str(ref) for ref in one.refs]) for one in found.grounds[1:]] == [
        (Ground.QUALIFIED, [only]),
        (Ground.REPLACED, [newer]),
    ]


async def test_what_was_true_once_has_no_points_now_and_has_them_then(rensou: Rensou) -> None:
    ref = str((await keep(rensou, CLAIM, years(2020, 2022), source=MIRA, certainty=Certainty.SURE)).ref)
    now = of_claim(await assembles(rensou, QUESTION), ref)
    assert now is not None and now.points == 0 and now.grounds[-1].ground is Ground.NOT_VALID
    then = of_claim(await assembles(rensou, QUESTION, 2021), ref)
    assert then is not None and then.points == 3


async def test_what_another_project_or_a_stranger_declares_is_never_counted(rensou: Rensou) -> None:
    ref = await claim(rensou, certainty=Certainty.LIKELY)
    sibling = WriteScope(ANN, "sibling", "")
    other = await keep(rensou, "From the sibling.", source=Source("chat", "bob"), scope=sibling)
    await relate(rensou, str(other.ref), "supports", ref, sibling)
    await relate(rensou, str(other.ref), "contradicts", ref, sibling)
    alone = [(Ground.STATED, 2, 2)]
    assert grounds(await weighed(rensou, ref, ReadScope(ANN, "mine"))) == alone
    assert grounds(await weighed(rensou, ref, ReadScope(ANN, ""))) == alone
    assert grounds(await weighed(rensou, ref, ReadScope(ANN, source_id="mira"))) == alone
    assert len(grounds(await weighed(rensou, ref))) == 3
    bob = ReadScope(AgentId("bob"))
    parsed = parse_record_ref(ref)
    assert parsed is not None
    async with rensou.deps.database.transaction(bob.agent_id, 10) as connection:
        assert await load_attestations(connection, bob, [parsed.id]) == {}


async def test_of_very_many_supports_the_newest_are_looked_at_and_that_is_said(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    ref = await claim(rensou)
    with psycopg.connect(database_dsns.admin, autocommit=True) as owner:
        owner.execute(
            "INSERT INTO rensou.records (agent_id, kind, project_id, channel, content, source_type, source_id,"
            " source_name, session_id) SELECT 'ann', 'mem', '', '', 'one of many ' || n, 'chat', 's' || n, '', ''"
            " FROM generate_series(1, %s) n",
            (MAX_SUPPORTS + 1,),
        )
        owner.execute(
            "INSERT INTO rensou.relations (agent_id, project_id, channel, subject_record, predicate,"
            " normalized_predicate, object_record, declared_by) SELECT 'ann', '', '', r.id, 'supports', 'supports', %s,"
            " 'agent' FROM rensou.records r WHERE r.content LIKE 'one of many%%' ORDER BY r.id",
            (int(ref.removeprefix("mem:")),),
        )
    found = await weighed(rensou, ref)
    assert found is not None and found.supports_cut
    assert grounds(found)[1] == (Ground.CORROBORATED, MAX_SUPPORTS, 2)


async def test_confidence_changes_nothing_but_itself(rensou: Rensou, database_dsns: DatabaseDsns) -> None:
    """Three claims of one item, the middle one the surest; five hits, the last the surest."""
    for number, certainty in enumerate([Certainty.VAGUE, Certainty.SURE, Certainty.VAGUE]):
        moment = NOON + timedelta(seconds=number)
        await keep(rensou, f"Mira does live in place {number}.", source=MIRA, occurred_at=moment, certainty=certainty)
    await keep(rensou, "Where does Mira live?", source=MIRA, certainty=Certainty.VAGUE)
    await keep(rensou, "Mira.", source=Source("chat", "bob"), certainty=Certainty.SURE)

    async def answers() -> tuple[bytes, bytes, int]:
        hits = encode_recall(await asks(rensou, QUESTION, confidence=True))
        built = encode_reconstruct(await assembles(rensou, QUESTION))
        said = [*hits.hits, *(claim for item in built.items for claim in item.claims)]
        count = sum(one.HasField("confidence") for one in said)
        for one in said:
            one.ClearField("confidence")
        return hits.SerializeToString(deterministic=True), built.SerializeToString(deterministic=True), count

    *stated, count = await answers()
    assert count == 10
    with psycopg.connect(database_dsns.admin, autocommit=True) as owner:
        owner.execute("UPDATE rensou.records SET certainty = NULL")
    assert await answers() == (*stated, 0)


async def test_claims_without_a_role_cost_one_statement_for_all_of_them(
    rensou: Rensou, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        await keep(rensou, f"Mira does live in place {number}.", certainty=Certainty.SURE)
    sent: list[str] = []
    execute = psycopg.AsyncConnection.execute

    async def recorded(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        sent.append(str(query))
        return await execute(self, query, *args, **kwargs)

    monkeypatch.setattr(psycopg.AsyncConnection, "execute", recorded)
    await assembles(rensou, QUESTION)
    assert sum("role_edges" in one for one in sent) == 1
    sent.clear()
    await asks(rensou, QUESTION)
    assert not any("role_edges" in one or re.search(r"\brelations\b", one) for one in sent)


async def test_a_relation_declared_again_with_another_certainty_keeps_the_former(
    rensou: Rensou, database_dsns: DatabaseDsns
) -> None:
    async def says(note: str, certainty: Certainty | DropReason | None) -> tuple[int, Sequence[str]]:
        said = Associations(relations=(RelationDeclaration("Mira", "lives in", "Sapporo", certainty=certainty),))
        result = await keep(rensou, "the note", associations=said, session_id="s")
        assert result.report is not None
        return result.report.relations[0].id, [one.item for one in result.report.dropped]

    (number, _), *_ = [await says("one", one) for one in (Certainty.VAGUE, None, Certainty.SURE, Certainty.SURE)]
    assert (await says("bad", DropReason.INVALID_CERTAINTY))[1] == ["relations[0].certainty"]
    with psycopg.connect(database_dsns.admin) as owner:
        stands = owner.execute("SELECT certainty FROM rensou.relations WHERE id = %s", (number,)).fetchall()
        former = owner.execute("SELECT certainty FROM rensou.former_certainties WHERE relation_id = %s", (number,))
        assert (stands, former.fetchall()) == ([("sure",)], [("vague",)])


async def now(dsns: DatabaseDsns) -> ReadScope:
    with psycopg.connect(dsns.admin) as owner:
        row = owner.execute("SELECT clock_timestamp()").fetchone()
        assert row is not None
        return ReadScope(ANN, known_at=row[0])


async def test_what_was_said_later_was_not_known_then(rensou: Rensou, database_dsns: DatabaseDsns) -> None:
    ref = await claim(rensou, certainty=Certainty.LIKELY)
    await rensou.store("It was so.", relations=[("Mira", "lives in", "Sapporo")])
    before = await now(database_dsns)
    await witness(rensou, "Snow at her window.", "bob", ref)
    sure = RelationDeclaration("Mira", "lives in", "Sapporo", certainty=Certainty.SURE)
    await keep(rensou, "It was so.", associations=Associations(relations=(sure,)), source=Source("User"))
    assert grounds(await weighed(rensou, ref, before)) == [(Ground.STATED, 2, 2)]
    assert len(grounds(await weighed(rensou, ref, await now(database_dsns)))) == 2

    async def stated(scope: ReadScope) -> list[str | None]:
        async with reading(rensou.deps.database, scope, 10) as connection:
            rows = await connection.execute("SELECT certainty FROM relations WHERE predicate = 'lives in'")
            return [one for (one,) in await rows.fetchall()]

    assert (await stated(before), await stated(EVERYTHING)) == ([None], ["sure"])


async def traced(rensou: Rensou, trace: bool = True) -> Reconstruction:
    question = ReconstructQuestion(QUESTION, Fusion.CONVEX, BOUNDS, gate=GateLevel.OFF, trace=trace)
    return await reconstruct(rensou.deps, rensou.call(), EVERYTHING, question)


async def test_a_trace_says_whether_the_heads_suffice_and_changes_nothing_else(rensou: Rensou) -> None:
    ref = await claim(rensou, certainty=Certainty.LIKELY)
    answer = await traced(rensou)
    assert answer.trace is not None and answer.trace.retrieval is not None
    assert not answer.trace.sufficiency.met and [str(one) for one in answer.trace.sufficiency.heads] == [ref]
    other = await keep(
        rensou, "Bob says that Mira does live there.", source=Source("chat", "bob"), certainty=Certainty.LIKELY
    )
    answer = await traced(rensou)
    assert answer.trace is not None and answer.trace.sufficiency.met
    assert {str(one) for one in answer.trace.sufficiency.heads} == {ref, str(other.ref)}
    assert len(answer.trace.items) == len(answer.items) == answer.trace.bundles == answer.trace.candidates == 2
    message = encode_reconstruct(answer)
    assert CLAIM not in str(message.trace) and message.trace.sufficiency.met
    message.ClearField("trace")
    assert message == encode_reconstruct(await traced(rensou, trace=False))


async def test_a_trace_of_nothing_is_there(rensou: Rensou) -> None:
    answer = await traced(rensou)
    assert answer.items == () and answer.trace is not None and not answer.trace.sufficiency.met
