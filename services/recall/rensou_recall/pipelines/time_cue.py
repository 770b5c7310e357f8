"""Following a time cue: its period, what is in it, and one widening when that is nothing."""

from datetime import UTC, datetime

from rensou_recall.stages.cue_period import is_recent, less_sure, needs_span, own_period, widen
from rensou_recall.stages.cue_places import cue_order
from rensou_recall.store.time_cue import CueSearch, load_cued, load_newest_of_period, load_scope_span
from rensou_recall.types.time_cue import CuedPeriod, CueFindings, CueIgnored, Period, TimeCue
from rensou_shared.db.pool import Connection
from rensou_shared.scope import ReadScope


async def follow_cue(
    connection: Connection, scope: ReadScope, cue: TimeCue, search: CueSearch | None, now: datetime | None = None
) -> CueFindings:
    """What the scope reads of the cue's period, best first; without `search` (a blank question) newest first.

    `now` (aware) is the clock's when None.
    """
    now = datetime.now(UTC) if now is None else now
    span = await load_scope_span(connection, scope) if needs_span(cue.form) else None
    own = own_period(cue.form, now, span)
    if is_recent(own, now):
        return CueFindings(own, cue.confidence, ignored=CueIgnored.RECENT_ONLY)
    period, confidence = widen(own, cue.confidence), cue.confidence
    found = await _look(connection, scope, period, search)
    wider = None if found.held else less_sure(confidence)
    if wider is None:
        return CueFindings(period, confidence, found=found)
    period = widen(own, wider)
    return CueFindings(period, wider, revised=True, found=await _look(connection, scope, period, search))


async def _look(connection: Connection, scope: ReadScope, period: Period, search: CueSearch | None) -> CuedPeriod:
    if search is None:
        return await load_newest_of_period(connection, scope, period)
    found = await load_cued(connection, scope, period, search)
    return CuedPeriod(cue_order(found.hits), found.held, found.cut)
