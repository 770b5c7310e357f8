"""Bodies of the embedding server's requests: checked before anything reaches the model."""

import json
from dataclasses import dataclass

from rensou_embedded.embedding_engine import Side
from rensou_shared.json_types import is_array, is_object

MAX_TEXTS = 100


class BadRequestError(ValueError):
    """The body is not what the contract says; the message names the field."""


@dataclass(frozen=True, slots=True)
class TextsRequest:
    """A checked body: 1 to 100 texts without NUL or lone surrogates."""

    texts: tuple[str, ...]
    side: Side
    wants_token_info: bool


def parse_texts_request(body: bytes) -> TextsRequest:
    """Parse the body of `/embed` or `/count_tokens`.

    Raises:
        BadRequestError: it breaks the contract.
    """
    fields = _parse_object(body)
    token_info = fields.get("token_info", False)
    if not isinstance(token_info, bool):
        raise BadRequestError("token_info must be true or false")
    return TextsRequest(_parse_texts(fields.get("texts")), _parse_side(fields.get("side", Side.PASSAGE)), token_info)


def _parse_object(body: bytes) -> dict[str, object]:
    try:
        fields: object = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadRequestError("the body is not JSON in UTF-8") from error
    if not is_object(fields):
        raise BadRequestError("the body must be a JSON object")
    return fields


def _parse_side(side: object) -> Side:
    if not isinstance(side, str) or side not in (Side.QUERY, Side.PASSAGE):
        raise BadRequestError('side must be "query" or "passage"')
    return Side(side)


def _parse_texts(texts: object) -> tuple[str, ...]:
    if not is_array(texts) or not texts:
        raise BadRequestError("texts must be a list of at least one string")
    if len(texts) > MAX_TEXTS:
        raise BadRequestError(f"texts holds {len(texts)} strings, at most {MAX_TEXTS} are allowed")
    return tuple(_parse_text(index, text) for index, text in enumerate(texts))


def _parse_text(index: int, text: object) -> str:
    if not isinstance(text, str):
        raise BadRequestError(f"texts[{index}] is not a string")
    if "\x00" in text:
        # The engine reads C strings: it would embed what stands before the NUL and say nothing.
        raise BadRequestError(f"texts[{index}] holds a NUL character")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise BadRequestError(f"texts[{index}] holds a lone surrogate")
    return text
