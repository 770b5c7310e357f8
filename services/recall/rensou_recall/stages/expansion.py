"""Other names of the entities that a question mentions: votes of the lexical arm, never of the vector arm."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from rensou_recall.types.expansion import AliasMatch
from rensou_shared.ids import EntityId

MAX_MATCHES = 64
"""Names and aliases that one question is matched with."""
MAX_TERMS = 32
"""Names that one question is widened by."""


def mentioned_entities(normalized_question: str, matches: Iterable[AliasMatch]) -> tuple[EntityId, ...]:
    """The entities that the question mentions: longest name first, then by name, then by number.

    A name counts when it occurs somewhere outside of what a name before it took; entities that share a name all count.
    At most 64 matches are looked at.
    """
    ordered = sorted(matches, key=lambda match: (-len(match.normalized), match.normalized, match.entity_id))
    by_name: dict[str, list[EntityId]] = defaultdict(list)
    for match in ordered[:MAX_MATCHES]:
        by_name[match.normalized].append(match.entity_id)
    taken = bytearray(len(normalized_question))
    entities: list[EntityId] = []
    for name, named in by_name.items():
        if _take(normalized_question, name, taken):
            entities += named
    return tuple(dict.fromkeys(entities))


def _take(question: str, name: str, taken: bytearray) -> bool:
    """Takes every free occurrence of `name`; whether there was one."""
    found = False
    for start in _occurrences(question, name):
        end = start + len(name)
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * len(name)
            found = True
    return found


def _occurrences(question: str, name: str) -> Iterator[int]:
    start = question.find(name)
    while start >= 0:
        yield start
        start = question.find(name, start + 1)
