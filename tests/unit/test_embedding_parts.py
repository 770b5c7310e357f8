"""Pure parts of the embedding adapters: addresses, batches, waits."""

import json
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_shared.embedding.batches import make_batches
from rensou_shared.embedding.cembedding_config import CEmbeddingConfig
from rensou_shared.embedding.checks import check_counts, check_vectors
from rensou_shared.embedding.errors import EmbeddingMalformedError, EmbeddingRejectedError, EmbeddingUnavailableError
from rensou_shared.embedding.port import TokenCount
from rensou_shared.embedding.retry import Backoff, Clock, retry_until
from rensou_shared.embedding.transport import parse_retry_after

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("embed_url", "sibling"),
    [
        ("http://h:8401/embed", "http://h:8401/count_tokens"),
        ("https://h/a/b/embed?k=v&x", "https://h/a/b/count_tokens?k=v&x"),
        ("http://h/embed/", "http://h/count_tokens"),
    ],
)
def test_a_sibling_route_replaces_the_last_segment(embed_url: str, sibling: str) -> None:
    assert CEmbeddingConfig(embed_url).route("count_tokens") == sibling


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"embed_url": "ftp://h/embed"}, "http or https"),
        ({"embed_url": "http:///embed"}, "http or https"),
        ({"embed_url": "http://h/"}, "end in /embed"),
        ({"embed_url": "http://h/notembed"}, "end in /embed"),
        ({"embed_url": "http://h:99999/embed"}, "[Pp]ort"),
        ({"bearer_token": ""}, "visible ASCII"),
        ({"bearer_token": "sécret"}, "visible ASCII"),
        ({"bearer_token": "a\nb"}, "visible ASCII"),
        ({"dimensions": 0}, "dimensions"),
        ({"max_batch_texts": 101}, "batch"),
        ({"max_batch_bytes": 0}, "batch"),
    ],
)
def test_a_wrong_setting_is_refused(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        CEmbeddingConfig(**{"embed_url": "http://h/embed"} | wrong)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20)), st.integers(1, 5))
def test_batches_hold_every_text_once_and_in_order(texts: list[str], max_texts: int) -> None:
    batches = make_batches(texts, max_texts, 200)
    assert [text for batch in batches for text in batch.texts] == texts
    assert [text for batch in batches for text in map(json.loads, batch.encoded)] == texts
    assert all(batch.texts[0] == texts[batch.first] for batch in batches)
    assert all(len(batch.texts) <= max_texts for batch in batches)
    assert all(len(b",".join(batch.encoded)) <= 200 for batch in batches)


@pytest.mark.parametrize(("max_bytes", "sizes"), [(5, [1, 1, 1, 1, 1]), (11, [1] * 5), (12, [2, 2, 1]), (18, [3, 2])])
def test_a_batch_counts_its_commas(max_bytes: int, sizes: list[int]) -> None:
    # "abc" and "京" are five bytes of JSON each, and a comma.
    batches = make_batches(["abc", "京", "abc", "京", "abc"], 100, max_bytes)
    assert [len(batch.texts) for batch in batches] == sizes


def test_a_text_over_the_bound_alone_is_refused_and_named() -> None:
    with pytest.raises(EmbeddingRejectedError, match="text 1: 6 bytes"):
        make_batches(["abc", "abcd"], 100, 5)


class Attempts:
    """Fails so many times on a clock that moves by one second an attempt and by every wait."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.seconds = 100.0
        self.remaining: list[float] = []
        self.clock = Clock(now=lambda: self.seconds, sleep=self.sleep, draw=lambda: 1.0)

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds

    async def attempt(self, remaining_s: float) -> str:
        self.remaining.append(remaining_s)
        self.seconds += 1.0
        if len(self.remaining) <= self.failures:
            raise EmbeddingUnavailableError("gone")
        return "done"


async def test_each_attempt_gets_what_is_left_of_the_time() -> None:
    work = Attempts(failures=2)
    assert await retry_until(120.0, work.attempt, Backoff(attempts=3, base_s=1.0), work.clock) == "done"
    assert work.remaining == [20.0, 18.0, 15.0]


@pytest.mark.parametrize(("deadline", "attempts"), [(200.0, 3), (102.0, 1), (102.5, 2), (100.5, 1), (100.0, 0)])
async def test_attempts_end_with_their_number_or_the_time(deadline: float, attempts: int) -> None:
    work = Attempts(failures=9)
    with pytest.raises(EmbeddingUnavailableError):
        await retry_until(deadline, work.attempt, Backoff(attempts=3, base_s=1.0), work.clock)
    assert len(work.remaining) == attempts


@given(st.lists(st.just("x"), min_size=2, max_size=9))
def test_halves_are_the_batch(texts: list[str]) -> None:
    (batch,) = make_batches(texts, 100, 1_000)
    left, right = batch.halves()
    assert (left.texts + right.texts, right.first) == (batch.texts, left.first + len(left.texts))
    assert left.texts and right.texts


@given(st.integers(1, 5_000), st.floats(0, 1, exclude_max=True), st.none() | st.floats(0, 600))
def test_a_wait_is_bounded_and_no_shorter_than_asked(failures: int, draw: float, asked_s: float | None) -> None:
    backoff = Backoff(base_s=0.1, cap_s=5.0)
    wait_s = backoff.wait_s(failures, draw, asked_s)
    assert (asked_s or 0.0) <= wait_s <= max(5.0, asked_s or 0.0)


def test_waits_double() -> None:
    backoff = Backoff(base_s=0.1, cap_s=0.5)
    assert [backoff.wait_s(failures, 1.0, None) for failures in range(1, 5)] == [0.1, 0.2, 0.4, 0.5]


@pytest.mark.parametrize(
    ("header", "wait_s"),
    [
        (None, None),
        ("7", 7.0),
        (" 0 ", 0.0),
        ("999999", 600.0),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("٣", None),
        ("", None),
    ],
)
def test_retry_after_is_read_in_both_its_forms(header: str | None, wait_s: float | None) -> None:
    assert parse_retry_after(header, NOW) == wait_s


@given(st.lists(st.lists(st.floats(-1e30, 1e30), min_size=3, max_size=3), min_size=1, max_size=5))
def test_accepted_vectors_are_of_unit_length(rows: list[list[float]]) -> None:
    if all(sum(value * value for value in row) >= 1e-17 for row in rows):
        vectors = check_vectors({"embeddings": rows}, len(rows), None)
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize(("width", "accepted"), [(4_000, True), (4_001, False)])
def test_a_width_is_bounded(width: int, accepted: bool) -> None:
    answer = {"embeddings": [[1e-9] + [0.0] * (width - 1)]}
    if accepted:
        assert check_vectors(answer, 1, None).shape == (1, width)
    else:
        with pytest.raises(EmbeddingMalformedError, match="4001 numbers"):
            check_vectors(answer, 1, None)


def test_a_vector_under_the_norm_floor_is_zero() -> None:
    with pytest.raises(EmbeddingMalformedError, match="zero vector"):
        check_vectors({"embeddings": [[0.9e-9, 0.0]]}, 1, None)


def test_the_smallest_window_is_one_token() -> None:
    entry = {"count": 1, "window": 1, "truncated": False, "window_end_char": 0}
    assert check_counts([entry], [""]) == (TokenCount(1, 1, False, 0),)
