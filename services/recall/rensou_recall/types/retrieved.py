"""The answer of retrieval."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rensou_recall.types.far import FarList
from rensou_recall.types.feedback import StageRefs
from rensou_recall.types.profile import ProfileOutcome
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Degradation, Fusion, Ranked
from rensou_recall.types.time_cue import CueOutcome
from rensou_recall.types.trace import Trace
from rensou_recall.types.validity import NOTHING_LEFT_OUT, LeftOut
from rensou_shared.ids import RecordId


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The answer of retrieval.

    Attributes:
        ranked: Best first, the first `keep` of the candidates that the gate admits and that are not excluded; then the
            seats of the time cue, and what only the declared graph reached.
        candidates: How many candidates the arms found.
        records: The records of `ranked`, all readable by the call.
        query_vector: Unit vector of the question, float32, or None.
        fusion: None for the answer to a blank question.
        model_id: The embedding model in use, or None.
        time_cue: What the time cue did; None without one.
        trace: How it came about, when the question asks for it.
        refused: How many candidates the gate refused.
        profile: What the profile did; None under FLAT and for a blank question.
        far: What was found among retired records, beside `ranked`; None where none was asked for.
        left_out: What is not true at the time that is asked for, in the order of the ranking, uncut.
        stages: What each stage found, when the question asks for it.
    """

    ranked: tuple[Ranked, ...]
    candidates: int
    records: Mapping[RecordId, StoredRecord]
    query_vector: NDArray[np.float32] | None
    fusion: Fusion | None
    model_id: int | None
    degradation: Degradation | None
    time_cue: CueOutcome | None = None
    trace: Trace | None = None
    refused: int = 0
    profile: ProfileOutcome | None = None
    far: FarList | None = None
    left_out: LeftOut = NOTHING_LEFT_OUT
    stages: StageRefs | None = None
