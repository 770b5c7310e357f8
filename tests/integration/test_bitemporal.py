"""Both axes in one call: what was true at V, as it was known at K."""

from dataclasses import replace
from datetime import datetime

from rensou_recall.pipelines.reconstruct import reconstruct
from rensou_recall.pipelines.traverse import traverse
from rensou_recall.types.evidence import Reconstruction, ReconstructQuestion
from rensou_recall.types.interval import ValidityState
from rensou_recall.types.retrieval import Fusion, GateLevel
from rensou_recall.types.traverse import Neighbourhood, TraverseRequest
from tests.integration.known_world import Known, at, known
from tests.integration.rensou_world import BOUNDS, rensou
from tests.integration.validity_world import declares, keep, says, year, years

__all__ = ["known", "rensou"]


async def _ask(
    known: Known, text: str, valid_at: datetime | None, known_at: datetime | None, top_k: int = 20
) -> Reconstruction:
    bounds = replace(BOUNDS, top_k=top_k)
    question = ReconstructQuestion(text, Fusion.CONVEX, bounds, gate=GateLevel.OFF, valid_at=valid_at)
    return await reconstruct(known.rensou.deps, known.rensou.call(), at(known_at), question)


def _said(answer: Reconstruction) -> list[str]:
    quotes = [item.quote for item in answer.items]
    quotes += [claim.quote for item in answer.items for claim in item.claims if claim.quote is not None]
    return sorted({quote.content for quote in quotes})


async def _walk(known: Known, name: str, valid_at: datetime | None, known_at: datetime | None) -> Neighbourhood:
    request = replace(TraverseRequest(at(known_at), name, name, 1, 20), valid_at=valid_at)
    return await traverse(known.rensou.deps, known.rensou.call(), request)


async def test_reconstruct_says_what_was_true_at_v_as_it_was_known_at_k(known: Known) -> None:
    osaka = str((await keep(known.rensou, "Ann lives in Osaka", years(2020, None))).ref)
    before = known.now()
    await says(known.rensou, osaka, None, 2024)
    await keep(known.rensou, "Ann lives in Kyoto", years(2024, None))
    after = known.now()
    answers = {
        (valid, moment): _said(await _ask(known, "where lives ann", year(valid), moment))
        for valid in (2019, 2022, 2025)
        for moment in (before, after, None)
    }
    osaka_text, kyoto_text = ["Ann lives in Osaka"], ["Ann lives in Kyoto"]
    assert answers == {
        (2019, before): [], (2019, after): [], (2019, None): [],
        (2022, before): osaka_text, (2022, after): osaka_text, (2022, None): osaka_text,
        (2025, before): osaka_text, (2025, after): kyoto_text, (2025, None): kyoto_text,
    }  # fmt: skip


async def test_what_is_left_out_by_validity_is_what_was_known_to_be(known: Known) -> None:
    ref = (await keep(known.rensou, "Ann lives in Osaka", years(2020, None))).ref
    before = known.now()
    await says(known.rensou, str(ref), None, 2024)
    assert (await _ask(known, "ann lives", year(2025), before)).left_out.refs == ()
    assert (await _ask(known, "ann lives", year(2025), known.now())).left_out.refs == (ref,)


async def test_a_text_and_its_validity_are_those_of_one_time(known: Known) -> None:
    ref = str((await keep(known.rensou, "Ann lives in Osaka", years(2020, None))).ref)
    before = known.now()
    await known.revise(ref, "Ann lives in Kyoto")
    await says(known.rensou, ref, None, 2021)
    (item,) = (await _ask(known, "ann lives", None, before)).items
    assert item.quote.content == "Ann lives in Osaka"
    (claim,) = item.claims
    assert claim.validity is not None and claim.validity.interval == years(2020, None)
    assert claim.validity.state is ValidityState.VALID


async def test_a_relation_is_walked_when_it_was_known_to_be_true(known: Known) -> None:
    (ref,) = await declares(known.rensou, ("Ann", "works at", "Tower"), validity=years(2020, None))
    before = known.now()
    await says(known.rensou, ref, None, 2024)
    after = known.now()
    known.run("DELETE FROM relations")
    walked = {
        (valid, moment): len((await _walk(known, "ann", year(valid), moment)).relations)
        for valid in (2022, 2025)
        for moment in (before, after, None)
    }
    assert walked == {
        (2022, before): 1, (2022, after): 1, (2022, None): 0,
        (2025, before): 1, (2025, after): 0, (2025, None): 0,
    }  # fmt: skip


async def test_what_was_asserted_of_a_relation_is_known_after_it_was_taken_back(known: Known) -> None:
    (ref,) = await declares(known.rensou, ("Ann", "works at", "Tower"), validity=years(2020, 2024))
    before = known.now()
    known.run("DELETE FROM relations")
    (relation,) = (await _walk(known, "ann", None, before)).relations
    assert f"rel:{relation.id}" == ref
    assert relation.validity is not None and relation.validity.interval == years(2020, 2024)
    assert not (await _walk(known, "ann", year(2025), before)).relations
