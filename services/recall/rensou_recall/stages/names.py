"""Reading names, predicates and the ends of relations."""

from typing import Final

from rensou_recall.types.declaration import Name
from rensou_recall.types.graph import DropReason
from rensou_shared.domain import MAX_NAME_CHARS
from rensou_shared.ids import RecordRef, looks_like_ref, parse_record_ref
from rensou_shared.text.normalize import normalize_name
from rensou_shared.text.validate import TextProblem, check_text

# Normalisation may lengthen a text many times (U+FDFA becomes 18 letters), and a key of an index ends at 2,704 bytes.
_MAX_NORMALIZED_BYTES: Final = 2_000

_REASONS: Final = {
    TextProblem.NUL: DropReason.INVALID_TEXT,
    TextProblem.SURROGATE: DropReason.INVALID_TEXT,
    TextProblem.BLANK: DropReason.EMPTY,
    TextProblem.TOO_LONG: DropReason.TOO_LONG,
}


def read_predicate(text: str) -> Name | DropReason:
    """The predicate that `text` is, or why it is none: 1-256 code points after the trim, before normalisation."""
    written = text.strip()
    problem = check_text(written, max_chars=MAX_NAME_CHARS)
    if problem is not None:
        return _REASONS[problem]
    normalized = normalize_name(written)
    if normalized == "":
        return DropReason.EMPTY
    if len(normalized.encode()) > _MAX_NORMALIZED_BYTES:
        return DropReason.TOO_LONG
    return Name(written, normalized)


def read_name(text: str) -> Name | DropReason:
    """The name or alias that `text` is, or why it is none.

    What looks like a ref once it is normalised ("mem:x", "ENT:5") is never a name: the caller meant a record or an
    entity, and a name of that form could not be asked for.
    """
    name = read_predicate(text)
    if isinstance(name, Name) and looks_like_ref(name.normalized):
        return DropReason.INVALID_REF
    return name


def read_end(text: str) -> Name | RecordRef | DropReason:
    """The end of a relation that `text` is: a record when it is a record's ref, otherwise an entity's name."""
    return parse_record_ref(text.strip()) or read_name(text)
