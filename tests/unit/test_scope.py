"""Who reads what."""

import pytest

from rensou_shared.ids import AgentId
from rensou_shared.scope import ReadScope, scope_params

ANN = AgentId("ann")


@pytest.mark.parametrize(
    ("asked", "readable"),
    [(None, {"", "P", "Q"}), ("", {""}), ("P", {"", "P"}), ("Q", {"", "Q"}), ("R", {""})],
)
def test_a_project_reads_itself_and_the_global_pool(asked: str | None, readable: set[str]) -> None:
    scope = ReadScope(ANN, asked)
    assert {project for project in ("", "P", "Q") if scope.reads(project, "")} == readable


@pytest.mark.parametrize(("asked", "readable"), [("", {"", "C", "D"}), ("C", {"", "C"}), ("X", {""})])
def test_a_channel_reads_itself_and_what_has_none(asked: str, readable: set[str]) -> None:
    scope = ReadScope(ANN, None, asked)
    assert {channel for channel in ("", "C", "D") if scope.reads("P", channel)} == readable


def test_project_and_channel_both_have_to_fit() -> None:
    scope = ReadScope(ANN, "P", "C")
    places = [(project, channel) for project in ("", "P", "Q") for channel in ("", "C", "D")]
    assert [place for place in places if scope.reads(*place)] == [("", ""), ("", "C"), ("P", ""), ("P", "C")]


@pytest.mark.parametrize(
    ("source", "is_prefix"),
    [("", False), ("chat:1", False), ("chat", False), ("チャット", False), ("chat:", True), ("a/", True), ("a_", True)],
)
def test_a_source_is_whole_unless_it_ends_in_a_separator(source: str, is_prefix: bool) -> None:
    assert ReadScope(ANN, source_id=source).source_is_prefix is is_prefix


def test_the_parameters_are_the_scope() -> None:
    assert scope_params(ReadScope(ANN, None, "C", "chat:")) == {
        "agent_id": "ann",
        "project_id": None,
        "channel": "C",
        "source_id": "chat:",
        "source_is_prefix": True,
    }
