"""Checks of text that a caller sent; they name the problem, and the edge words it."""

import enum
import unicodedata

from rensou_shared.text.characters import SILENT

# White space is asked of `str.isspace`; these are the other characters that leave nothing to read or to look for.
_INVISIBLE_CATEGORIES = frozenset({"Cf", "Cc", "Zs", "Zl", "Zp"})


class TextProblem(enum.Enum):
    """Why a text is refused."""

    NUL = "nul"
    """It holds U+0000, which PostgreSQL cannot store."""
    SURROGATE = "surrogate"
    """It holds a lone UTF-16 surrogate, which is no character."""
    BLANK = "blank"
    """It holds nothing but white space and invisible characters."""
    TOO_LONG = "too_long"
    """It is over its bound in code points or in UTF-8 bytes."""


def check_text(
    text: str, *, max_chars: int, max_bytes: int | None = None, allow_blank: bool = False
) -> TextProblem | None:
    """Return the first problem of `text`, or None.

    The order is TOO_LONG by code points, NUL, SURROGATE, TOO_LONG by bytes, BLANK: the cheap bound first, so that
    nothing is computed over a text that is too long to look at. `max_chars` counts code points, `max_bytes` bytes of
    UTF-8.
    """
    if len(text) > max_chars:
        return TextProblem.TOO_LONG
    if "\x00" in text:
        return TextProblem.NUL
    size_bytes = _utf8_bytes(text)
    if size_bytes is None:
        return TextProblem.SURROGATE
    if max_bytes is not None and size_bytes > max_bytes:
        return TextProblem.TOO_LONG
    if not allow_blank and is_blank(text):
        return TextProblem.BLANK
    return None


def is_blank(text: str) -> bool:
    """Whether `text` is empty or holds only white space, controls and invisible characters.

    Invisible are format characters (U+200B, U+FEFF …), variation selectors and the Hangul fillers. Punctuation and
    symbols ("!!!", an emoji) are visible.
    """
    return all(_is_invisible(char) for char in text)


def is_blank_query(text: str) -> bool:
    """Whether a query asks for the newest records instead of a search; the embedder is not called for it."""
    return is_blank(text)


def _is_invisible(char: str) -> bool:
    return char.isspace() or ord(char) in SILENT or unicodedata.category(char) in _INVISIBLE_CATEGORIES


def _utf8_bytes(text: str) -> int | None:
    """Return the size of `text` in UTF-8, or None when a lone surrogate makes it unwritable."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        return None
