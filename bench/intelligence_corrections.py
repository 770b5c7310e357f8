"""Who believes an old record? The correction set under each resolution."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from intelligence_found import Found, Panel, Row
from intelligence_sets import TIMEOUT_S, TOP, Correction, ask, load_corrections, memory
from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import resolution_pb2 as resolution
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.demo_store import store_all
from rensou_embedded.errors import StackError

AGENT = "bench-corrections"
RESOLUTIONS = {
    "any": resolution.RESOLUTION_ANY,
    "annotate": resolution.RESOLUTION_ANNOTATE,
    "current": resolution.RESOLUTION_CURRENT,
}
_RELATIONS_A_CALL = 50


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A case with the refs of its two records."""

    case: Correction
    old: str
    correction: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reader of one answer meets."""

    language: str
    stale: bool
    unmarked: bool
    corrector_returned: bool
    corrector_first: bool


@dataclass(frozen=True, slots=True)
class Shares:
    """The same over many answers, between 0 and 1."""

    cases: int
    stale: float
    unmarked: float
    corrector_returned: float
    corrector_first: float


async def store_cases(client: RensouClient, cases: Sequence[Correction], agent_id: str = AGENT) -> list[StoredCase]:
    """Stores each case's distractors, its old record and the correcting one, and declares what corrects what.

    Raises:
        StackError: A record was refused, or a relation dropped.
    """
    stored: list[StoredCase] = []
    for case in cases:
        texts = (*case.distractors, case.old, case.correction)
        *_, old, correction = await store_all(client, [memory(agent_id, text) for text in texts])
        stored.append(StoredCase(case, old, correction))
    for start in range(0, len(stored), _RELATIONS_A_CALL):
        relations = [
            pb.RelationDeclaration(subject=one.correction, predicate="corrects", object=one.old)
            for one in stored[start : start + _RELATIONS_A_CALL]
        ]
        request = assoc.DeclareAssociationsRequest(
            scope=pb.WriteScope(agent_id=agent_id), associations=pb.Associations(relations=relations)
        )
        report = (await client.associations.DeclareAssociations(request, timeout=TIMEOUT_S)).report
        if report.dropped:
            raise StackError(f"a correction was dropped: {report.dropped[0]}")
    return stored


def judge(one: StoredCase, hits: Sequence[rpc.Hit]) -> Verdict:
    """What the answer to the case's question makes believe."""
    refs = [hit.record.ref for hit in hits]
    unmarked = [
        place
        for place, hit in enumerate(hits)
        if hit.record.ref == one.old and hit.quote.content and hit.standing.state != resolution.RECORD_STATE_REPLACED
    ]
    returned = one.correction in refs
    is_behind = not returned or (bool(unmarked) and unmarked[0] < refs.index(one.correction))
    return Verdict(
        one.case.language,
        stale=bool(unmarked) and is_behind,
        unmarked=bool(unmarked),
        corrector_returned=returned,
        corrector_first=bool(refs) and refs[0] == one.correction,
    )


def shares(verdicts: Sequence[Verdict]) -> Shares:
    """The share of each finding."""
    return Shares(
        len(verdicts),
        mean(one.stale for one in verdicts),
        mean(one.unmarked for one in verdicts),
        mean(one.corrector_returned for one in verdicts),
        mean(one.corrector_first for one in verdicts),
    )


async def measure_corrections(client: RensouClient, cases: Sequence[Correction]) -> dict[str, list[Verdict]]:
    """One verdict a case under each resolution, by name."""
    stored = await store_cases(client, cases)
    scope = pb.ReadScope(agent_id=AGENT)
    return {
        name: [
            judge(
                one,
                await ask(
                    client,
                    rpc.RecallRequest(scope=scope, query=one.case.question, limit=TOP, resolution=value),
                ),
            )
            for one in stored
        ]
        for name, value in RESOLUTIONS.items()
    }


async def find_corrections(client: RensouClient) -> Found:
    """The shares under each resolution."""
    verdicts = await measure_corrections(client, load_corrections())
    found = {name: shares(of) for name, of in verdicts.items()}
    panel = Panel(
        "corrections",
        list(found),
        {
            "stale as current": [one.stale for one in found.values()],
            "corrector returned": [one.corrector_returned for one in found.values()],
        },
    )
    figures = {
        "stale_as_current": {name: round(one.stale, 4) for name, one in found.items()},
        "corrector_returned": round(found["current"].corrector_returned, 4),
    }
    return Found(_rows(verdicts), panel, figures)


def _rows(verdicts: Mapping[str, Sequence[Verdict]]) -> list[Row]:
    """The shares by language, and whole."""
    rows: list[Row] = []
    for name, of in verdicts.items():
        for language in ("en", "ja", ""):
            found = shares([one for one in of if language in (one.language, "")])
            label = f"corrections, {name}{language and ', ' + language}"
            rows += [
                (label, "stale as current", found.cases, f"{found.stale:.3f}"),
                (label, "old text quoted without a mark", found.cases, f"{found.unmarked:.3f}"),
                (label, "corrector returned", found.cases, f"{found.corrector_returned:.3f}"),
                (label, "corrector first", found.cases, f"{found.corrector_first:.3f}"),
            ]
    return rows
