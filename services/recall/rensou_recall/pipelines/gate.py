"""The relevance gate: what it reads, and then its decisions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rensou_recall.pipelines.calibrator import Calibrator
from rensou_recall.pipelines.embedder import QueryVector
from rensou_recall.stages.asked import as_asked
from rensou_recall.stages.calibrate import SAMPLE
from rensou_recall.stages.gate import gate, open_gate, words_wanted
from rensou_recall.stages.unrelated import Script, script_of
from rensou_recall.store.gate import load_first_by_words, load_word_shares
from rensou_recall.types.gate import Calibration, Gated
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
    # The question as it was asked: names that aliases added vote, and do not open the gate.
    if question.extra_terms:
        return await _gate_as_asked(connection, scope, question, ranked, found, calibration)
    wanted = words_wanted(found.rows, calibration, question.gate)
    shares = await load_word_shares(connection, _words(scope, question), wanted) if wanted else {}
    by_id = {one.record_id: one for one in found.rows}
    return gate(ranked, by_id, shares, calibration, question.gate)


async def _gate_as_asked(
    connection: Connection,
    scope: ReadScope,
    question: Question,
    ranked: Ranking,
    found: Candidates,
    calibration: Calibration,
) -> Gated:
    """The decisions about candidates of a widened question, by what they say of it as it was asked."""
    words = _words(scope, question)
    said = [one.record_id for one in found.rows if one.bm25 > 0]
    shares = await load_word_shares(connection, words, said) if said else {}
    # Only where words decide, and only of records without a vector, it matters which says most.
    alone = words_wanted(found.rows, calibration, question.gate) and any(one.cosine is None for one in found.rows)
    first = await load_first_by_words(connection, scope, words) if alone else None
    asked = as_asked(found.rows, shares, first)
    return gate(ranked, asked.rows, shares, calibration, question.gate, asked.unheard)


def _words(scope: ReadScope, question: Question) -> list[int]:
    return question_terms(scope.agent_id, question.text).hashes
