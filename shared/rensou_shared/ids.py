"""Ids and the references that callers see: "mem:12", "ep:7", "ent:5", "rel:9"."""

import re
from dataclasses import dataclass
from typing import Literal, NewType

AgentId = NewType("AgentId", str)
RecordId = NewType("RecordId", int)
EntityId = NewType("EntityId", int)
RelationId = NewType("RelationId", int)
BuildId = NewType("BuildId", int)
ModelId = NewType("ModelId", int)

RecordKind = Literal["mem", "ep"]

MAX_ID = 2**63 - 1

# ASCII digits only: "\d" would also take full-width ones, which are another spelling of the same record.
_REF = re.compile(r"(mem|ep|ent|rel):([0-9]{1,19})\Z")
_BUILD_REF = re.compile(r"build:([0-9]{1,19})\Z")


@dataclass(frozen=True, slots=True, order=True)
class RecordRef:
    """A record as callers name it. Ordered by kind (episodes before memories), then number."""

    kind: RecordKind
    id: RecordId

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


def _parse(text: str, kinds: tuple[str, ...]) -> tuple[str, int] | None:
    match = _REF.match(text)
    if match is None or match[1] not in kinds:
        return None
    number = int(match[2])
    return (match[1], number) if 1 <= number <= MAX_ID else None


def parse_record_ref(text: str) -> RecordRef | None:
    """The record that `text` names ("mem:N", "ep:N"; leading zeros are taken), or None when it has another form."""
    match _parse(text, ("mem", "ep")):
        case ("mem", number):
            return RecordRef("mem", RecordId(number))
        case ("ep", number):
            return RecordRef("ep", RecordId(number))
        case _:
            return None


def parse_entity_ref(text: str) -> EntityId | None:
    """The entity that `text` names ("ent:N"), or None when it has another form."""
    parsed = _parse(text, ("ent",))
    return None if parsed is None else EntityId(parsed[1])


def parse_relation_ref(text: str) -> RelationId | None:
    """The relation that `text` names ("rel:N"), or None when it has another form."""
    parsed = _parse(text, ("rel",))
    return None if parsed is None else RelationId(parsed[1])


def parse_build_ref(text: str) -> BuildId | None:
    """The build that `text` names ("build:N"), or None when it has another form."""
    match = _BUILD_REF.match(text)
    number = int(match[1]) if match else 0
    return BuildId(number) if 1 <= number <= MAX_ID else None


def looks_like_ref(text: str) -> bool:
    """Whether `text` begins as a ref does: such text is never an entity's name."""
    return re.match(r"(mem|ep|ent|rel):", text) is not None


def format_entity_ref(entity_id: EntityId) -> str:
    """ "ent:N"."""
    return f"ent:{entity_id}"


def format_relation_ref(relation_id: RelationId) -> str:
    """ "rel:N"."""
    return f"rel:{relation_id}"


def format_build_ref(build_id: BuildId) -> str:
    """ "build:N"."""
    return f"build:{build_id}"
