"""Is confidence worth anything? Made-up claims that are true or not, and what their makers and witnesses say of them.

The claims of both languages are of one world, drawn by a fixed seed; docs/measurements/intelligence.md says how.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from intelligence_found import Found, Panel, Row
from intelligence_sets import TIMEOUT_S, ask, memory
from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import confidence_pb2 as confidence
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.demo_store import store_all
from rensou_embedded.errors import StackError

CLAIMS = 240
_SURE, _LIKELY, _VAGUE = confidence.CERTAINTY_SURE, confidence.CERTAINTY_LIKELY, confidence.CERTAINTY_VAGUE
_STATED = {True: (0.5, 0.35, 0.15), False: (0.2, 0.4, 0.4)}
_TRUE_OF_NAMED, _TRUE_OF_NOBODY, _NAMED = 0.75, 0.6, 0.7
_WITNESSES, _REPEATERS, _WITNESS_IS_RIGHT, _SPEAKS_AGAINST = 4, 2, 0.8, 0.5
_CORRECTED = {True: 0.05, False: 0.4}
_RELATIONS_A_CALL = 50
_POINTS = 4


@dataclass(frozen=True, slots=True)
class Said:
    """A record about a claim: its text, its source ("" is nobody), and what it does to the claim."""

    text: str
    source: str
    predicate: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, whether it is true, how sure its maker is, and what others said."""

    text: str
    is_true: bool
    source: str
    certainty: confidence.Certainty
    said: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Graded:
    """A claim's confidence (points 0-4) beside the truth."""

    is_true: bool
    points: int


def make_claims(count: int = CLAIMS, seed: int = 23) -> list[Claim]:
    """The world, the same at every run; half of the claims are Japanese."""
    chance = random.Random(seed)
    return [_claim(chance, number) for number in range(count)]


def _claim(chance: random.Random, number: int) -> Claim:
    is_japanese = number % 2 == 1
    what = f"小屋{number}号の鍵は昨夜かかっていた" if is_japanese else f"Shed number {number} was locked last night"
    is_named = chance.random() < _NAMED
    is_true = chance.random() < (_TRUE_OF_NAMED if is_named else _TRUE_OF_NOBODY)
    source = f"maker-{number}" if is_named else ""
    (certainty,) = chance.choices((_SURE, _LIKELY, _VAGUE), _STATED[is_true])
    said: list[Said] = []
    for witness in range(chance.randint(0, _WITNESSES)):
        saw_it = is_true == (chance.random() < _WITNESS_IS_RIGHT)
        if saw_it:
            remark, predicate = "私も見た" if is_japanese else "I saw it too", "supports"
        elif chance.random() < _SPEAKS_AGAINST:
            remark, predicate = "それは違う" if is_japanese else "that is not so", "contradicts"
        else:
            continue
        said.append(Said(f"{what}: {remark} ({witness})", f"witness-{number}-{witness}", predicate))
    again = "もう一度言う" if is_japanese else "as I said"
    repeats = chance.randint(0, _REPEATERS)
    said += [Said(f"{what}: {again} ({repeat})", source, "supports") for repeat in range(repeats)]
    if chance.random() < _CORRECTED[is_true]:
        said.append(Said(f"{what}: {'訂正する' if is_japanese else 'I take it back'}", source, "corrects"))
    return Claim(what + ("。" if is_japanese else "."), is_true, source, certainty, tuple(said))


async def grade(client: RensouClient, claims: Sequence[Claim], agent_id: str, *, stated: bool) -> list[Graded]:
    """Stores the claims and what was said of them, `stated` with how sure their makers are, and asks for each.

    Raises:
        StackError: A record was refused, a relation dropped, or a claim not found by its own text.
    """
    refs = await _store(client, claims, agent_id, stated=stated)
    graded: list[Graded] = []
    for claim, ref in zip(claims, refs, strict=True):
        request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent_id), query=claim.text, limit=20, confidence=True)
        found = [hit for hit in await ask(client, request) if hit.record.ref == ref]
        if not found:
            raise StackError(f"a claim was not found by its own text: {claim.text}")
        graded.append(Graded(claim.is_true, found[0].confidence.points))
    return graded


async def _store(client: RensouClient, claims: Sequence[Claim], agent_id: str, *, stated: bool) -> tuple[str, ...]:
    requests: list[rpc.StoreRequest] = []
    for claim in claims:
        request = memory(agent_id, claim.text, pb.Source(type="User", id=claim.source))
        if stated:
            request.certainty = claim.certainty
        requests.append(request)
    refs = await store_all(client, requests)
    said = [(ref, one) for claim, ref in zip(claims, refs, strict=True) for one in claim.said]
    others = await store_all(
        client, [memory(agent_id, one.text, pb.Source(type="User", id=one.source)) for _, one in said]
    )
    relations = [
        pb.RelationDeclaration(subject=other, predicate=one.predicate, object=ref)
        for (ref, one), other in zip(said, others, strict=True)
    ]
    for start in range(0, len(relations), _RELATIONS_A_CALL):
        request = assoc.DeclareAssociationsRequest(
            scope=pb.WriteScope(agent_id=agent_id),
            associations=pb.Associations(relations=relations[start : start + _RELATIONS_A_CALL]),
        )
        report = (await client.associations.DeclareAssociations(request, timeout=TIMEOUT_S)).report
        if report.dropped:
            raise StackError(f"a relation was dropped: {report.dropped[0]}")
    return refs


def area_under_curve(graded: Sequence[Graded]) -> float:
    """The chance that a true claim has more points than one that is not; equal points count half."""
    true = [one.points for one in graded if one.is_true]
    others = [one.points for one in graded if not one.is_true]
    won = sum((mine > theirs) + 0.5 * (mine == theirs) for mine in true for theirs in others)
    return won / (len(true) * len(others))


def by_level(graded: Sequence[Graded]) -> dict[int, tuple[int, float]]:
    """Claims of each number of points, and the share of the true ones among them."""
    levels = sorted({one.points for one in graded})
    of = {points: [one.is_true for one in graded if one.points == points] for points in levels}
    return {points: (len(truths), sum(truths) / len(truths)) for points, truths in of.items()}


async def find_confidence(client: RensouClient) -> Found:
    """How confidence goes with truth, with certainty unset and with it."""
    claims = make_claims()
    graded = {
        "certainty unset": await grade(client, claims, "bench-claims-unset", stated=False),
        "certainty stated": await grade(client, claims, "bench-claims-stated", stated=True),
    }
    rows: list[Row] = []
    for name, of in graded.items():
        label = f"confidence, {name}"
        rows.append((label, "AUC", len(of), f"{area_under_curve(of):.3f}"))
        rows += [
            (label, f"true claims of {points} points", count, f"{share:.3f}")
            for points, (count, share) in by_level(of).items()
        ]
    series = {
        name: [by_level(of).get(points, (0, 0.0))[1] for points in range(_POINTS + 1)] for name, of in graded.items()
    }
    return Found(rows, Panel("true claims by points", [str(points) for points in range(_POINTS + 1)], series))
