"""From a ranking to the answer: which records have to be read, the count cut, and what a time cue does after it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from rensou_recall.stages.cue_places import MOST_PLACES, count_moved, may_be_seated, move_up
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Question, Ranked
from rensou_recall.types.time_cue import CueFindings, CueOutcome
from rensou_shared.ids import RecordId


@dataclass(frozen=True, slots=True)
class Cued:
    """What a time cue found, with those of it that may be seated, best first."""

    findings: CueFindings
    seatable: tuple[Ranked, ...]

    @property
    def most(self) -> int:
        """Places up at most, and seats."""
        return MOST_PLACES[self.findings.confidence]


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits; `window`, those of the ranking before a time cue moved them; what the cue did (None without one)."""

    window: tuple[Ranked, ...]
    hits: tuple[Ranked, ...]
    outcome: CueOutcome | None = None


def cued(findings: CueFindings | None, found: Sequence[RecordId], admitted: Sequence[Ranked]) -> Cued | None:
    """The cue's findings beside what the arms found and what the ranking holds; None stays None."""
    if findings is None:
        return None
    by_id = {one.record_id: one for one in admitted}
    return Cued(findings, may_be_seated(findings.found.hits, set(found), by_id))


def ids_to_read(admitted: Sequence[Ranked], cued: Cued | None, question: Question) -> list[RecordId]:
    """The records that the answer may hold: refs name kinds, which rankings lack, so what is excluded is read too."""
    ids = [one.record_id for one in admitted[: question.to_read]]
    if cued is not None:
        known = set(ids)
        further = (one.record_id for one in cued.seatable if one.record_id not in known)
        ids += islice(further, cued.most + len(question.exclude))
    return ids


def answer(
    admitted: Sequence[Ranked],
    cued: Cued | None,
    records: Mapping[RecordId, StoredRecord],
    question: Question,
    reached: Sequence[Ranked] = (),
) -> Answer:
    """The first `keep` that are not excluded, moved by the cue, then its seats, then what only the graph `reached`.

    A record forgotten between the statements (absent from `records`) is not there to be quoted.
    """

    def is_there(one: Ranked) -> bool:
        return one.record_id in records and records[one.record_id].ref not in question.exclude

    window = tuple(islice(filter(is_there, admitted[: question.to_read]), question.keep))
    # Who asks for no hit wants none of the others either.
    held_places = tuple(filter(is_there, reached)) if question.keep else ()
    if cued is None:
        return Answer(window, (*window, *held_places))
    moved = move_up(window, [hit.record_id for hit in cued.findings.found.hits], cued.most)
    held = {one.record_id for one in window}
    free = (one for one in cued.seatable if one.record_id not in held and is_there(one))
    seats = tuple(islice(free, cued.most if question.keep else 0))
    outcome = CueOutcome(cued.findings, count_moved(window, moved), len(seats))
    seated = {one.record_id for one in seats}
    places = (one for one in held_places if one.record_id not in seated)
    return Answer(window, (*moved, *seats, *places), outcome)
