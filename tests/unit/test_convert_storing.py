"""Records as they come over the wire, and what became of them."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.struct_pb2 import Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from rensou.v1 import errors_pb2
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.records import encode_metadata
from rensou_recall.convert.storing import decode_batch, decode_metadata, decode_store, encode_batch, encode_stored
from rensou_recall.status import item_error
from rensou_recall.types.call import Principal
from rensou_recall.types.records import NewRecord, NodesOutlook, Source
from rensou_recall.types.storing import StoreItem, StoreOutcome, StoreResult
from rensou_shared.errors import CallerIdConflict, InvalidField, InvalidText, PermissionDenied, RensouError, TooLarge
from rensou_shared.ids import RecordId, RecordRef

ANYBODY = Principal("anybody", frozenset({"*"}), operator=False)
ANN = Principal("test", frozenset({"ann"}), operator=False)
SCOPE = pb.WriteScope(agent_id="ann")
MEMORY = rpc.MemoryContent(content="a text")
EARLY, LATE = Timestamp(seconds=100), Timestamp(seconds=200)
STORED = StoreResult(StoreOutcome.STORED, RecordRef("ep", RecordId(3)), True, NodesOutlook.QUEUED, None)


def request(**fields: Any) -> rpc.StoreRequest:
    return rpc.StoreRequest(scope=SCOPE, **({"memory": MEMORY} | fields))


def episode(**fields: Any) -> rpc.StoreRequest:
    return rpc.StoreRequest(scope=SCOPE, episode=rpc.EpisodeContent(summary="a day", **fields))


def record(asked: rpc.StoreRequest) -> NewRecord:
    return decode_store(asked, ANN, 100).record


def refused_field(asked: rpc.StoreRequest) -> tuple[type[InvalidField], str]:
    with pytest.raises(InvalidField) as refused:
        decode_store(asked, ANN, 100)
    return type(refused.value), refused.value.field


def test_a_memory_is_taken_whole() -> None:
    asked = request(
        caller_id="c1",
        occurred_time=EARLY,
        source=pb.Source(type="User", id="chat:1", name="Ann"),
        session_id="s",
        metadata=json_format.ParseDict({"b": 1, "a": ["x", None, True]}, Struct()),
    )
    assert record(asked) == NewRecord(
        "mem",
        "a text",
        "c1",
        Source("User", "chat:1", "Ann"),
        "s",
        datetime.fromtimestamp(100, UTC),
        None,
        '{"a": ["x", null, true], "b": 1.0}',
    )


def test_an_episode_has_its_interval() -> None:
    taken = record(episode(started_time=EARLY, ended_time=LATE))
    assert (taken.kind, taken.content) == ("ep", "a day")
    assert (taken.occurred_at, taken.ended_at) == (datetime.fromtimestamp(100, UTC), datetime.fromtimestamp(200, UTC))


def test_an_episode_of_one_moment_is_taken() -> None:
    assert record(episode(started_time=EARLY, ended_time=EARLY)).ended_at == datetime.fromtimestamp(100, UTC)


def test_a_plain_memory_has_nothing_else() -> None:
    assert decode_store(request(), ANN, 100).associations is None
    assert record(request()) == NewRecord("mem", "a text")


@pytest.mark.parametrize(
    ("asked", "kind", "field"),
    [
        (rpc.StoreRequest(scope=SCOPE), InvalidField, "record"),
        (request(memory=rpc.MemoryContent()), InvalidField, "memory.content"),
        (request(memory=rpc.MemoryContent(content="\0")), InvalidText, "memory.content"),
        (request(memory=rpc.MemoryContent(content="x" * 101)), TooLarge, "memory.content"),
        (rpc.StoreRequest(scope=SCOPE, episode=rpc.EpisodeContent(summary=" ")), InvalidField, "episode.summary"),
        (episode(ended_time=LATE), InvalidField, "episode.started_time"),
        (episode(started_time=EARLY), InvalidField, "episode.ended_time"),
        (episode(started_time=LATE, ended_time=EARLY), InvalidField, "episode.ended_time"),
        (episode(started_time=Timestamp(nanos=-1), ended_time=LATE), InvalidField, "episode.started_time"),
        (request(occurred_time=Timestamp(seconds=2**60)), InvalidField, "occurred_time"),
        (request(caller_id="x" * 257), TooLarge, "caller_id"),
        (request(caller_id="\0"), InvalidText, "caller_id"),
        (request(session_id="x" * 129), TooLarge, "session_id"),
        (request(source=pb.Source(type="x" * 129)), TooLarge, "source.type"),
        (request(source=pb.Source(id="x" * 129)), TooLarge, "source.id"),
        (request(source=pb.Source(name="x" * 257)), TooLarge, "source.name"),
        (rpc.StoreRequest(memory=MEMORY, scope=pb.WriteScope(project_id="x" * 129)), TooLarge, "scope.project_id"),
        (rpc.StoreRequest(memory=MEMORY, scope=pb.WriteScope(channel="\0")), InvalidText, "scope.channel"),
    ],
)
def test_a_bad_record_is_refused_by_its_field(asked: rpc.StoreRequest, kind: type[InvalidField], field: str) -> None:
    assert refused_field(asked) == (kind, field)


def test_an_episode_takes_no_other_time() -> None:
    asked = episode(started_time=EARLY, ended_time=LATE)
    asked.occurred_time.CopyFrom(EARLY)
    assert refused_field(asked) == (InvalidField, "occurred_time")


def test_the_bound_on_a_text_is_the_operators() -> None:
    with pytest.raises(TooLarge, match="5 code points"):
        decode_store(request(), ANN, 5)


@pytest.mark.parametrize(
    ("metadata", "kind", "field"),
    [
        (json_format.ParseDict({"a": {"b": ["\0"]}}, Struct()), InvalidText, "metadata.a.b[0]"),
        (json_format.ParseDict({"a\0": 1}, Struct()), InvalidText, "metadata"),
        (json_format.ParseDict({"a": {"b\0": 1}}, Struct()), InvalidText, "metadata.a"),
        (Struct(fields={"n": Value(number_value=float("nan"))}), InvalidField, "metadata.n"),
        (Struct(fields={"n": Value(number_value=float("inf"))}), InvalidField, "metadata.n"),
        (Struct(fields={"n": Value()}), InvalidField, "metadata.n"),
        (json_format.ParseDict({"a": "x" * 8_000}, Struct()), TooLarge, "metadata"),
        (json_format.ParseDict({"a": "連" * 2_700}, Struct()), TooLarge, "metadata"),
    ],
)
def test_bad_metadata_is_refused_by_its_path(metadata: Struct, kind: type[InvalidField], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        decode_metadata("metadata", metadata)
    assert (type(refused.value), refused.value.field) == (kind, field)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(-1e9, 1e9)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc é", max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), JSON, max_size=4))
def test_metadata_comes_back_as_it_was_given(given_: dict[str, Any]) -> None:
    metadata = json_format.ParseDict(given_, Struct())
    text = decode_metadata("metadata", metadata)
    assert encode_metadata(text) == metadata
    assert json.loads(text) == json_format.MessageToDict(metadata)


def test_metadata_that_is_empty_is_told_from_none() -> None:
    assert record(request(metadata=Struct())).metadata_json == "{}"
    assert record(request()).metadata_json is None
    assert encode_metadata(None) is None


def decoded(*requests: rpc.StoreRequest, who: Principal = ANYBODY) -> list[StoreItem | RensouError]:
    return decode_batch(rpc.BatchStoreRequest(requests=requests), who, 100)


def test_a_batch_has_one_answer_an_item_in_order() -> None:
    first, second, third = decoded(request(), request(caller_id="\0"), request())
    assert isinstance(first, StoreItem) and isinstance(third, StoreItem)
    assert isinstance(second, InvalidText) and second.field == "caller_id"


def test_a_batch_belongs_to_the_agent_of_its_first_good_item() -> None:
    bob = rpc.StoreRequest(scope=pb.WriteScope(agent_id="bob"), memory=MEMORY)
    bad, good, other = decoded(rpc.StoreRequest(scope=pb.WriteScope(agent_id="bob")), request(), bob)
    assert isinstance(bad, InvalidField) and isinstance(good, StoreItem)
    assert isinstance(other, InvalidField) and other.field == "scope.agent_id"


def test_an_item_of_an_agent_out_of_reach_is_refused_by_itself() -> None:
    bob = rpc.StoreRequest(scope=pb.WriteScope(agent_id="bob"), memory=MEMORY)
    refused, kept = decoded(bob, request(), who=ANN)
    assert isinstance(refused, PermissionDenied) and isinstance(kept, StoreItem)


@pytest.mark.parametrize(("count", "kind"), [(0, InvalidField), (101, TooLarge)])
def test_a_batch_outside_its_bounds_is_refused_whole(count: int, kind: type[InvalidField]) -> None:
    with pytest.raises(InvalidField) as refused:
        decoded(*[request()] * count)
    assert (type(refused.value), refused.value.field) == (kind, "requests")


def test_an_answer_says_what_became_of_the_record() -> None:
    answer = encode_stored(STORED)
    assert (answer.outcome, answer.ref, answer.embedded) == (rpc.STORE_OUTCOME_STORED, "ep:3", True)
    assert answer.nodes == pb.NODES_STATUS_QUEUED
    assert not answer.HasField("associations")


def test_a_batchs_answers_are_records_or_errors() -> None:
    answers: list[StoreResult | RensouError] = [
        STORED,
        CallerIdConflict("mem:1"),
        InvalidField("memory.content", "bad"),
    ]
    stored, conflict, bad = encode_batch(answers, item_error).results
    assert stored.response.ref == "ep:3"
    assert conflict.error.reason == errors_pb2.ERROR_REASON_CALLER_ID_CONFLICT
    assert (bad.error.field, bad.error.message) == ("memory.content", "bad")
