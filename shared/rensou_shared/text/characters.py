"""Classes of characters that the other text modules agree on."""

import unicodedata
from collections.abc import Iterable
from typing import Final

# Marks end before the emoji planes; format characters and selectors live in the BMP and at two places above it.
_MARK_SPACE: Final = range(0x0300, 0x1F000)
_FORMAT_SPACE: Final = (range(0x00AD, 0x1D200), range(0xE0000, 0xE0080))

# Characters that draw nothing although their category is not Cf: the grapheme joiner, the Hangul fillers and
# the variation selectors (Unicode property Default_Ignorable_Code_Point).
_SILENT_RANGES: Final = (
    range(0x034F, 0x0350),
    range(0x115F, 0x1161),
    range(0x17B4, 0x17B6),
    range(0x180B, 0x1810),
    range(0x3164, 0x3165),
    range(0xFE00, 0xFE10),
    range(0xFFA0, 0xFFA1),
    range(0xE0100, 0xE01F0),
)


def _with_category(codes: Iterable[int], initial: str) -> list[int]:
    return [code for code in codes if unicodedata.category(chr(code)).startswith(initial)]


def _class_body(codes: Iterable[int]) -> str:
    """Return ascending `codes` as the inside of a regular expression's character class."""
    runs: list[list[int]] = []
    for code in codes:
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in runs)


SILENT: Final = frozenset(code for run in _SILENT_RANGES for code in run)
"""Code points that draw nothing and are not format characters."""

FORMAT: Final = frozenset(code for space in _FORMAT_SPACE for code in _with_category(space, "Cf"))
"""Code points of category Cf: zero-width spaces and joiners, direction marks, the byte-order mark, tags."""

MARKS: Final = _class_body(_with_category(_MARK_SPACE, "M"))
"""Combining marks, as the inside of a character class: `\\w` of the `re` module leaves them out."""

CJK: Final = (
    "\u1100-\u11ff\u3005-\u3007\u303b\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001aff0-\U0001b16f\U00020000-\U000323af"
)
"""Kana, kanji with every extension, bopomofo and hangul; the middle dot U+30FB is punctuation and left out."""

UNSPACED: Final = "\u0e01-\u0e4e\u0e80-\u0ece\u1000-\u109d\u1780-\u17d3"
"""Thai, Lao, Burmese and Khmer: written without spaces, so they are cut like CJK (digits left out)."""

KANJI: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""Kanji with every extension, the repetition mark and the ideographic zero."""

KATAKANA: Final = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
"""Katakana and the mark of a long vowel; half-width forms are folded into these."""

HIRAGANA: Final = "\u3041-\u309f"
"""Hiragana: mostly endings and particles, as stop words are in English."""
