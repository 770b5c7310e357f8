"""What is declared about a record by relations between records."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from rensou_recall.types.roles import Role
from rensou_shared.ids import RecordRef, RelationId

MAX_CHAIN = 8
"""Replacements that are followed one after another."""

MAX_SHOWN = 8
"""Entries of each list of a standing; what is beyond is counted."""

STANDING_ROLES = (Role.SUPERSEDES, Role.CORRECTS, Role.QUALIFIES, Role.CONTRADICTS)
"""The roles that a standing is made of."""


class Resolution(Enum):
    """What is done with replaced records."""

    ANY = auto()
    ANNOTATE = auto()
    CURRENT = auto()


@dataclass(frozen=True, slots=True)
class RoleEdge:
    """A declared relation between two records that the call may read.

    Attributes:
        subject_at: When the subject happened, or was stored where nobody said; UTC.
        object_at: The same of the object.
        declared_at: UTC.
    """

    id: RelationId
    role: Role
    subject: RecordRef
    subject_at: datetime
    object: RecordRef
    object_at: datetime
    declared_at: datetime


@dataclass(frozen=True, slots=True)
class Successor:
    """A record that is not replaced, at the end of a chain; `declared_at` is that of its newest relation on the way."""

    ref: RecordRef
    declared_at: datetime
    role: Role


@dataclass(frozen=True, slots=True)
class Replaced:
    """A record whose place `by` has taken."""

    ref: RecordRef
    by: RecordRef
    declared_at: datetime


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Another record that contradicts this one, while neither is replaced."""

    ref: RecordRef
    relation_id: RelationId


@dataclass(frozen=True, slots=True)
class Standing:
    """What is declared about a record. Lists are whole and in the order in which they are shown.

    Attributes:
        is_replaced: A readable record takes its place.
        successors: Who stands there now, the first to be seated first; empty when `chain_cut`.
        replaces: Records up to eight replacements away that it stands for.
        chain_cut: The chain goes on for longer than is followed.
    """

    is_replaced: bool = False
    successors: tuple[Successor, ...] = ()
    replaces: tuple[Replaced, ...] = ()
    qualified_by: tuple[RecordRef, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    chain_cut: bool = False
