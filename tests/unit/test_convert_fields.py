"""Checks of single fields, and scopes."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.fields import (
    bound,
    decode_time,
    encode_time,
    require_entity_ref,
    require_list,
    require_name,
    require_record_ref,
    require_text,
)
from rensou_recall.convert.scopes import decode_agent, decode_read_scope, decode_write_scope
from rensou_recall.types.call import Principal
from rensou_recall.types.records import LoweredBound
from rensou_shared.errors import InvalidField, InvalidText, PermissionDenied, TooLarge
from rensou_shared.scope import ReadScope, WriteScope

ANYBODY = Principal("anybody", frozenset({"*"}), operator=False)
ANN = Principal("test", frozenset({"ann"}), operator=False)
YEAR_1, YEAR_9999 = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)


def timed(seconds: int, nanos: int = 0) -> rpc.StoreRequest:
    return rpc.StoreRequest(occurred_time=Timestamp(seconds=seconds, nanos=nanos))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a\0b", InvalidText),
        ("a\ud800b", InvalidText),
        ("\udfff", InvalidText),
        ("x" * 11, TooLarge),
        ("", InvalidField),
        (" \t\n　", InvalidField),
        ("\u200b\ufeff", InvalidField),
    ],
)
def test_bad_text_is_refused_by_its_kind_and_field(text: str, kind: type[InvalidField]) -> None:
    with pytest.raises(InvalidField) as refused:
        require_text("memory.content", text, 10)
    assert type(refused.value) is kind
    assert refused.value.field == "memory.content"


@pytest.mark.parametrize("text", [" kept ", "x" * 10, "e\u0301", "!!!", "🏔️", "\ufdfa"])
def test_good_text_comes_back_verbatim(text: str) -> None:
    assert require_text("content", text, 10) == text


def test_blank_text_is_taken_where_it_means_something() -> None:
    assert require_text("query", " \u200b", 10, allow_blank=True) == " \u200b"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a\0", InvalidText),
        ("\ud800", InvalidText),
        ("x" * 9, TooLarge),
        ("連想連", TooLarge),
        (" ", InvalidField),
        ("\t\n", InvalidField),
    ],
)
def test_a_bad_name_is_refused_by_its_kind_and_field(name: str, kind: type[InvalidField]) -> None:
    with pytest.raises(InvalidField) as refused:
        require_name("scope.channel", name, 8)
    assert (type(refused.value), refused.value.field) == (kind, "scope.channel")


def test_a_name_is_bounded_in_bytes_and_kept_as_it_is() -> None:
    assert [require_name("n", name, 8) for name in ("", "x" * 8, "連想", " a ")] == ["", "x" * 8, "連想", " a "]
    with pytest.raises(InvalidField, match="is required"):
        require_name("n", "", 8, required=True)


@pytest.mark.parametrize(("count", "kind"), [(0, InvalidField), (4, TooLarge)])
def test_a_list_outside_its_bounds_is_refused(count: int, kind: type[InvalidField]) -> None:
    with pytest.raises(InvalidField) as refused:
        require_list("refs", ["x"] * count, 3, minimum=1)
    assert (type(refused.value), refused.value.field) == (kind, "refs")


def test_a_list_within_its_bounds_is_taken() -> None:
    for count in (1, 2, 3):
        require_list("refs", ["x"] * count, 3, minimum=1)


def test_an_unset_bound_is_the_default_and_zero_is_zero() -> None:
    assert bound(rpc.RecallRequest(), "limit", default=10, maximum=100) == (10, [])
    assert bound(rpc.RecallRequest(limit=0), "limit", default=10, maximum=100) == (0, [])
    assert bound(rpc.RecallRequest(limit=100), "limit", default=10, maximum=100) == (100, [])


@given(st.integers(101, 2**31 - 1))
def test_a_bound_above_its_maximum_is_lowered_and_reported(value: int) -> None:
    lowered = bound(rpc.RecallRequest(limit=value), "limit", default=10, maximum=100)
    assert lowered == (100, [LoweredBound("limit", value, 100)])


@given(st.integers(-(2**31), 0))
def test_a_bound_below_its_minimum_is_refused(value: int) -> None:
    with pytest.raises(InvalidField) as refused:
        bound(rpc.TraverseRequest(limit=value), "limit", default=20, maximum=100, minimum=1)
    assert refused.value.field == "limit"


@pytest.mark.parametrize(
    ("require", "good", "bad"),
    [
        (require_record_ref, "mem:1", "ent:1"),
        (require_entity_ref, "ent:1", "mem:1"),
    ],
)
def test_a_ref_of_another_form_is_refused_by_its_field(require: object, good: str, bad: str) -> None:
    assert callable(require)
    assert require("refs[3]", good) is not None
    with pytest.raises(InvalidField) as refused:
        require("refs[3]", bad)
    assert refused.value.field == "refs[3]"


def test_an_unset_time_is_none() -> None:
    assert decode_time("t", rpc.StoreRequest(), "occurred_time") is None
    assert encode_time(None) is None


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_comes_back_to_the_microsecond(moment: datetime) -> None:
    assert decode_time("t", rpc.StoreRequest(occurred_time=encode_time(moment)), "occurred_time") == moment


@pytest.mark.parametrize("moment", [YEAR_1, YEAR_9999])
def test_the_first_and_the_last_moment_are_taken(moment: datetime) -> None:
    assert decode_time("t", rpc.StoreRequest(occurred_time=encode_time(moment)), "occurred_time") == moment


@pytest.mark.parametrize(
    "request_",
    [
        timed(int(YEAR_1.timestamp()) - 1),
        timed(int(YEAR_9999.timestamp()) + 1),
        timed(2**63 - 1),
        timed(-(2**63)),
        timed(0, -1),
        timed(0, 1_000_000_000),
        timed(0, 2**31 - 1),
    ],
)
def test_a_time_that_is_none_is_refused_by_its_field(request_: rpc.StoreRequest) -> None:
    with pytest.raises(InvalidField) as refused:
        decode_time("occurred_time", request_, "occurred_time")
    assert refused.value.field == "occurred_time"


def test_nanoseconds_are_cut_and_other_zones_become_utc() -> None:
    assert decode_time("t", timed(1, 1_999), "occurred_time") == datetime(1970, 1, 1, 0, 0, 1, 1, tzinfo=UTC)
    tokyo = datetime(2026, 1, 1, 9, tzinfo=timezone(timedelta(hours=9)))
    stamp = encode_time(tokyo)
    assert stamp is not None and stamp.ToDatetime(tzinfo=UTC) == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("agent", ["", " ", "a\0", "x" * 129])
def test_an_agent_that_is_no_name_is_refused(agent: str) -> None:
    with pytest.raises(InvalidField) as refused:
        decode_agent("scope.agent_id", agent, ANYBODY)
    assert refused.value.field == "scope.agent_id"


def test_the_agent_is_the_credentials_or_has_to_match_it() -> None:
    assert decode_agent("agent_id", "", ANN) == decode_agent("agent_id", "ann", ANN) == "ann"
    with pytest.raises(PermissionDenied):
        decode_agent("agent_id", "bob", ANN)


def test_a_project_that_is_unset_is_told_from_an_empty_one() -> None:
    unset, empty = pb.ReadScope(agent_id="ann"), pb.ReadScope(agent_id="ann", project_id="")
    assert decode_read_scope(unset, ANN) == ReadScope(ANN.agent("ann"), None)
    assert decode_read_scope(empty, ANN) == ReadScope(ANN.agent("ann"), "")


def test_a_scope_is_taken_whole() -> None:
    read = pb.ReadScope(agent_id="ann", project_id="P", channel="C", source_id="chat:")
    assert decode_read_scope(read, ANN) == ReadScope(ANN.agent("ann"), "P", "C", "chat:")
    assert decode_write_scope(pb.WriteScope(project_id="P", channel="C"), ANN) == WriteScope(ANN.agent(""), "P", "C")


@pytest.mark.parametrize("field", ["project_id", "channel", "source_id"])
def test_a_bad_part_of_a_scope_is_refused_by_its_field(field: str) -> None:
    scope = pb.ReadScope(agent_id="ann", **{field: "x" * 129})  # pyright: ignore[reportArgumentType]
    with pytest.raises(TooLarge) as refused:
        decode_read_scope(scope, ANN)
    assert refused.value.field == f"scope.{field}"
