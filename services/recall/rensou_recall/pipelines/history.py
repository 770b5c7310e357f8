"""What a record or a relation was, and since when, a page a call."""

from datetime import UTC, datetime

from rensou_recall.pipelines.deps import Deps
from rensou_recall.stages.page_token import open_position, seal_position
from rensou_recall.store.history import load_marks, load_mentions, load_relations, load_texts, load_validities
from rensou_recall.store.listing import is_readable
from rensou_recall.types.call import Call
from rensou_recall.types.history import History, HistoryEntry, HistoryKey, HistoryQuestion
from rensou_recall.types.listing import PageBinding, Position
from rensou_shared.db.pool import Connection
from rensou_shared.errors import RecordNotFound, RelationNotFound
from rensou_shared.ids import RecordRef, format_relation_ref

_START = HistoryKey(datetime.min.replace(tzinfo=UTC), -1, 0)


async def get_history(deps: Deps, call: Call, question: HistoryQuestion) -> History:
    """A page of what stood, by when it began.

    Raises:
        InvalidPageToken: The token is none of this history.
        RecordNotFound, RelationNotFound: The call does not read it.
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    scope, target, page = question.scope, question.target, question.page
    ref = str(target) if isinstance(target, RecordRef) else format_relation_ref(target)
    binding = PageBinding("GetHistory", scope, (ref, str(question.texts)))
    after = _key(open_position(deps.page_key, binding, page.token))
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        if isinstance(target, RecordRef):
            if not await is_readable(connection, scope, target):
                raise RecordNotFound(ref)
            locked, retired_at = await load_marks(connection, scope.agent_id, target.id)
        else:
            if not await load_relations(connection, scope, target, _START, 1):
                raise RelationNotFound(ref)
            locked, retired_at = False, None
        found = await _load(connection, question, after, page.size + 1)
    shown = found[: page.size]
    token = seal_position(deps.page_key, binding, _position(shown[-1].key)) if len(found) > page.size else ""
    return History(tuple(shown), token, locked, retired_at)


async def _load(connection: Connection, question: HistoryQuestion, after: HistoryKey, keep: int) -> list[HistoryEntry]:
    """The first `keep` entries after the key: the first of each kind hold them."""
    scope, target = question.scope, question.target
    found = await load_relations(connection, scope, target, after, keep)
    found += await load_validities(connection, scope, target, after, keep)
    if isinstance(target, RecordRef):
        found += await load_texts(connection, scope, target, after, keep, question.texts)
        found += await load_mentions(connection, scope, target, after, keep)
    return sorted(found, key=lambda entry: entry.key)[:keep]


def _position(key: HistoryKey) -> Position:
    return key.began_at.isoformat(), key.kind, key.number


def _key(position: Position) -> HistoryKey:
    if not position:
        return _START
    began_at, kind, number = position
    return HistoryKey(datetime.fromisoformat(str(began_at)), int(kind), int(number))
