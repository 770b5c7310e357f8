"""The sets that judge corrections and time are what their registration says, and their judges see what they must."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import resolution_pb2 as resolution
from rensou.v1 import types_pb2 as pb

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(autouse=True)
def bench_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))


def seen(*hits: rpc.Hit) -> Any:
    """What the answer makes believe of mem:1, which mem:2 corrects."""
    from intelligence_corrections import StoredCase, judge
    from intelligence_sets import load_corrections

    return judge(StoredCase(load_corrections()[0], "mem:1", "mem:2"), hits)


def hit(
    ref: str, content: str = "text", state: resolution.RecordState = resolution.RECORD_STATE_UNSPECIFIED
) -> rpc.Hit:
    return rpc.Hit(
        record=pb.Record(ref=ref), quote=pb.Quote(content=content), standing=resolution.Standing(state=state)
    )


def test_the_corrections_are_sixty_and_more_half_of_them_japanese_and_no_text_stands_twice() -> None:
    from intelligence_sets import load_corrections

    cases = load_corrections()
    texts = [text for one in cases for text in (one.old, one.correction, *one.distractors)]
    assert Counter(one.language for one in cases) == {"en": 31, "ja": 31}
    assert min(len(one.distractors) for one in cases) >= 4 and len(set(texts)) == len(texts)


def test_the_intervals_of_a_thread_touch_and_each_question_has_one_record_that_is_true() -> None:
    from intelligence_sets import load_threads

    threads = load_threads()
    assert sum(len(one.questions) for one in threads) >= 60
    assert Counter(one.language for one in threads) == {"en": 11, "ja": 11}
    for one in threads:
        for record, after in zip(one.records[:2], one.records[1:3], strict=True):
            assert record.valid_to == after.valid_from is not None
        for asked in one.questions:
            if asked.valid_at is not None:
                true = [
                    place
                    for place, record in enumerate(one.records)
                    if record.valid_from is not None
                    and record.valid_from <= asked.valid_at
                    and (record.valid_to is None or asked.valid_at < record.valid_to)
                ]
                assert true == [asked.evidence]


def test_an_old_text_before_its_correction_is_believed() -> None:
    assert seen(hit("mem:1"), hit("mem:2")).stale
    assert seen(hit("mem:9"), hit("mem:1")).stale


def test_an_old_text_behind_its_correction_is_unmarked_and_not_believed() -> None:
    verdict = seen(hit("mem:2"), hit("mem:1"))
    assert verdict.unmarked and not verdict.stale and verdict.corrector_first


def test_a_marked_or_withheld_text_is_not_believed() -> None:
    for one in (hit("mem:1", state=resolution.RECORD_STATE_REPLACED), hit("mem:1", content="")):
        verdict = seen(one, hit("mem:2"))
        assert not verdict.stale and not verdict.unmarked and verdict.corrector_returned
