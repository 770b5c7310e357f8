"""Changes of records as they come, and what became of them."""

from dataclasses import fields
from typing import Any

import pytest

from rensou.v1 import errors_pb2
from rensou.v1 import lifecycle_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.lifecycle import (
    SUPPORTED_MODES,
    decode_forget,
    decode_lock,
    decode_revise,
    encode_forgotten,
    encode_revised,
)
from rensou_recall.status import reason_of
from rensou_recall.types.call import Principal
from rensou_recall.types.lifecycle import ForgetMode, Forgotten, Revised, Revision
from rensou_recall.types.records import NodesOutlook
from rensou_shared.errors import (
    InvalidField,
    InvalidText,
    PermissionDenied,
    RecordLocked,
    RecordNotFound,
    TooLarge,
    UnsupportedMode,
)
from rensou_shared.ids import RecordId, RecordRef

ANN = Principal("test", frozenset({"ann"}), operator=False)
REF = RecordRef("mem", RecordId(7))
HARD = rpc.FORGET_MODE_HARD


def revise(**asked: Any) -> Revision:
    return decode_revise(rpc.ReviseRecordRequest(**({"ref": "mem:7", "content": "new"} | asked)), ANN, 10)[1]


def forget(**asked: Any) -> tuple[list[RecordRef | InvalidField], ForgetMode]:
    return decode_forget(rpc.ForgetRequest(**({"refs": ["mem:7"], "mode": HARD} | asked)), ANN)[1:3]


def test_a_revision_is_taken_whole() -> None:
    assert revise() == Revision(REF, "new", 0)
    assert revise(expected_revision=3, content=" kept ") == Revision(REF, " kept ", 3)


@pytest.mark.parametrize(
    ("asked", "kind", "field"),
    [
        ({"ref": ""}, InvalidField, "ref"),
        ({"ref": "ent:7"}, InvalidField, "ref"),
        ({"content": ""}, InvalidField, "content"),
        ({"content": "\0"}, InvalidText, "content"),
        ({"content": "x" * 11}, TooLarge, "content"),
        ({"expected_revision": -1}, InvalidField, "expected_revision"),
        ({"agent_id": "x" * 129}, TooLarge, "agent_id"),
    ],
)
def test_a_bad_revision_is_refused_by_its_field(asked: dict[str, Any], kind: type[InvalidField], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        revise(**asked)
    assert (type(refused.value), refused.value.field) == (kind, field)


@pytest.mark.parametrize("kind", [rpc.LockRecordRequest, rpc.UnlockRecordRequest])
def test_a_lock_names_one_record_of_an_agent_in_reach(kind: Any) -> None:
    assert decode_lock(kind(agent_id="ann", ref="mem:7"), ANN) == ("ann", REF)
    with pytest.raises(InvalidField, match="ref"):
        decode_lock(kind(ref="mem:0"), ANN)
    with pytest.raises(PermissionDenied):
        decode_lock(kind(agent_id="bob", ref="mem:7"), ANN)


def test_refs_to_forget_keep_their_order() -> None:
    refs, mode = forget(refs=["mem:7", "ep:1"])
    assert (refs, mode) == ([REF, RecordRef("ep", RecordId(1))], ForgetMode.HARD)


@pytest.mark.parametrize(
    ("asked", "kind", "field"),
    [
        ({"refs": []}, InvalidField, "refs"),
        ({"refs": ["mem:7"] * 101}, TooLarge, "refs"),
        ({"mode": rpc.FORGET_MODE_UNSPECIFIED}, InvalidField, "mode"),
    ],
)
def test_a_bad_wish_to_forget_is_refused_by_its_field(
    asked: dict[str, Any], kind: type[InvalidField], field: str
) -> None:
    with pytest.raises(InvalidField) as refused:
        forget(**asked)
    assert (type(refused.value), refused.value.field) == (kind, field)


def test_what_is_no_ref_and_what_stands_already_is_refused_by_itself() -> None:
    refs, _ = forget(refs=["7", "mem:7", "ep:7", "mem:07", ""])
    assert [getattr(one, "field", one) for one in refs] == [
        "refs[0]",
        REF,
        RecordRef("ep", RecordId(7)),
        "refs[3]",
        "refs[4]",
    ]
    assert str(refs[3]) == "refs[3]: stands already at refs[1]"


def test_a_mode_that_no_version_knows_is_refused_as_one_that_does_not_work() -> None:
    with pytest.raises(UnsupportedMode):
        forget(mode=99)


def test_every_mode_of_the_contract_is_understood_and_two_are_supported() -> None:
    modes = set(rpc.ForgetMode.values()) - {rpc.FORGET_MODE_UNSPECIFIED}
    assert {forget(mode=mode)[1] for mode in modes} == set(ForgetMode)
    assert [rpc.FORGET_MODE_RETIRE, HARD] == SUPPORTED_MODES


def test_a_revised_record_says_what_it_is_now() -> None:
    answer = encode_revised(Revised(REF, 4, True, NodesOutlook.QUEUED))
    assert (answer.ref, answer.revision, answer.embedded, answer.nodes) == ("mem:7", 4, True, pb.NODES_STATUS_QUEUED)


def test_what_went_is_counted_by_kind() -> None:
    counts = Forgotten(1, 2, 3, 4, 5, 6, 7, 8, 9)
    (result,) = encode_forgotten(["mem:7"], [counts], reason_of).results
    names = [field.name for field in fields(Forgotten)]
    assert [getattr(result.forgotten, name) for name in names] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert {field.name for field in rpc.ForgottenArtifacts.DESCRIPTOR.fields} == set(names)


def test_what_was_refused_says_why_in_its_place() -> None:
    answers = [RecordLocked("mem:7"), RecordNotFound("ep:1"), InvalidField("refs[2]", "no ref")]
    first, second, third = encode_forgotten(["mem:007", "ep:1", "7"], answers, reason_of).results
    assert (first.ref, first.refused) == ("mem:007", errors_pb2.ERROR_REASON_RECORD_LOCKED)
    assert (second.ref, second.refused) == ("ep:1", errors_pb2.ERROR_REASON_RECORD_NOT_FOUND)
    assert (third.ref, third.refused) == ("7", errors_pb2.ERROR_REASON_INVALID_FIELD)
    assert not first.HasField("forgotten")
