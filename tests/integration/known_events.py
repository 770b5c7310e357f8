"""What was known at a time, as plainly as it can be said: a list of events, replayed up to that time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Verb = Literal[
    "store", "revise", "relate", "join", "retract", "name", "mention", "unmention", "delete", "assert", "forget"
]
Interval = tuple[int | None, int | None]
Target = tuple[Literal["record", "relation"], int]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at minute `at`. Things have numbers from 1 in the order in which they first appear.

    store, revise: record `one`, its `text`, whether it has a vector. relate: relation `number` of records `one` and
    `other` by `text`. join: the same of entities. retract: relation `number`. name, delete: entity `one`. mention,
    unmention: record `one`, entity `other`. assert: `interval` of `target`. forget: record `one`.
    """

    at: int
    verb: Verb
    one: int = 0
    other: int = 0
    number: int = 0
    text: str = ""
    embedded: bool = True
    target: Target | None = None
    interval: Interval = (None, None)


@dataclass(slots=True)
class Facts:
    """What stands."""

    texts: dict[int, tuple[int, str, bool]] = field(default_factory=dict[int, tuple[int, str, bool]])
    """Of each record its revision, its text, and whether it has a vector."""
    between_records: dict[int, tuple[int, str, int]] = field(default_factory=dict[int, tuple[int, str, int]])
    between_entities: dict[int, tuple[int, str, int]] = field(default_factory=dict[int, tuple[int, str, int]])
    declared: dict[int, int] = field(default_factory=dict[int, int])
    """When each relation was declared."""
    entities: set[int] = field(default_factory=set[int])
    mentions: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    valid: dict[Target, Interval] = field(default_factory=dict[Target, Interval])

    def apply(self, event: Event) -> None:
        """What stands once the event has happened."""
        match event.verb:
            case "store" | "revise":
                former = self.texts.get(event.one, (0, "", False))
                self.texts[event.one] = (former[0] + 1, event.text, event.embedded)
            case "relate" | "join":
                relations = self.between_records if event.verb == "relate" else self.between_entities
                relations[event.number] = (event.one, event.text, event.other)
                self.declared[event.number] = event.at
            case "name":
                self.entities.add(event.one)
            case "mention":
                self.mentions.add((event.one, event.other))
            case "assert":
                assert event.target is not None
                self.valid[event.target] = event.interval
            case _:
                self._take(event)

    def _take(self, event: Event) -> None:
        match event.verb:
            case "retract":
                self._retract(event.number)
            case "unmention":
                self.mentions.remove((event.one, event.other))
            case "delete":
                self._delete(event.one)
            case _:
                self.forget(event.one)

    def _retract(self, number: int) -> None:
        self.between_records.pop(number, None)
        self.between_entities.pop(number, None)
        self.valid.pop(("relation", number), None)

    def _delete(self, entity: int) -> None:
        self.entities.discard(entity)
        self.mentions = {one for one in self.mentions if one[1] != entity}
        for number, (one, _, other) in list(self.between_entities.items()):
            if entity in (one, other):
                self._retract(number)

    def forget(self, record: int) -> None:
        """Takes the record away with all that hangs on it."""
        self.texts.pop(record, None)
        self.valid.pop(("record", record), None)
        self.mentions = {one for one in self.mentions if one[0] != record}
        for number, (one, _, other) in list(self.between_records.items()):
            if record in (one, other):
                self._retract(number)

    def allows(self, event: Event) -> bool:
        """Whether the event can happen to what stands: what cannot is none."""
        match event.verb:
            case "revise":
                return event.one in self.texts and self.texts[event.one][1] != event.text
            case "relate":
                return self._may_join(event, set(self.texts), self.between_records)
            case "join":
                return self._may_join(event, self.entities, self.between_entities)
            case "retract":
                return self._has(("relation", event.number))
            case "mention" | "unmention":
                stands = (event.one, event.other) in self.mentions
                ends = event.one in self.texts and event.other in self.entities
                return stands if event.verb == "unmention" else ends and not stands
            case "assert":
                return event.target is not None and self._has(event.target)
            case "delete":
                return event.one in self.entities
            case "forget":
                return event.one in self.texts
            case _:
                return True

    @staticmethod
    def _may_join(event: Event, things: set[int], relations: dict[int, tuple[int, str, int]]) -> bool:
        triple = (event.one, event.text, event.other)
        return event.one != event.other and {event.one, event.other} <= things and triple not in relations.values()

    def _has(self, target: Target) -> bool:
        kind, number = target
        if kind == "record":
            return number in self.texts
        return number in self.between_records or number in self.between_entities

    def state(self, target: Target, moment: int) -> str:
        """What the target is at a moment of the world: timeless, valid, past or future."""
        if target not in self.valid:
            return "timeless"
        begins, ends = self.valid[target]
        if begins is not None and moment < begins:
            return "future"
        return "past" if ends is not None and ends <= moment else "valid"

    def successors(self, record: int) -> set[int] | None:
        """Who stands in the record's place at the ends of its chains of corrections; None: it stands there itself.

        What two records of one circle say of each other counts for nothing.
        """
        pairs = {(one, other) for one, predicate, other in self.between_records.values() if predicate == "corrects"}
        reaches = {start: _reached(start, pairs) for start in self.texts}
        edges = {(one, other) for one, other in pairs if one not in reaches[other]}
        above = {one for one, _ in edges}, {other for _, other in edges}
        if record not in above[1]:
            return None
        return {one for one in _reached(record, {(other, one) for one, other in edges}) if one not in above[1]}

    def is_outside(self, kind: Literal["record", "relation"], number: int, moment: int) -> bool:
        """Whether the thing is asserted to be true at other moments alone."""
        return self.state((kind, number), moment) in ("past", "future")

    def edges(self, entity: int, moment: int | None = None) -> dict[int, int]:
        """The entities that relations join to this one, each with the newest relation: latest, then lowest number.

        With `moment`, relations that may be true then.
        """
        newest: dict[int, int] = {}
        for number, (one, _, other) in sorted(
            self.between_entities.items(), key=lambda found: (-self.declared[found[0]], found[0])
        ):
            if entity in (one, other) and (moment is None or not self.is_outside("relation", number, moment)):
                newest.setdefault(one + other - entity, number)
        return newest


def _reached(start: int, pairs: set[tuple[int, int]]) -> set[int]:
    """Everything that the pairs lead to from `start`, itself included."""
    seen = {start}
    while more := {other for one, other in pairs if one in seen} - seen:
        seen |= more
    return seen


def known_at(events: Sequence[Event], moment: int) -> Facts:
    """What was known at `moment`: everything up to then, and of it nothing that was forgotten at any time."""
    facts = Facts()
    for event in events:
        if event.at <= moment:
            facts.apply(event)
    for event in events:
        if event.verb == "forget":
            facts.forget(event.one)
    return facts
