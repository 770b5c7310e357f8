"""The form in which the lexical arm reads text; made for matching, never shown or stored as text."""

import unicodedata
from typing import Final

from rensou_shared.text.characters import FORMAT, SILENT

# NFKC turns the spacing sound marks into a space and a combining mark, which tears か゛ apart; as combining marks
# they compose to が. The typographic apostrophes are one apostrophe.
_BEFORE_NFKC: Final = str.maketrans({"゛": "\u3099", "゜": "\u309a", "‘": "'", "’": "'", "ʼ": "'"})

_ZERO_WIDTH_SPACE: Final = 0x200B  # a word boundary in scripts without spaces, unlike its kin

_AFTER_NFKC: Final[dict[int, str | None]] = dict.fromkeys(FORMAT | SILENT) | {_ZERO_WIDTH_SPACE: " "}


def fold_text(text: str) -> str:
    """Return `text` in NFKC, fully case-folded, NFKC again, without invisible characters.

    The second NFKC closes what folding opens (U+0390 folds into a decomposed form), so equal text has equal terms.
    """
    if text.isascii():
        return text.lower()
    composed = unicodedata.normalize("NFKC", text.translate(_BEFORE_NFKC))
    return unicodedata.normalize("NFKC", composed.casefold().translate(_AFTER_NFKC))
