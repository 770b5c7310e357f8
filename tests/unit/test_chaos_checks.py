"""The judge of `make chaos` on nodes that are right, and on nodes that are wrong in each way."""

import random
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(autouse=True)
def bench_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))


def _text() -> str:
    import chaos_texts

    return chaos_texts.make_text(3, random.Random(5), is_long=True)


def _nodes(text: str) -> list[tuple[Any, ...]]:
    import chaos_checks
    from chaos_embedding import vector

    return [(*node, vector(text[node[1] : node[2]])) for node in chaos_checks.expected_nodes(text)]


def _fault(text: str, nodes: list[tuple[Any, ...]]) -> str:
    import chaos_checks

    return chaos_checks.fault_of_nodes(text, nodes, is_poison=False)


def test_the_nodes_of_a_text_are_right() -> None:
    nodes = _nodes(_text())
    assert len(nodes) > 2 and _fault(_text(), nodes) == ""
    assert _fault("A short text.", []) == ""


def test_nodes_that_differ_in_any_way_are_wrong() -> None:
    text = _text()
    nodes = _nodes(text)
    index, start, end, tokens, window, vector = nodes[1]
    assert _fault(text, []) and _fault("A short text.", nodes)
    assert _fault(text, nodes[:-1]) and _fault(text, nodes[1:]) and _fault(text, [*nodes, nodes[-1]])
    assert _fault(text, [nodes[0], (index, start, end - 1, tokens, window, vector), *nodes[2:]])
    assert _fault(text, [nodes[0], (index, start, end, tokens + 1, window, vector), *nodes[2:]])
    assert _fault(text, [nodes[0], (index, start, end, tokens, window + 1, vector), *nodes[2:]])
    assert _fault(text, [nodes[0], (index, start, end, tokens, window, nodes[2][-1]), *nodes[2:]])
    assert _fault(text + " and more", nodes)


def test_rules_alone_tell_a_gap_and_an_overlap_and_what_is_past_the_window() -> None:
    import chaos_checks
    from chaos_embedding import count, vector

    text, nodes = _text(), _nodes(_text())
    assert chaos_checks.fault_by_rule(text, nodes) == ""
    index, start, end, *_ = nodes[1]
    for wrong in ((start + 1, end), (start - 1, end), (start, end + 1), (start, end - 1)):
        part = text[slice(*wrong)]
        report = count(part)
        changed = (index, *wrong, report["count"], report["window"], vector(part))
        assert "gap" in chaos_checks.fault_by_rule(text, [nodes[0], changed, *nodes[2:]])
    whole = (0, 0, len(text), count(text)["count"], count(text)["window"], vector(text))
    assert "past the window" in chaos_checks.fault_by_rule(text, [whole])


def test_a_run_of_one_seed_stores_the_same_texts_a_third_of_them_long() -> None:
    import chaos_texts
    from chaos_embedding import count

    texts = chaos_texts.make_texts(300, 3, random.Random(1))
    assert texts == chaos_texts.make_texts(300, 3, random.Random(1)) and len(set(texts)) == len(texts) == 300
    past_window = sum(count(text)["truncated"] for text in texts)
    assert 90 <= past_window <= 130
    assert [chaos_texts.POISON in text for text in texts].count(True) == 3
