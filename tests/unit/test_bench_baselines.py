"""The benchmarks' own arithmetic, and the Japanese set's answers."""

import json
import unicodedata
from pathlib import Path

import numpy as np
import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(autouse=True)
def bench_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))


def test_plain_bm25_prefers_the_rarer_term() -> None:
    from plain_bm25 import PlainBm25

    scores = PlainBm25([["tea", "cup"], ["tea", "pot"], ["tea", "tea"]]).scores(["tea", "pot"])
    assert scores.argmax() == 1
    assert PlainBm25([["tea"]]).scores(["cake"]).tolist() == [0.0]


def test_reciprocal_ranks_add_up() -> None:
    from plain_rrf import fuse_ranks

    cosines = np.array([0.9, 0.8, 0.1], dtype=np.float32)
    assert fuse_ranks(cosines, np.array([0.0, 3.0, 2.0])) == [1, 2, 0]


def test_a_record_without_a_word_of_the_question_has_no_lexical_rank() -> None:
    from plain_rrf import fuse_ranks

    cosines = np.array([0.1, 0.9], dtype=np.float32)
    assert fuse_ranks(cosines, np.array([0.0, 0.0])) == [1, 0]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def test_a_short_query_means_every_record_that_holds_it() -> None:
    root = json.loads((BENCH / "japanese" / "set.json").read_text(encoding="utf-8"))
    records = {one["id"]: _folded(one["text"]) for one in root["records"]}
    assert len(records) == len(root["records"]) >= 150
    short = [one for one in root["queries"] if one["kind"] in ("one_char", "two_chars")]
    for one in short:
        assert len(one["query"]) <= 2
        assert {key for key, text in records.items() if _folded(one["query"]) in text} == set(one["evidence"])
    assert len(short) >= 20


def test_the_decomposed_queries_are_decomposed() -> None:
    root = json.loads((BENCH / "japanese" / "set.json").read_text(encoding="utf-8"))
    decomposed = [one["query"] for one in root["queries"] if one["kind"] == "nfd"]
    assert decomposed
    assert all(unicodedata.normalize("NFC", query) != query for query in decomposed)
