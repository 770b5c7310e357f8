"""Reconstruct on a real database, with an embedding server that is a function of the words."""

from dataclasses import replace

import psycopg
import pytest

from rensou_recall.pipelines import reconstruct as pipeline
from rensou_recall.store.gate import load_first_by_words
from rensou_recall.types.evidence import EvidenceBound, Item, Reconstruction, Shortfall
from rensou_recall.types.records import QuoteBasis, StartReason
from rensou_recall.types.retrieval import GateLevel
from rensou_recall.types.roles import Role
from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import question_terms
from tests.conftest import DatabaseDsns
from tests.integration import rensou_world
from tests.integration.rensou_world import ANN, BOUNDS, Rensou

rensou = rensou_world.rensou


def _shape(answer: Reconstruction) -> list[list[str]]:
    """Each item as its head, then the other claims in order."""
    return [
        [str(item.head_ref), *(str(claim.ref) for claim in item.claims if claim.ref != item.head_ref)]
        for item in answer.items
    ]


def _claim(item: Item, ref: str):
    return next(claim for claim in item.claims if str(claim.ref) == ref)


async def test_nothing_stored_is_no_relevant_evidence_and_no_count_asks_for_none(rensou: Rensou):
    assert (await rensou.ask("tea")).shortfall is Shortfall.NO_RELEVANT_EVIDENCE
    none = await rensou.ask("tea", replace(BOUNDS, count=0))
    assert (none.items, none.shortfall, none.effective_count) == ((), Shortfall.COUNT_ZERO, 0)


async def test_a_question_reaches_a_record_two_declared_relations_away(rensou: Rensou):
    first = await rensou.store("The camera app got a release.", entities=["MizEye"])
    for subject, predicate, object_ in (("Kirari", "maintains", "MizEye"), ("Kirari", "lives in", "Sapporo")):
        await rensou.store(f"unrelated {predicate}", relations=[(subject, predicate, object_)])
    last = await rensou.store("Snow lies in the north.", entities=["Sapporo"])
    asked = replace(BOUNDS, count=1, top_k=1)
    (item,) = (await rensou.ask("camera app release", asked)).items
    assert str(item.head_ref) == first
    claim = _claim(item, last)
    assert (claim.why, claim.hops) == ("relation:lives in", 2)
    assert claim.quote is not None and claim.quote.content == "Snow lies in the north."
    near = await rensou.ask("camera app release", replace(asked, max_hops=1))
    assert _shape(near) == [[first]]
    assert near.omitted == (EvidenceBound.MAX_HOPS,)


async def test_reading_5_a_declared_correction_bundles_and_plays_its_role_but_does_not_take_the_head(rensou: Rensou):
    old = await rensou.store("The tea room opens at nine in the morning.")
    new = await rensou.store("Ten it is.", relations=[])
    await rensou.store("unrelated", relations=[(new, "corrects", old)])
    (item, *_) = (await rensou.ask("when does the tea room open in the morning")).items
    assert str(item.head_ref) == old
    assert item.independence_reason == "cluster:relation"
    assert [(role.role, str(role.ref)) for role in _claim(item, old).roles] == [(Role.CORRECTS, new)]
    assert _claim(item, new).why == "relation:corrects"


async def test_alias_terms_find_a_record_that_uses_another_name(rensou: Rensou):
    record = await rensou.store("ミズアイは新しい版が出た。")
    await rensou.store("The declaration.", entities=["MizEye|ミズアイ"])
    rensou.server.down = True
    answer = await rensou.ask("MizEye")
    assert record in [str(item.head_ref) for item in answer.items]
    assert answer.degradation is not None


async def test_invariant_3_the_walk_adds_evidence_and_changes_neither_heads_nor_their_order(
    rensou: Rensou, database_dsns: DatabaseDsns
):
    for number in range(12):
        await rensou.store(
            f"Tea number {number} is served {'hot ' * (number % 4)}in cup {number % 3}.",
            entities=[f"Cup{number % 3}"],
        )
    for number in range(3):
        await rensou.store(f"Elsewhere {number}.", entities=[f"Place{number}"])
        await rensou.store(f"said {number}", relations=[(f"Cup{number}", "stands in", f"Place{number}")])
    bounds = replace(BOUNDS, top_k=8)
    walked = await rensou.ask("hot tea served in a cup", bounds)
    assert any(claim.hops for item in walked.items for claim in item.claims)
    with psycopg.connect(database_dsns.admin, autocommit=True) as admin:
        admin.execute("DELETE FROM rensou.relations")
        admin.execute("DELETE FROM rensou.entity_mentions")
    bare = await rensou.ask("hot tea served in a cup", bounds)
    assert [item.head_ref for item in walked.items] == [item.head_ref for item in bare.items]
    assert [item.quote for item in walked.items] == [item.quote for item in bare.items]


async def test_reading_3_what_an_item_gains_does_not_depend_on_count(rensou: Rensou):
    for number in range(6):
        await rensou.store(f"Tea {number} " + "hot " * number, entities=[f"Pot{number}", "Kettle"])
        await rensou.store(f"aside {number}", relations=[(f"Pot{number}", "near", "Shelf"), ("Kettle", "on", "Stove")])
    for place in ("Shelf", "Stove"):
        await rensou.store(f"The {place}.", entities=[place])
    bounds = replace(BOUNDS, top_k=6, budget_chars=20_000)
    whole = await rensou.ask("hot tea", bounds)
    for count in (1, 2, 4):
        some = await rensou.ask("hot tea", replace(bounds, count=count))
        assert some.items == whole.items[:count]


async def test_the_walk_is_called_exactly_once(rensou: Rensou, monkeypatch: pytest.MonkeyPatch):
    await rensou.store("Tea.", entities=["Tea"], relations=[("Tea", "in", "Pot")])
    calls: list[int] = []
    real = pipeline.walk
    monkeypatch.setattr(pipeline, "walk", lambda *args: (calls.append(1), real(*args))[1])
    await rensou.ask("tea")
    assert calls == [1]


async def test_invariant_5_the_answer_is_the_same_every_time(rensou: Rensou):
    for number in range(10):
        await rensou.store(f"Tea {number}", minute=number / 2, source="ann", entities=["Tea"])
    assert await rensou.ask("tea") == await rensou.ask("tea")


async def test_a_burst_is_one_item_and_its_claims_are_newest_first(rensou: Rensou):
    refs = [await rensou.store(f"Tea {word}", minute=minute, source="ann") for minute, word in ((0, "a"), (0.5, "b"))]
    (item,) = (await rensou.ask("tea")).items
    assert [str(claim.ref) for claim in item.claims] == [refs[1], refs[0]]
    assert item.independence_reason == "cluster:adjacent"


async def test_the_walk_never_leaves_the_scope(rensou: Rensou):
    await rensou.store("Tea time.", entities=["Tea"], project="mine")
    await rensou.store("link", relations=[("Tea", "in", "Pot")], project="mine")
    hidden = await rensou.store("A hidden pot.", entities=["Pot"], project="other")
    shared = await rensou.store("A shared pot.", entities=["Pot"], project="mine")
    foreign = await rensou.store("A foreign pot.", entities=["Pot", "Tea"], agent=AgentId("bob"))
    answer = await rensou.ask("tea time", replace(BOUNDS, top_k=1), ReadScope(ANN, "mine"))
    refs = {str(claim.ref) for item in answer.items for claim in item.claims}
    assert shared in refs
    assert not refs & {hidden, foreign}


async def test_invariant_5_more_evidence_than_kept_is_omitted_and_than_read_is_reached(rensou: Rensou):
    await rensou.store("Tea time.", entities=["Tea"], relations=[("Tea", "in", "Pot")])
    for number in range(5):
        await rensou.store(f"Pot {number}.", entities=["Pot"])
    answer = await rensou.ask("tea time", replace(BOUNDS, top_k=1, max_evidence=3))
    assert len(answer.items[0].claims) == 3
    assert answer.items[0].claims_omitted == 1
    assert answer.omitted == (EvidenceBound.MAX_EVIDENCE,)
    assert answer.reached == (EvidenceBound.TOP_K, EvidenceBound.MAX_EVIDENCE)


async def test_a_declared_contradiction_is_a_conflict_of_the_item_that_holds_both(rensou: Rensou):
    nine = await rensou.store("The tea room opens at nine in the morning.")
    ten = await rensou.store("The tea room opens at ten in the morning.")
    await rensou.store("unrelated", relations=[(ten, "Contradicts", nine)])
    (item, *others) = (await rensou.ask("when does the tea room open in the morning")).items
    (conflict,) = item.conflicts
    assert [str(ref) for ref in conflict.refs] == [nine, ten]
    assert not any(other.conflicts for other in others)


async def test_what_the_walk_reached_has_its_roles_and_conflicts_too(rensou: Rensou):
    head = await rensou.store("Tea time is at four.", entities=["Tea"], relations=[("Tea", "in", "Pot")])
    reached = await rensou.store("Nothing is served then.", entities=["Pot"])
    elsewhere = await rensou.store("Elsewhere.")
    relations = [(reached, "contradicts", head), (elsewhere, "contradicts", head)]
    await rensou.store("said", relations=relations)
    (item,) = (await rensou.ask("tea time", replace(BOUNDS, top_k=1))).items
    assert [[str(ref) for ref in conflict.refs] for conflict in item.conflicts] == [[head, reached]]
    assert [(role.role, str(role.ref)) for role in _claim(item, head).roles] == [(Role.CONTRADICTS, reached)]


async def test_an_episode_supports_the_memories_that_lie_in_it(rensou: Rensou):
    memory = await rensou.store("The tea tasting had nine cups.", minute=5)
    late = await rensou.store("The tea tasting was talked about.", minute=90)
    episode = await rensou.store("The tea tasting of the year.", minute=0, ends=60)
    items = (await rensou.ask("tea tasting")).items
    (item,) = [one for one in items if memory in {str(claim.ref) for claim in one.claims}]
    assert [(role.role, str(role.ref)) for role in _claim(item, memory).roles] == [(Role.SUPPORTS, episode)]
    assert _claim(item, episode).roles == ()
    assert late not in {str(claim.ref) for claim in item.claims}


async def test_names_past_the_bound_are_counted_in_the_answer(rensou: Rensou):
    for start in (0, 30):
        names = "|".join(["Tea", *(f"sort {number:02}" for number in range(start, start + 30))])
        await rensou.store(f"Tea from {start}.", entities=[names])
    assert (await rensou.ask("tea")).terms_omitted == 60 - 32
    assert (await rensou.ask("coffee")).terms_omitted == 0


async def test_a_long_record_is_quoted_from_its_best_node(rensou: Rensou, database_dsns: DatabaseDsns):
    filler = "The weather was mild and nobody said much. " * 30
    content = filler + "Kirari moved the telescope to Sapporo. " + filler
    ref = await rensou.store(content)
    (item,) = (await rensou.ask("Where is the telescope of Kirari?")).items
    assert (item.quote.basis, item.quote.start_reason) == (QuoteBasis.START, StartReason.NO_NODES)
    half = len(filler) - 200
    with psycopg.connect(database_dsns.admin, autocommit=True) as admin:
        for index, (start, end) in enumerate([(0, half), (half, len(content))]):
            admin.execute(
                """INSERT INTO rensou.record_nodes (agent_id, record_id, node_index, start_char, end_char, token_count,
                                                    token_window, model_id, divider_version, embedding)
                   SELECT 'ann', %s, %s, %s, %s, 1, 1000, m.id, 1, %s::public.halfvec FROM rensou.embedding_models m""",
                (int(ref[4:]), index, start, end, str(rensou.server.vector(content[start:end]))),
            )
    (item,) = (await rensou.ask("Where is the telescope of Kirari?")).items
    assert item.quote.basis is QuoteBasis.NODE
    assert item.quote.node is not None and item.quote.node.index == 1
    assert "Kirari moved the telescope to Sapporo." in item.quote.content
    assert item.quote.content == content[item.quote.start_char : item.quote.end_char]
    rensou.server.down = True
    (item,) = (await rensou.ask("Where is the telescope of Kirari?")).items
    assert "Kirari moved the telescope to Sapporo." in item.quote.content
    with psycopg.connect(database_dsns.admin, autocommit=True) as admin:
        admin.execute("UPDATE rensou.record_nodes SET token_window = 999")
    (item,) = (await rensou.ask("Where is the telescope of Kirari?")).items
    assert (item.quote.basis, item.quote.start_reason) == (QuoteBasis.START, StartReason.NOT_CURRENT)


async def test_a_blank_question_reconstructs_the_newest(rensou: Rensou):
    refs = [await rensou.store(f"Note {number}") for number in range(3)]
    answer = await rensou.ask("  ", replace(BOUNDS, count=2))
    assert [str(item.head_ref) for item in answer.items] == [refs[2], refs[1]]


async def test_reading_6_a_record_that_only_an_alias_finds_stays_under_the_gate(rensou: Rensou):
    for number in range(40):
        await rensou.store(f"Kettle {number} stands on shelf {number}.")
    named = await rensou.store("ミズアイは新しい版が出た。")
    asked = await rensou.store("The MizEye app got a release.")
    await rensou.store("The declaration.", entities=["MizEye|ミズアイ"])
    rensou.server.down = True
    assert _shape(await rensou.ask("release of MizEye")) == [[asked]]
    assert sorted(_shape(await rensou.ask("release of MizEye", gate=GateLevel.OFF))) == [[named], [asked]]
    assert _shape(await rensou.ask("版 ミズアイ"))[0] == [named]


async def test_the_first_by_words_is_a_readable_record_of_the_agent(rensou: Rensou):
    await rensou.store("Tea tea tea.", project="other")
    await rensou.store("Tea tea tea.", agent=AgentId("bob"))
    own = await rensou.store("Tea in the garden.", project="mine")
    words = question_terms(ANN, "tea").hashes
    async with rensou.deps.database.transaction(ANN, 10) as connection:
        scope = ReadScope(ANN, "mine")
        assert str(await load_first_by_words(connection, scope, words)) == own.removeprefix("mem:")
        assert await load_first_by_words(connection, scope, question_terms(ANN, "kettle").hashes) is None
        assert await load_first_by_words(connection, scope, []) is None
