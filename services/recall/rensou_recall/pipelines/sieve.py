"""valid_at in retrieval: what is not true then leaves the ranking before a profile and before the count cut."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rensou_recall.pipelines.profile import Profiled
from rensou_recall.stages.cue_places import MOST_PLACES
from rensou_recall.stages.validity import join_left_out, passed_over
from rensou_recall.store.records import load_newest_records
from rensou_recall.store.validity import load_newest_outside, load_outside
from rensou_recall.types.gate import Gated
from rensou_recall.types.records import StoredRecord
from rensou_recall.types.retrieval import Question, Ranked
from rensou_recall.types.time_cue import CueFindings
from rensou_recall.types.validity import LeftOut
from rensou_shared.db.pool import Connection
from rensou_shared.ids import RecordId, RecordRef
from rensou_shared.scope import ReadScope


@dataclass
class Sieve:
    """Leaves out what is not true at the question's valid_at, and nothing when it names none."""

    connection: Connection
    scope: ReadScope
    question: Question
    removed: int = 0
    _left_out: list[LeftOut] = field(default_factory=list[LeftOut])

    @property
    def left_out(self) -> LeftOut:
        """What was left out so far, uncut."""
        return join_left_out(*self._left_out)

    async def admitted(self, gated: Gated) -> Gated:
        """What the gate admitted, without what is not true then; listed is what the answer has passed over."""
        outside = await self._outside([one.record_id for one in gated.admitted])
        if not outside:
            return gated
        self._note(gated.admitted, outside, self.question.keep)
        kept = tuple(one for one in gated.admitted if one.record_id not in outside)
        self.removed += len(gated.admitted) - len(kept)
        return replace(gated, admitted=kept)

    async def held(self, profiled: Profiled) -> Profiled:
        """The places that a profile holds behind the ranking, without those."""
        outside = await self._outside([one.record_id for one in profiled.held])
        if not outside:
            return profiled
        self._note(profiled.held, outside, len(profiled.held))
        return replace(profiled, held=tuple(one for one in profiled.held if one.record_id not in outside))

    async def cued(self, findings: CueFindings | None) -> CueFindings | None:
        """What a time cue found, without those; listed are those before as many others as it may seat."""
        if findings is None:
            return None
        hits = findings.found.hits
        outside = await self._outside([one.record_id for one in hits])
        if not outside:
            return findings
        most = MOST_PLACES[findings.confidence]
        self._note([Ranked(one.record_id, 0.0, ()) for one in hits], outside, most)
        kept = tuple(one for one in hits if one.record_id not in outside)
        return replace(findings, found=replace(findings.found, hits=kept))

    async def newest(self) -> list[StoredRecord]:
        """The newest records that may be true then; listed are the others above the last of them."""
        valid_at = self.question.valid_at
        newest = await load_newest_records(self.connection, self.scope, self.question.to_read, valid_at)
        if valid_at is not None and self.question.to_read:
            is_full = len(newest) == self.question.to_read
            above = newest[-1].ref.id if is_full else RecordId(0)
            found = await load_newest_outside(self.connection, self.scope, above, valid_at)
            refs = tuple(ref for ref in found.refs if ref not in self.question.exclude)
            self._left_out.append(replace(found, refs=refs))
        return newest

    async def _outside(self, ids: Sequence[RecordId]) -> dict[RecordId, RecordRef]:
        if self.question.valid_at is None or not ids:
            return {}
        return await load_outside(self.connection, self.scope, ids, self.question.valid_at)

    def _note(self, ranked: Sequence[Ranked], outside: dict[RecordId, RecordRef], places: int) -> None:
        exclude = self.question.exclude
        places = places + len(exclude) if self.question.keep else 0
        self._left_out.append(LeftOut(passed_over(ranked, outside, exclude, places)))
