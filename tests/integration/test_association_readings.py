"""How what is declared is read where a sentence could be read in two ways, by number (docs/proofs.md)."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from rensou_recall.types.evidence import EvidenceBounds
from rensou_shared.db.pool import Database, PoolSize
from tests.conftest import DatabaseDsns
from tests.integration.rensou_world import Rensou, deps_on
from tests.integration.word_embedding import WordEmbedding

BOUNDS = EvidenceBounds(10, 2, 2, 40, 20_000)


@pytest.fixture
async def rensou(database_dsns: DatabaseDsns) -> AsyncIterator[Rensou]:
    """The pipelines on a database of the test's own."""
    database, server = Database(database_dsns.recall, PoolSize(1, 2)), WordEmbedding()
    await database.open(10)
    yield Rensou(deps_on(database, server), server)
    await database.close()


async def claims(rensou: Rensou, question: str, bounds: EvidenceBounds = BOUNDS) -> list[list[tuple[str, str]]]:
    """The refs of each item with the reason why each is there."""
    answer = await rensou.ask(question, bounds)
    return [sorted((str(claim.ref), claim.why) for claim in item.claims) for item in answer.items]


@pytest.mark.parametrize("relation", [("Tea", "comes in", "Pot"), ("Pot", "comes in", "Tea")])
async def test_reading_1_a_relation_leads_both_ways(rensou: Rensou, relation: tuple[str, str, str]) -> None:
    one = await rensou.store("Tea time.", entities=["Tea"])
    other = await rensou.store("Nobody knows where it stands.", entities=["Pot"])
    await rensou.store("aside", relations=[relation])
    bounds = replace(BOUNDS, top_k=1)
    assert await claims(rensou, "tea time", bounds) == [sorted([(one, "seed"), (other, "relation:comes in")])]
    assert await claims(rensou, "where it stands", bounds) == [sorted([(other, "seed"), (one, "relation:comes in")])]


async def test_reading_2_records_that_share_an_entity_are_neither_joined_nor_evidence(rensou: Rensou) -> None:
    one = await rensou.store("Tea time.", entities=["Project"])
    other = await rensou.store("Tea time again.", entities=["Project"])
    await rensou.store("Nobody knows where it stands.", entities=["Project"])
    assert sorted(await claims(rensou, "tea time")) == sorted([[(one, "seed")], [(other, "seed")]])


async def test_reading_3_a_record_stands_in_one_place(rensou: Rensou) -> None:
    for number in range(2):
        await rensou.store("Tea time" + " again" * number, entities=["Tea", f"Cup{number}"])
    away = await rensou.store("Nobody knows where it stands.", entities=["Pot"])
    related = [("Tea", "comes in", "Pot"), ("Cup0", "beside", "Cup1")]
    await rensou.store("aside", relations=related)
    found = await claims(rensou, "tea time")
    # The records of the pool reach each other, and both reach the third: it goes to the earlier item alone.
    assert [len(item) for item in found] == [2, 1]
    assert (away, "relation:comes in") in found[0]


@pytest.mark.parametrize("records", [3, 4])
async def test_reading_4_of_an_entity_the_lowest_records_are_read_and_more_is_said(
    rensou: Rensou, records: int
) -> None:
    await rensou.store("Tea time.", entities=["Tea"], relations=[("Tea", "comes in", "Pot")])
    stored = [await rensou.store(f"Nobody knows, {number}.", entities=["Pot"]) for number in range(records)]
    answer = await rensou.ask("tea time", replace(BOUNDS, top_k=1, max_evidence=3))
    (item,) = answer.items
    # The head and two of the three that were read; what was not read is no claim that was left out.
    assert {str(claim.ref) for claim in item.claims} == {str(item.head_ref), *stored[:2]}
    assert (item.claims_omitted, "MAX_EVIDENCE" in [bound.name for bound in answer.reached]) == (1, records > 3)


async def test_reading_5_what_is_bundled_has_no_hops_and_what_is_walked_has(rensou: Rensou) -> None:
    one = await rensou.store("Tea time.", entities=["Tea"])
    other = await rensou.store("Tea time again.", relations=[("Tea", "comes in", "Pot")])
    far = await rensou.store("Nobody knows where it stands.", entities=["Pot"], relations=[(other, "repeats", one)])
    (item,) = (await rensou.ask("tea time", BOUNDS)).items
    hops = {str(claim.ref): (claim.why, claim.hops) for claim in item.claims}
    bundled = ("relation:repeats", None)
    assert hops == {one: bundled, other: bundled, far: ("relation:comes in", 1)}
    assert item.independence_reason == "cluster:relation"
