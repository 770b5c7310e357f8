"""Other names of what a question names."""

from dataclasses import dataclass

from rensou_shared.ids import EntityId


@dataclass(frozen=True, slots=True)
class AliasMatch:
    """A name or alias, normalised, that occurs in the question."""

    entity_id: EntityId
    normalized: str


@dataclass(frozen=True, slots=True)
class Expansion:
    """Other names of what a question names, as written, that are added to it; `omitted`: how many more there are."""

    terms: tuple[str, ...] = ()
    omitted: int = 0
