"""The arms and the arithmetic of the measurement of associations."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from rensou.v1 import recall_service_pb2 as rpc
from rensou_embedded.conversations import ConversationQuestion, Turn

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(autouse=True)
def bench_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))


def question(number: int, *evidence: str) -> ConversationQuestion:
    return ConversationQuestion(str(number), "multi_hop", "What?", frozenset(evidence))


def turn(id_: str, session: str, speaker: str, text: str) -> Turn:
    return Turn(id_, session, datetime(2025, 1, 1, tzinfo=UTC), speaker, text)


def test_only_turns_that_answer_together_are_related() -> None:
    from graph_arms import co_evidence

    graph = co_evidence([question(1, "a", "b"), question(2, "c")])
    assert graph.mentions == {"a": ["turn a"], "b": ["turn b"]}
    assert [(one.subject, one.object) for one in graph.relations] == [("turn a", "turn b")]


def test_transfer_never_knows_the_evidence_of_the_question_it_is_asked() -> None:
    from graph_arms import GRAPHS, arms_of
    from rensou_embedded.conversations import Conversation

    asked = [question(number, f"a{number}", f"b{number}") for number in range(5)]
    conversation = Conversation("one", (), tuple(asked))
    for position, one in enumerate(asked):
        mentions = GRAPHS[arms_of(position)["transfer"]](conversation).mentions
        assert mentions
        assert not one.evidence & mentions.keys()


def test_sessions_that_answer_together_are_related_and_those_who_spoke_there() -> None:
    from graph_arms import evidence_sessions

    turns = [turn("a", "1", "Ann", "x"), turn("b", "2", "Bob", "y"), turn("c", "2", "Bob", "z")]
    graph = evidence_sessions(turns, [question(1, "a", "b")])
    assert graph.mentions == {"a": ["session 1", "Ann"], "b": ["session 2", "Bob"]}
    assert [(one.subject, one.object) for one in graph.relations] == [
        ("session 1", "session 2"),
        ("Ann", "session 1"),
        ("Bob", "session 2"),
    ]


def test_the_extractor_relates_speakers_to_names_on_the_turn_that_says_them() -> None:
    from graph_arms import extracted

    turns = [turn("a", "1", "Ann", "we met Osmund at noon"), turn("b", "1", "Bob", "oh, and Osmund is well")]
    found = extracted(turns).relations
    assert [(one.subject, one.object, one.turn) for one in found] == [("Ann", "Osmund", "a"), ("Bob", "Osmund", "b")]


def test_an_answer_tells_what_was_placed_from_what_was_walked_to() -> None:
    from reconstructed import read_answer, share

    item = rpc.Item(
        head_ref="mem:1", quote={"content": "x"}, claims=[rpc.Claim(ref="mem:1"), rpc.Claim(ref="mem:2", hops=1)]
    )
    answer = read_answer(rpc.ReconstructResponse(items=[item]), {"mem:1": "a", "mem:2": "b"})
    assert (answer.retrieved, answer.claimed, answer.quoted) == ({"a"}, {"a", "b"}, {"a"})
    assert share(answer.claimed, frozenset({"b", "c"})) == 0.5
