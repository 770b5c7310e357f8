"""Where a node of a long text ends."""

import re
from collections.abc import Callable
from typing import Final

from rensou_shared.text.grapheme import last_grapheme_boundary

_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n")
_WIDE_SENTENCE_ENDS: Final = frozenset("。．！？")
_NARROW_SENTENCE_ENDS: Final = frozenset(".!?")


def choose_cut(text: str, window_end: int) -> int:
    """Return where to cut `text` so that the left part ends at or before `window_end`.

    `text` is all that remains, or its beginning with at least one code point past the window.

    Separators are tried from strong to weak: blank line, line, sentence end, white space; the last one of its kind
    counts, stays with the left part, and is refused if it leaves less than half the window. With none, the cut
    is `window_end`, moved back so that no visible character is torn unless a single one fills the window. All offsets
    are code points; `window_end` is cut to the text's length.

    Raises:
        ValueError: `window_end` is under 1.
    """
    if window_end < 1:
        raise ValueError("a window must hold at least one code point")
    window_end = min(window_end, len(text))
    for last_end in (_last_paragraph, _last_line, _last_sentence, _last_whitespace):
        cut = last_end(text, window_end)
        if cut * 2 >= window_end:
            return cut
    return last_grapheme_boundary(text, window_end) or window_end


def _last_paragraph(text: str, window_end: int) -> int:
    """Return the end of the last blank line, 0 for none. Matches do not overlap: of three line feeds two count."""
    end = 0
    for match in _PARAGRAPH.finditer(text, 0, window_end):
        end = match.end()
    return end


def _last_line(text: str, window_end: int) -> int:
    return text.rfind("\n", 0, window_end) + 1


def _last_sentence(text: str, window_end: int) -> int:
    return _last_end(text, window_end, _ends_sentence)


def _last_whitespace(text: str, window_end: int) -> int:
    return _last_end(text, window_end, lambda text, end: text[end - 1].isspace())


def _last_end(text: str, window_end: int, ends: Callable[[str, int], bool]) -> int:
    """Return the last end that satisfies `ends` and keeps half the window, 0 for none."""
    for end in range(window_end, (window_end - 1) // 2, -1):
        if ends(text, end):
            return end
    return 0


def _ends_sentence(text: str, end: int) -> bool:
    """Whether a sentence ends before `text[end]`; a narrow stop needs white space or the text's end, as in "3.14"."""
    mark = text[end - 1]
    if mark in _WIDE_SENTENCE_ENDS:
        return True
    return mark in _NARROW_SENTENCE_ENDS and (end == len(text) or text[end].isspace())
