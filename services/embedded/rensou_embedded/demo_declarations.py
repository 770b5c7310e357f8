"""The associations and the script that belong to a demo text, parsed strictly from JSON.

Form of the file (an entry is named by its time, as written in the work log)::

    {"declarations": [
       {"anchor": "2026-01-08T09:30:00+00:00",
        "entities": [{"name": "Marta Okonjo", "aliases": ["Sparrow"]}],
        "relations": [{"subject": "Sparrow", "predicate": "maintains", "object": "gw-tls-7"},
                      {"subject": {"entry": "…"}, "predicate": "corrects", "object": {"entry": "…"}}]}],
     "script": {
       "recall": [{"question": "…", "entry": "…"}],
       "reconstruct": {"question": "…", "entries": ["…"]},
       "traverse": {"entity": "Sparrow", "max_hops": 2, "reaches": [{"entity": "…", "hops": 2}]}}}

Everything in a declaration is anchored to its entry, and each of its entities is mentioned there. Declarations rise in
time, one per entry. The ends of a relation are entities declared there or earlier, by name or alias, or entries.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from rensou_embedded.demo_json import JsonNode, parse_json
from rensou_embedded.demo_worklog import DemoEntry, parse_offset_time
from rensou_shared.text.normalize import normalize_name

MAX_TRAVERSE_HOPS = 5
"""The walk's own bound; a script that asks for more could not be played."""


@dataclass(frozen=True, slots=True)
class DemoEntity:
    """An entity as declared in one place; a later declaration without aliases only adds a mention."""

    name: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntityEnd:
    """A relation's end that is an entity, by name or alias."""

    name: str


@dataclass(frozen=True, slots=True)
class EntryEnd:
    """A relation's end that is a record: the position of its entry."""

    position: int


@dataclass(frozen=True, slots=True)
class DemoRelation:
    """A typed edge; read as ``subject predicate object``."""

    subject: EntityEnd | EntryEnd
    predicate: str
    object: EntityEnd | EntryEnd


@dataclass(frozen=True, slots=True)
class DemoDeclaration:
    """What one entry declares; ``anchor`` is the position of that entry."""

    anchor: int
    entities: tuple[DemoEntity, ...]
    relations: tuple[DemoRelation, ...]


@dataclass(frozen=True, slots=True)
class RecallQuestion:
    """A question and the position of the entry that answers it."""

    question: str
    expected_entry: int


@dataclass(frozen=True, slots=True)
class ReconstructQuestion:
    """A question and the positions of the entries that its answer is made of, in time order."""

    question: str
    expected_entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReachedEntity:
    """An entity that the walk must show, by declared name, and its distance in relations."""

    name: str
    hops: int


@dataclass(frozen=True, slots=True)
class TraverseStart:
    """Where the walk starts (a name or alias), how far it goes, and what it must show among others."""

    entity: str
    max_hops: int
    reaches: tuple[ReachedEntity, ...]


@dataclass(frozen=True, slots=True)
class DemoScript:
    """What the demo asks of the stored corpus."""

    recalls: tuple[RecallQuestion, ...]
    reconstruct: ReconstructQuestion
    traverse: TraverseStart


@dataclass(frozen=True, slots=True)
class _Positions:
    """Entry positions by time."""

    by_time: Mapping[datetime, int]

    def find(self, node: JsonNode) -> int:
        written = node.text()
        try:
            occurred_at = parse_offset_time(written)
        except ValueError as error:
            raise node.error(str(error)) from error
        if occurred_at not in self.by_time:
            raise node.error(f"there is no entry at {written}")
        return self.by_time[occurred_at]


@dataclass(slots=True)
class _EntityNames:
    """Which entity each declared name and alias stands for, grown while declarations are read in order."""

    owners: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, node: JsonNode, owner: str) -> str:
        """Return the node's name or alias, now known to stand for the owner alone."""
        name = node.text()
        known = self.owners.setdefault(normalize_name(name), owner)
        if known != owner:
            raise node.error(f"{name!r} already names {known!r}")
        return name

    def require(self, node: JsonNode) -> str:
        name = node.text()
        if normalize_name(name) not in self.owners:
            raise node.error(f"no entity named {name!r} is declared up to here")
        return name


def parse_declarations(
    text: str, file: str, entries: tuple[DemoEntry, ...]
) -> tuple[tuple[DemoDeclaration, ...], DemoScript]:
    """Parse the associations file of a work log whose entries are given; ``file`` is the name that errors carry.

    Raises:
        DemoFormatError: the text breaks the format of this module; the place is the JSON path, or the line where the
            text is no JSON.
    """
    root = parse_json(text, file).members("declarations", "script")
    positions = _Positions({entry.occurred_at: entry.position for entry in entries})
    names = _EntityNames()
    declarations: list[DemoDeclaration] = []
    for node in root["declarations"].items():
        declaration = _parse_declaration(node, positions, names)
        if declarations and declaration.anchor <= declarations[-1].anchor:
            raise node.error("declarations rise in time, one per entry")
        declarations.append(declaration)
    return tuple(declarations), _parse_script(root["script"], positions, names)


def _parse_declaration(node: JsonNode, positions: _Positions, names: _EntityNames) -> DemoDeclaration:
    members = node.members("anchor", "entities", "relations")
    return DemoDeclaration(
        anchor=positions.find(members["anchor"]),
        entities=tuple(_parse_entity(item, names) for item in members["entities"].items()),
        relations=tuple(_parse_relation(item, positions, names) for item in members["relations"].items()),
    )


def _parse_entity(node: JsonNode, names: _EntityNames) -> DemoEntity:
    members = node.members("name", "aliases")
    name = members["name"].text()
    names.add(members["name"], owner=name)
    return DemoEntity(name=name, aliases=tuple(names.add(alias, owner=name) for alias in members["aliases"].items()))


def _parse_relation(node: JsonNode, positions: _Positions, names: _EntityNames) -> DemoRelation:
    members = node.members("subject", "predicate", "object")
    return DemoRelation(
        subject=_parse_end(members["subject"], positions, names),
        predicate=members["predicate"].text(),
        object=_parse_end(members["object"], positions, names),
    )


def _parse_end(node: JsonNode, positions: _Positions, names: _EntityNames) -> EntityEnd | EntryEnd:
    if isinstance(node.value, str):
        return EntityEnd(names.require(node))
    return EntryEnd(positions.find(node.members("entry")["entry"]))


def _parse_script(node: JsonNode, positions: _Positions, names: _EntityNames) -> DemoScript:
    members = node.members("recall", "reconstruct", "traverse")
    return DemoScript(
        recalls=tuple(_parse_recall(item, positions) for item in members["recall"].items()),
        reconstruct=_parse_reconstruct(members["reconstruct"], positions),
        traverse=_parse_traverse(members["traverse"], names),
    )


def _parse_recall(node: JsonNode, positions: _Positions) -> RecallQuestion:
    members = node.members("question", "entry")
    return RecallQuestion(members["question"].text(), positions.find(members["entry"]))


def _parse_reconstruct(node: JsonNode, positions: _Positions) -> ReconstructQuestion:
    members = node.members("question", "entries")
    found = sorted(positions.find(item) for item in members["entries"].items())
    return ReconstructQuestion(members["question"].text(), tuple(found))


def _parse_traverse(node: JsonNode, names: _EntityNames) -> TraverseStart:
    members = node.members("entity", "max_hops", "reaches")
    max_hops = members["max_hops"].integer(1, MAX_TRAVERSE_HOPS)
    return TraverseStart(
        entity=names.require(members["entity"]),
        max_hops=max_hops,
        reaches=tuple(_parse_reached(item, max_hops, names) for item in members["reaches"].items()),
    )


def _parse_reached(node: JsonNode, max_hops: int, names: _EntityNames) -> ReachedEntity:
    members = node.members("entity", "hops")
    return ReachedEntity(names.require(members["entity"]), members["hops"].integer(1, max_hops))
