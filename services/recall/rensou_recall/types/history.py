"""What a record or a relation was, and since when."""

from dataclasses import dataclass
from datetime import datetime

from rensou_recall.types.graph import DeclaredBy
from rensou_recall.types.listing import PageRequest
from rensou_shared.ids import EntityId, RecordRef, RelationId
from rensou_shared.scope import ReadScope

End = EntityId | RecordRef
"""An end of a relation; an entity may be deleted by now."""


@dataclass(frozen=True, slots=True)
class HistoryQuestion:
    """Whose history is asked for, and which page; `texts`: whether the texts themselves are."""

    scope: ReadScope
    target: RecordRef | RelationId
    page: PageRequest
    texts: bool


@dataclass(frozen=True, slots=True)
class HistoricText:
    """A text of the record, current in [current_from, current_to); `content` is '' unless it was asked for."""

    revision: int
    current_from: datetime
    current_to: datetime | None
    content_chars: int
    content: str


@dataclass(frozen=True, slots=True)
class HistoricRelation:
    """A relation that stood in [declared_at, retracted_at)."""

    id: RelationId
    subject: End
    predicate: str
    object: End
    declared_by: DeclaredBy
    declared_at: datetime
    retracted_at: datetime | None


@dataclass(frozen=True, slots=True)
class HistoricMention:
    """A mention that stood in [declared_at, retracted_at)."""

    entity: EntityId
    declared_by: DeclaredBy
    declared_at: datetime
    retracted_at: datetime | None


@dataclass(frozen=True, slots=True)
class HistoricValidity:
    """An assertion of [valid_from, valid_to), None unbounded, that stood in [recorded_at, superseded_at)."""

    valid_from: datetime | None
    valid_to: datetime | None
    asserted_by: DeclaredBy
    recorded_at: datetime
    superseded_at: datetime | None


Historic = HistoricText | HistoricRelation | HistoricMention | HistoricValidity


@dataclass(frozen=True, slots=True, order=True)
class HistoryKey:
    """Where an entry stands: when it began, its kind (texts, relations, mentions, validities), its number."""

    began_at: datetime
    kind: int
    number: int


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One thing that stood for a time, and its place in the list."""

    key: HistoryKey
    value: Historic


@dataclass(frozen=True, slots=True)
class History:
    """A page; `next_token` is '' on the last one, `retired_at` None for a record that is not retired."""

    entries: tuple[HistoryEntry, ...]
    next_token: str
    locked: bool
    retired_at: datetime | None = None
