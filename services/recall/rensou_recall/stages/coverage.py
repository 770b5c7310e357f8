"""Which parts of a question stand in which texts; the answer names the parts by their places alone."""

import re
from collections.abc import Mapping
from typing import Final
from unicodedata import normalize

from rensou_recall.types.trace import TracedCoverage, TracedPart
from rensou_shared.domain import RECALL_BUDGET_CHARS
from rensou_shared.ids import RecordRef

MAX_PARTS: Final = 32
_KANJI: Final = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KATAKANA: Final = "\u30a1-\u30ff\uff66-\uff9f"
_HIRAGANA: Final = "\u3041-\u309f"
# Words are what is left of letters, digits and underscores when the scripts without spaces are taken away.
_WORD: Final = rf"[^\W{_KANJI}{_KATAKANA}{_HIRAGANA}]{{2,}}"
_PARTS: Final = re.compile(rf"(?P<run>[{_KANJI}]{{2,}}|[{_KATAKANA}]{{2,}})|{_WORD}")
_WORDS: Final = re.compile(_WORD)


def cover(question: str, texts: Mapping[RecordRef, str]) -> TracedCoverage:
    """The parts of `question`, in its order, with the refs of `texts`, in theirs, that hold them."""
    parts = list(_PARTS.finditer(question))
    chars = RECALL_BUDGET_CHARS // max(len(texts), 1)
    folded = {ref: _fold(text[:chars]) for ref, text in texts.items()}
    words = {ref: frozenset(_WORDS.findall(text)) for ref, text in folded.items()}

    def holders(part: re.Match[str]) -> tuple[RecordRef, ...]:
        wanted = _fold(part[0])
        within = words if part["run"] is None else folded
        return tuple(ref for ref in texts if wanted in within[ref])

    return TracedCoverage(
        tuple(TracedPart(part.start(), part.end(), holders(part)) for part in parts[:MAX_PARTS]),
        max(len(parts) - MAX_PARTS, 0),
        chars,
    )


def _fold(text: str) -> str:
    return normalize("NFKC", text).casefold()
