"""JSON over HTTP with a bound on time and size, and failures told apart by what helps against them."""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

from rensou_shared.embedding.errors import (
    EmbeddingMalformedError,
    EmbeddingRejectedError,
    EmbeddingUnavailableError,
)
from rensou_shared.json_types import is_array, is_object

MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024

ReadRefusal = Callable[[int, bytes], EmbeddingRejectedError | None]
"""Told a status that is no success and the first 4 kB of its body, says whether it is a refusal after all."""

_MAX_REFUSAL_BYTES: Final = 4_096
_TRANSIENT_STATUSES: Final = frozenset({408, 424, 425, 429})  # 424: text-embeddings-inference's model failed
_PERMANENT_SERVER_STATUSES: Final = frozenset({501, 505})
_LONGEST_RETRY_AFTER_S: Final = 600.0  # a wrong header must not shut a server out for a day


async def request_json(
    client: httpx.AsyncClient, request: httpx.Request, timeout_s: float, read_refusal: ReadRefusal | None = None
) -> Mapping[str, object]:
    """Send `request` and return the JSON object that answers it, within `timeout_s` from first byte to last.

    Raises:
        EmbeddingUnavailableError: no connection, no answer in time, 408, 424, 425, 429 or 5xx.
        EmbeddingMalformedError: no JSON object, or more than 64 MiB.
        EmbeddingRejectedError: any other status, redirects included.
    """
    answer = _parse(await _request(client, request, timeout_s, read_refusal))
    if not is_object(answer):
        raise EmbeddingMalformedError("the answer is no JSON object")
    return answer


async def request_json_list(
    client: httpx.AsyncClient, request: httpx.Request, timeout_s: float, read_refusal: ReadRefusal | None = None
) -> list[object]:
    """Send `request` and return the JSON array that answers it, as `request_json` does.

    Raises:
        EmbeddingUnavailableError, EmbeddingMalformedError, EmbeddingRejectedError: See `request_json`.
    """
    answer = _parse(await _request(client, request, timeout_s, read_refusal))
    if not is_array(answer):
        raise EmbeddingMalformedError("the answer is no JSON array")
    return answer


async def _request(
    client: httpx.AsyncClient, request: httpx.Request, timeout_s: float, read_refusal: ReadRefusal | None
) -> bytes:
    try:
        async with asyncio.timeout(timeout_s):
            return await _exchange(client, request, read_refusal)
    except (TimeoutError, httpx.TimeoutException):
        raise EmbeddingUnavailableError(f"no answer within {timeout_s:.3g} s") from None
    except httpx.DecodingError:
        raise EmbeddingMalformedError("the answer's content encoding is broken") from None
    except httpx.TransportError as error:
        raise EmbeddingUnavailableError(f"no connection ({type(error).__name__})") from error


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds that a Retry-After header asks for, 0 to 600; None when there is none to read."""
    if value is None:
        return None
    try:
        if value.strip().isascii() and value.strip().isdigit():
            wait_s = float(value)
        else:
            date = parsedate_to_datetime(value)
            wait_s = ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds()
    except (ValueError, OverflowError):
        return None
    return min(max(wait_s, 0.0), _LONGEST_RETRY_AFTER_S)


async def _exchange(client: httpx.AsyncClient, request: httpx.Request, read_refusal: ReadRefusal | None) -> bytes:
    response = await client.send(request, stream=True)
    try:
        if read_refusal is not None and not response.is_success:
            refusal = read_refusal(response.status_code, await _read_start(response))
            if refusal is not None:
                raise refusal
        _raise_for_status(response)
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_ANSWER_BYTES:
                raise EmbeddingMalformedError(f"an answer of over {MAX_ANSWER_BYTES} bytes")
        return bytes(body)
    finally:
        await response.aclose()


async def _read_start(response: httpx.Response) -> bytes:
    start = bytearray()
    async for chunk in response.aiter_bytes():
        start += chunk
        if len(start) >= _MAX_REFUSAL_BYTES:
            break
    return bytes(start[:_MAX_REFUSAL_BYTES])


def _raise_for_status(response: httpx.Response) -> None:
    """Raise for any status but success. Its body is in no message: a server may quote the text that it refuses."""
    status = response.status_code
    if 200 <= status < 300:
        return
    if status in _TRANSIENT_STATUSES or (status >= 500 and status not in _PERMANENT_SERVER_STATUSES):
        wait_s = parse_retry_after(response.headers.get("retry-after"), datetime.now(UTC))
        raise EmbeddingUnavailableError(f"status {status}", wait_s)
    raise EmbeddingRejectedError(f"status {status}", status)


def _parse(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise EmbeddingMalformedError("the answer is no JSON") from None
