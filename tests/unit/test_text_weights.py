"""Hashes and BM25 weights of terms."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_shared.text.bm25 import MAX_NONZEROS, document_weights, format_sparsevec
from rensou_shared.text.hashing import (
    SPARSE_DIMENSIONS,
    Voice,
    hash_counts,
    hash_terms,
    sparse_index,
    term_hash,
)

NUMBERS = st.integers(-(2**63), 2**63 - 1)


@pytest.mark.parametrize(
    ("agent_id", "voice", "term", "number"),
    [
        ("agent", Voice.WORDS, "wtea", -7256596663513031955),
        ("agent", Voice.TRIGRAMS, "wtea", 2557172473167245872),
        ("", Voice.WORDS, "b京都", -5054847248934671034),
        ("連想", Voice.TRIGRAMS, " 京都", -3811509892001094987),
    ],
)
def test_hashes_never_change(agent_id: str, voice: Voice, term: str, number: int) -> None:
    assert term_hash(agent_id, voice, term) == number


def test_the_agent_and_the_term_do_not_run_together() -> None:
    assert term_hash("ab", Voice.WORDS, "c") != term_hash("a", Voice.WORDS, "bc")


@given(st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_hashing_many_terms_is_hashing_each(agent_id: str, terms: list[str]) -> None:
    each = tuple(term_hash(agent_id, Voice.WORDS, term) for term in terms)
    assert hash_terms(agent_id, Voice.WORDS, terms) == each
    assert all(-(2**63) <= number < 2**63 for number in each)


def test_counts_keep_their_terms() -> None:
    hashed = hash_counts("agent", Voice.WORDS, {"wtea": 2.0, "wcake": 0.5})
    assert hashed == {term_hash("agent", Voice.WORDS, "wtea"): 2.0, term_hash("agent", Voice.WORDS, "wcake"): 0.5}


@given(NUMBERS)
def test_an_index_is_what_sql_computes(number: int) -> None:
    truncated = abs(number) % SPARSE_DIMENSIONS * (1 if number >= 0 else -1)  # as % does in SQL
    assert sparse_index(number) == (truncated + SPARSE_DIMENSIONS) % SPARSE_DIMENSIONS + 1
    assert 1 <= sparse_index(number) <= SPARSE_DIMENSIONS


def test_a_weight_is_bm25() -> None:
    weights = document_weights({7: 2.0}, length=190.0)
    assert weights == {8: pytest.approx(2.0 * 1.9 / (2.0 + 0.9 * (0.6 + 0.4 * 2.0)), rel=1e-6)}


def test_terms_that_share_an_index_give_the_heaviest() -> None:
    merged = document_weights({5: 1.0, 5 + SPARSE_DIMENSIONS: 3.0, 5 - SPARSE_DIMENSIONS: 2.0}, length=10.0)
    assert merged == document_weights({5: 3.0}, length=10.0)


def test_the_heaviest_are_kept_and_the_lower_index_among_equals() -> None:
    counts = dict.fromkeys(range(MAX_NONZEROS + 5), 1.0) | {MAX_NONZEROS + 3: 4.0}
    kept = document_weights(counts, length=95.0)
    assert list(kept) == [*range(1, MAX_NONZEROS), MAX_NONZEROS + 4]


def test_counts_that_are_not_positive_are_left_out() -> None:
    assert document_weights({1: 0.0, 2: -1.0, 3: 0.25}, length=95.0).keys() == {4}


@given(st.dictionaries(NUMBERS, st.floats(0.25, 1e6), max_size=50), st.floats(0.0, 1e5))
def test_weights_are_float32_ascending_and_bounded(counts: dict[int, float], length: float) -> None:
    weights = document_weights(counts, length)
    assert list(weights) == sorted({sparse_index(number) for number in counts})
    assert all(0.0 < weight <= 1.9000001 for weight in weights.values())
    assert all(struct.unpack("f", struct.pack("f", weight))[0] == weight for weight in weights.values())


@given(st.dictionaries(NUMBERS, st.floats(0.25, 100.0), max_size=50), st.floats(0.0, 1e4))
def test_the_text_form_carries_every_weight(counts: dict[int, float], length: float) -> None:
    weights = document_weights(counts, length)
    body, dims = format_sparsevec(weights).split("/")
    entries = [entry.split(":") for entry in body.strip("{}").split(",") if entry]
    read = {int(index): struct.unpack("f", struct.pack("f", float(value)))[0] for index, value in entries}
    assert (read, int(dims)) == (weights, SPARSE_DIMENSIONS)


def test_the_text_form_ascends_by_index() -> None:
    assert format_sparsevec({30: 0.5, 4: 1.25}, dims=30) == "{4:1.25,30:0.5}/30"


def test_no_weights_have_a_text_form() -> None:
    assert format_sparsevec({}) == "{}/999999937"


@pytest.mark.parametrize("index", [0, -1, 31])
def test_an_index_outside_the_dimensions_is_refused(index: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 30"):
        format_sparsevec({index: 1.0, 5: 1.0}, dims=30)


def test_a_full_sparsevec_has_a_text_form() -> None:
    assert format_sparsevec(dict.fromkeys(range(1, 16_001), 1.0)).count(":") == 16_000


def test_more_than_a_sparsevec_holds_is_refused() -> None:
    with pytest.raises(ValueError, match="16001"):
        format_sparsevec(dict.fromkeys(range(1, 16_002), 1.0))
