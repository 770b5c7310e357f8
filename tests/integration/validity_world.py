"""Saying when things are true, and asking what is, on the pipelines around one database."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rensou_recall.pipelines.recall import RecallAnswer, RecallQuestion, recall
from rensou_recall.pipelines.reconstruct import reconstruct
from rensou_recall.pipelines.store import store
from rensou_recall.pipelines.validity import assert_validity
from rensou_recall.types.call import Call, Principal
from rensou_recall.types.evidence import Reconstruction, ReconstructQuestion
from rensou_recall.types.graph import Associations, DropReason, RelationDeclaration
from rensou_recall.types.interval import Interval
from rensou_recall.types.records import NewRecord
from rensou_recall.types.retrieval import Fusion, GateLevel
from rensou_recall.types.standing import Resolution
from rensou_recall.types.storing import StoreItem, StoreResult
from rensou_recall.types.validity import Asserted, Assertion, AssertionAnswer, Claimed, ValidityTarget
from rensou_shared.ids import AgentId, RelationId, parse_record_ref
from rensou_shared.scope import ReadScope, WriteScope
from tests.integration.rensou_world import ANN, BOUNDS, EVERYTHING, Rensou


def year(number: int) -> datetime:
    """The first instant of a year."""
    return datetime(number, 1, 1, tzinfo=UTC)


def years(valid_from: int | None, valid_to: int | None) -> Interval:
    """From the first instant of a year to that of another."""
    return Interval(*(None if one is None else year(one) for one in (valid_from, valid_to)))


def target(ref: str) -> ValidityTarget:
    """What a ref names."""
    return parse_record_ref(ref) or RelationId(int(ref.removeprefix("rel:")))


async def claim(
    rensou: Rensou, ref: str, claimed: Claimed, agent: AgentId = ANN, principal: Principal | None = None
) -> AssertionAnswer:
    """What becomes of one assertion."""
    call = rensou.call()
    call = call if principal is None else Call(principal, call.deadline_at)
    (answer,) = await assert_validity(rensou.deps, call, agent, [Assertion(target(ref), claimed)])
    return answer


async def says(rensou: Rensou, ref: str, valid_from: int | None, valid_to: int | None) -> Interval:
    """What stands of the ref after it is said to be true between two years (None: as it stands)."""
    interval = years(valid_from, valid_to)
    answer = await claim(rensou, ref, Claimed(interval.valid_from, interval.valid_to))
    assert isinstance(answer, Asserted), answer
    return answer.interval


async def keep(
    rensou: Rensou, content: str, validity: Interval | DropReason | None = None, **fields: Any
) -> StoreResult:
    """A stored memory; `fields` are `scope`, `associations` and those of a new record."""
    scope = fields.pop("scope", WriteScope(ANN, "", ""))
    associations = fields.pop("associations", None)
    record = NewRecord("mem", content, **fields)
    return await store(rensou.deps, rensou.call(), StoreItem(scope, record, associations, validity))


async def declares(
    rensou: Rensou,
    *relations: tuple[str, str, str],
    validity: Interval | DropReason | None = None,
    scope: WriteScope | None = None,
) -> list[str]:
    """The refs of relations, declared together by a record of their own."""
    said = tuple(RelationDeclaration(*relation, validity) for relation in relations)
    content = " ".join(" ".join(relation) for relation in relations) + f" {validity}"
    result = await keep(
        rensou, content, scope=scope or WriteScope(ANN, "", ""), associations=Associations(relations=said)
    )
    assert result.report is not None
    return [f"rel:{one.id}" for one in result.report.relations]


async def asks(
    rensou: Rensou, text: str, valid_at: int | None = None, scope: ReadScope = EVERYTHING, **fields: Any
) -> RecallAnswer:
    """What Recall says; `valid_at` is a year, `fields` are further ones of the question."""
    at = None if valid_at is None else year(valid_at)
    limit = fields.pop("limit", 10)
    question = RecallQuestion(text, limit, 1_000, Fusion.CONVEX, (), gate=GateLevel.OFF, valid_at=at, **fields)
    return await recall(rensou.deps, rensou.call(), scope, question)


async def assembles(
    rensou: Rensou,
    text: str,
    valid_at: int | None = None,
    scope: ReadScope = EVERYTHING,
    bounds: Any = BOUNDS,
    resolution: Resolution = Resolution.ANY,
) -> Reconstruction:
    """What Reconstruct says; `valid_at` is a year."""
    at = None if valid_at is None else year(valid_at)
    question = ReconstructQuestion(text, Fusion.CONVEX, bounds, gate=GateLevel.OFF, valid_at=at, resolution=resolution)
    return await reconstruct(rensou.deps, rensou.call(), scope, question)


def refs(answer: RecallAnswer) -> list[str]:
    """The hits, best first."""
    return [str(hit.record.ref) for hit in answer.hits]


def claims(answer: Reconstruction) -> Sequence[str]:
    """The claims of all items, in order."""
    return [str(one.ref) for item in answer.items for one in item.claims]
