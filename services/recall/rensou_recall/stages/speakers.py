"""Who of those that records come from is named in a question."""

import re
from collections.abc import Iterable
from typing import Final

from rensou_shared.text.characters import CJK
from rensou_shared.text.normalize import normalize_name

_SPACED: Final = re.compile(rf"[^\W_{CJK}]")


def named_speaker(question: str, names: Iterable[str]) -> str | None:
    """The one name, in normal form, that stands in the question; None when none or several do.

    A name stands there as whole words, between characters of a script without spaces anywhere, and outside of a longer
    name that stands there. One without a letter or digit names nobody.
    """
    asked = normalize_name(question)
    known = {name for name in map(normalize_name, set(names)) if any(map(str.isalnum, name))}
    taken = bytearray(len(asked))
    found = [name for name in sorted(known, key=lambda one: (-len(one), one)) if _take(asked, name, taken)]
    return found[0] if len(found) == 1 else None


def _take(asked: str, name: str, taken: bytearray) -> bool:
    """Takes every free place where `name` stands; whether there was one."""
    found, start = False, asked.find(name)
    while start >= 0:
        end = start + len(name)
        is_whole = not _joins(asked[start - 1 : start], name[0]) and not _joins(name[-1], asked[end : end + 1])
        if is_whole and not any(taken[start:end]):
            taken[start:end] = b"\1" * len(name)
            found = True
        start = asked.find(name, start + 1)
    return found


def _joins(left: str, right: str) -> bool:
    """Whether two characters belong to one word."""
    return bool(_SPACED.match(left) and _SPACED.match(right))
