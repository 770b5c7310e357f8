"""Can reports be trusted? Three simulated reporters a question, who are wrong in a share of their verdicts."""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from intelligence_corrections import StoredCase, store_cases
from intelligence_found import Found, Panel, Row
from intelligence_sets import TIMEOUT_S, TOP, Correction, load_corrections
from rensou.v1 import feedback_service_pb2 as feedback
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.errors import StackError

REPORTERS = 3
_ERRORS = (0.0, 0.1, 0.3)
_USED, _UNUSED, _WRONG = feedback.USE_VERDICT_USED, feedback.USE_VERDICT_UNUSED, feedback.USE_VERDICT_WRONG


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the reports of one agent agree with what was scored; shares between 0 and 1.

    `listed` are the records of GetDiagnostics that two reporters and more called wrong; `listed_precision` is the share
    of replaced records among them.
    """

    judged: int
    agreement: float
    wrong_precision: float
    wrong_recall: float
    listed: int
    listed_precision: float


async def measure_reports(client: RensouClient, cases: Sequence[Correction], error: float) -> Agreement:
    """Asks every question for every reporter, reports, and reads the diagnosis.

    Raises:
        StackError: A report was not taken.
    """
    agent = f"bench-reports-{round(error * 100)}"
    stored = await store_cases(client, cases, agent)
    chance = random.Random(f"reports/{error}")
    said: dict[tuple[str, str], list[feedback.UseVerdict]] = defaultdict(list)
    scored: dict[tuple[str, str], feedback.UseVerdict] = {}
    for one in stored:
        for _ in range(REPORTERS):
            answer = await client.recall.Recall(
                rpc.RecallRequest(scope=pb.ReadScope(agent_id=agent), query=one.case.question, limit=TOP, report=True),
                timeout=TIMEOUT_S,
            )
            items: list[feedback.UseReport] = []
            for hit in answer.hits:
                key = (one.case.question, hit.record.ref)
                scored[key] = truth(one, hit.record.ref)
                verdict = mistaken(scored[key], chance) if chance.random() < error else scored[key]
                said[key].append(verdict)
                items.append(feedback.UseReport(ref=hit.record.ref, verdict=verdict))
            await _report(client, agent, answer.recall_id, items)
    request = feedback.GetDiagnosticsRequest(agent_id=agent)
    diagnosed = await client.feedback.GetDiagnostics(request, timeout=TIMEOUT_S)
    listed = [one.ref for one in diagnosed.refs if one.wrong >= 2]
    replaced = {one.old for one in stored}
    called = [key for key, verdicts in said.items() if verdicts.count(_WRONG) >= 2]
    wrong = [key for key, verdict in scored.items() if verdict == _WRONG]
    return Agreement(
        len(scored),
        mean(Counter(verdicts).most_common(1)[0][0] == scored[key] for key, verdicts in said.items()),
        mean(scored[key] == _WRONG for key in called) if called else 0.0,
        mean(key in called for key in wrong),
        len(listed),
        mean(ref in replaced for ref in listed) if listed else 0.0,
    )


def truth(one: StoredCase, ref: str) -> feedback.UseVerdict:
    """What a reporter who errs never says of a hit of the case's answer."""
    return _USED if ref == one.correction else _WRONG if ref == one.old else _UNUSED


def mistaken(verdict: feedback.UseVerdict, chance: random.Random) -> feedback.UseVerdict:
    """The opposite: what is right is called wrong, what is wrong used, and what is neither one of the two."""
    if verdict == _UNUSED:
        return chance.choice((_USED, _WRONG))
    return _WRONG if verdict == _USED else _USED


async def _report(client: RensouClient, agent: str, recall_id: str, items: Sequence[feedback.UseReport]) -> None:
    request = feedback.ReportUseRequest(agent_id=agent, recall_id=recall_id, items=items)
    answer = await client.feedback.ReportUse(request, timeout=TIMEOUT_S)
    if any(one.HasField("dropped") for one in answer.results):
        raise StackError(f"a report was not taken: {answer.results}")


async def find_reports(client: RensouClient) -> Found:
    """How far reports agree with what was scored."""
    found = {error: await measure_reports(client, load_corrections(), error) for error in _ERRORS}
    rows: list[Row] = []
    for error, one in found.items():
        label = f"reports, {error:.0%} wrong"
        rows += [
            (label, "majority is the scored verdict", one.judged, f"{one.agreement:.3f}"),
            (label, "two said wrong: precision", one.judged, f"{one.wrong_precision:.3f}"),
            (label, "two said wrong: recall", one.judged, f"{one.wrong_recall:.3f}"),
            (label, "of the listed, replaced", one.listed, f"{one.listed_precision:.3f}"),
        ]
    series = {
        "agreement": [one.agreement for one in found.values()],
        "wrong: precision": [one.wrong_precision for one in found.values()],
        "wrong: recall": [one.wrong_recall for one in found.values()],
    }
    return Found(rows, Panel("reports", [f"{error:.0%}" for error in found], series))
