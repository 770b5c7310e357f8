"""What the arms of the measurement of associations declare about a conversation, each from what it may know.

oracle, sessions: from the annotation, the asked question's own included: upper bounds of what a walk can add, nothing
that a deployment has. transfer: from the annotation of the other half of the questions. extractor: from the texts
alone, by rules. control: nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

from declared_names import declared_names
from rensou_embedded.conversations import Conversation, ConversationQuestion, Turn

# A turn declares at most so many relations of its own: what one call takes.
_MAX_RELATIONS: Final = 64


@dataclass(frozen=True, slots=True)
class Relation:
    """Two names of entities and what connects them; `turn`, if any, is the turn that it rests on."""

    subject: str
    predicate: str
    object: str
    turn: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """The names that each turn, by id, mentions, and relations between names."""

    mentions: dict[str, list[str]]
    relations: list[Relation]


def _turn_name(turn_id: str) -> str:
    return f"turn {turn_id}"


def co_evidence(questions: Iterable[ConversationQuestion]) -> Graph:
    """An entity for each turn that is evidence beside another, and a relation for each such pair."""
    pairs = sorted({pair for question in questions for pair in combinations(sorted(question.evidence), 2)})
    turns = sorted({turn for pair in pairs for turn in pair})
    relations = [Relation(_turn_name(one), "answers with", _turn_name(other)) for one, other in pairs]
    return Graph({turn: [_turn_name(turn)] for turn in turns}, relations)


def evidence_sessions(turns: Sequence[Turn], questions: Sequence[ConversationQuestion]) -> Graph:
    """Each turn that is evidence mentions its session and its speaker.

    Sessions that one question needs are related, and each session to those who spoke its evidence.
    """
    known = {turn.id: turn for turn in turns}
    session_of = {turn.id: f"session {turn.session}" for turn in turns}
    evidence = sorted({turn for question in questions for turn in question.evidence})
    joined = {
        pair
        for question in questions
        for pair in combinations(sorted({session_of[turn] for turn in question.evidence}), 2)
    }
    spoke = {(known[turn].speaker, session_of[turn]) for turn in evidence}
    relations = [Relation(one, "is needed with", other) for one, other in sorted(joined)]
    relations += [Relation(speaker, "spoke in", session) for speaker, session in sorted(spoke)]
    return Graph({turn: [session_of[turn], known[turn].speaker] for turn in evidence}, relations)


def extracted(turns: Sequence[Turn]) -> Graph:
    """Each turn mentions its speaker and the names in it; the speaker speaks of each, and neighbours go together."""
    names = declared_names(turns)
    relations: list[Relation] = []
    for turn in turns:
        others = [name for name in names[turn.id] if name != turn.speaker]
        own = [Relation(turn.speaker, "speaks of", name, turn.id) for name in others]
        own += [Relation(one, "is named with", other, turn.id) for one, other in pairwise(others)]
        relations += own[:_MAX_RELATIONS]
    return Graph(names, relations)


_NOTHING: Final = Graph({}, [])

GRAPHS: Final[dict[str, Callable[[Conversation], Graph]]] = {
    "control": lambda _: _NOTHING,
    "oracle": lambda one: co_evidence(one.questions),
    "sessions": lambda one: evidence_sessions(one.turns, one.questions),
    "extractor": lambda one: extracted(one.turns),
    "transfer-0": lambda one: co_evidence(one.questions[0::2]),
    "transfer-1": lambda one: co_evidence(one.questions[1::2]),
}
"""The projects that are declared into, and what: a project reads the records of all and no other project's graph."""


def arms_of(position: int) -> dict[str, str]:
    """The project that each arm asks the question at `position` in; transfer knows the other half's annotation."""
    arms = {name: name for name in ("control", "oracle", "sessions", "extractor")}
    return arms | {"transfer": f"transfer-{1 - position % 2}"}
