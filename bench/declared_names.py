"""Entities as a machine without judgement would declare them: who speaks, and names that come twice."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from rensou_embedded.conversations import Turn

_MAX_NAMES: Final = 32
# A capital inside a sentence makes a name; at its start every word has one.
_INSIDE: Final = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b")
_WORD: Final = re.compile(r"\b[A-Z][a-z]{2,}\b")


def declared_names(turns: Sequence[Turn]) -> dict[str, list[str]]:
    """What each turn, by id, mentions: its speaker, and words with a capital inside sentences of at least two turns."""
    inside = Counter(name for turn in turns for name in set(_INSIDE.findall(turn.text)))
    names = {name for name, count in inside.items() if count >= 2} | {turn.speaker for turn in turns}
    return {
        turn.id: list(dict.fromkeys([turn.speaker, *(w for w in _WORD.findall(turn.text) if w in names)]))[:_MAX_NAMES]
        for turn in turns
    }
