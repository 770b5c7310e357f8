"""What Reconstruct quotes within its budget."""

from dataclasses import replace
from itertools import pairwise

from rensou_recall.types.evidence import (
    BoundSource,
    Reconstruction,
    Shortfall,
)
from tests.integration import rensou_world
from tests.integration.rensou_world import BOUNDS, Rensou

rensou = rensou_world.rensou


def _quotes(answer: Reconstruction) -> list[tuple[str, str]]:
    """Every quotation with its record: the heads, then the excerpts as the items show them."""
    heads = [(str(item.head_ref), item.quote.content) for item in answer.items]
    claims = [claim for item in answer.items for claim in item.claims if claim.quote is not None]
    return heads + [(str(claim.ref), claim.quote.content) for claim in claims if claim.quote is not None]


async def _ten_long_items(rensou: Rensou) -> None:
    """Each a burst of two records."""
    for number in range(10):
        for minute in (10 * number, 10 * number + 0.5):
            text = f"Tea {number}: " + f"it was served with a spoon of sugar number {minute}. " * 30
            await rensou.store(text, minute=minute, source="ann")


async def test_a_larger_budget_removes_nothing(rensou: Rensou):
    await _ten_long_items(rensou)
    answers = [
        await rensou.ask("tea sugar", replace(BOUNDS, budget_chars=budget), budget_source=BoundSource.REQUEST)
        for budget in (800, 1_500, 4_000, 7_000, 9_000, 20_000)
    ]
    for less, more in pairwise(answers):
        assert less.used_budget_chars <= less.effective_budget_chars
        assert set(_quotes(less)) <= set(_quotes(more))
        heads = [(item.head_ref, item.quote) for item in more.items]
        assert heads[: len(less.items)] == [(item.head_ref, item.quote) for item in less.items]
    counts = [len(_quotes(answer)) for answer in answers]
    assert counts[0] == 1 < len(answers[-1].items) == 10 < counts[-2] < counts[-1] == 20
    assert [item.quotes_omitted for item in answers[-1].items] == [0] * 10


async def test_the_default_budget_has_room_for_every_head_and_a_budget_that_is_asked_for_is_kept(rensou: Rensou):
    await _ten_long_items(rensou)
    default = await rensou.ask("tea sugar")
    assert (len(default.items), default.shortfall) == (10, None)
    assert default.budget_source is BoundSource.DEFAULT_RAISED
    assert 4_000 < default.effective_budget_chars == default.used_budget_chars <= 6_000
    assert [item.quotes_omitted for item in default.items] == [1] * 10
    asked = await rensou.ask("tea sugar", budget_source=BoundSource.REQUEST)
    assert (asked.effective_budget_chars, asked.budget_source) == (4_000, BoundSource.REQUEST)
    assert (len(asked.items) < 10, asked.shortfall) == (True, Shortfall.BUDGET_EXHAUSTED)
    few = await rensou.ask("tea sugar", replace(BOUNDS, count=2))
    assert (few.effective_budget_chars, few.budget_source) == (4_000, BoundSource.DEFAULT)
