"""The relevance gate: what it reads, and then its decisions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rensou_recall.pipelines.calibrator import Calibrator
from rensou_recall.pipelines.embedder import QueryVector
from rensou_recall.stages.calibrate import SAMPLE
from rensou_recall.stages.gate import gate, open_gate, words_wanted
from rensou_recall.stages.unrelated import Script, script_of
from rensou_recall.store.gate import load_word_shares
from rensou_recall.types.gate import Gated
from rensou_recall.types.ranking import Ranking
from rensou_recall.types.retrieval import Candidates, GateLevel, Question
from rensou_shared.db.pool import Connection
from rensou_shared.ids import ModelId
from rensou_shared.scope import ReadScope
from rensou_shared.text.index import question_terms


@dataclass(frozen=True, slots=True, eq=False)
class Yardstick:
    """What one question is measured with; without vectors of unrelated questions nothing is calibrated."""

    model_id: ModelId | None
    script: Script
    unrelated: NDArray[np.float32] | None


def sample_size(question: Question) -> int:
    """How many of the agent's records the gate is measured with."""
    return 0 if question.gate is GateLevel.OFF else SAMPLE


async def yardstick(calibrator: Calibrator, question: Question, query: QueryVector, timeout_s: float) -> Yardstick:
    """What `question` is measured with; waits for the embedding server once a model and script."""
    script = script_of(question.text)
    if query.model is None or question.gate is GateLevel.OFF:
        return Yardstick(None, script, None)
    unrelated = await calibrator.questions(query.model, script, timeout_s)
    return Yardstick(query.model.id, script, unrelated)


async def gate_ranked(
    connection: Connection,
    scope: ReadScope,
    question: Question,
    calibrator: Calibrator,
    measured: Yardstick,
    ranked: Ranking,
    found: Candidates,
) -> Gated:
    """The gate's decisions about `ranked`, which what was `found` is behind."""
    if question.gate is GateLevel.OFF or not ranked:
        return open_gate(ranked)
    calibration = await calibrator.calibration(
        connection, scope.agent_id, found.sample, measured.model_id, measured.script, measured.unrelated
    )
    wanted = words_wanted(found.rows, calibration, question.gate)
    # The question as it was asked: names that aliases added vote, and do not open the gate.
    words = question_terms(scope.agent_id, question.text).hashes if wanted else []
    shares = await load_word_shares(connection, words, wanted) if wanted else {}
    by_id = {one.record_id: one for one in found.rows}
    return gate(ranked, by_id, shares, calibration, question.gate)
