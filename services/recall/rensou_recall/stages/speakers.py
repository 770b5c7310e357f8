"""Who of those that records come from is named in a question."""

import re
from collections.abc import Iterable
from typing import Final

from rensou_shared.text.characters import CJK
from rensou_shared.text.normalize import normalize_name

_SPACED: Final = re.compile(rf"[^\W_{CJK}]")


def named_speaker(question: str, names: Iterable[str]) -> str | None:
    """The one name, in normal form, that stands in the question; None when none or several do.

    A name stands there as whole words; between characters of a script without spaces anywhere.
    """
    asked = normalize_name(question)
    found = {name for name in map(normalize_name, set(names)) if name and _stands_in(asked, name)}
    return found.pop() if len(found) == 1 else None


def _stands_in(asked: str, name: str) -> bool:
    start = asked.find(name)
    while start >= 0:
        end = start + len(name)
        if not _joins(asked[start - 1 : start], name[0]) and not _joins(name[-1], asked[end : end + 1]):
            return True
        start = asked.find(name, start + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether two characters belong to one word."""
    return bool(_SPACED.match(left) and _SPACED.match(right))
