"""What a request says of validity, and how an answer says it."""

from datetime import UTC, datetime

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou.v1 import validity_pb2 as validity
from rensou_recall.convert.associations import decode_associations, decode_interval
from rensou_recall.convert.retrieval import decode_recall
from rensou_recall.convert.storing import decode_store
from rensou_recall.convert.validity import decode_assert, encode_asserted
from rensou_recall.types.call import Principal
from rensou_recall.types.graph import DropReason
from rensou_recall.types.interval import Interval
from rensou_recall.types.validity import Asserted, Assertion, Claimed
from rensou_shared.errors import InvalidField
from rensou_shared.ids import RecordRef, RelationId

ANN = Principal("ann", frozenset({"ann"}), operator=False)
NOON = Timestamp(seconds=43_200, nanos=1_999)
AT_NOON = datetime(1970, 1, 1, 12, 0, 0, 1, tzinfo=UTC)
LATER = Timestamp(seconds=50_000)
BAD = Timestamp(seconds=-62_135_596_801)


def test_an_interval_is_read_to_the_microsecond_and_may_leave_out_either_bound() -> None:
    assert decode_interval(pb.Validity(valid_from=NOON)) == Interval(AT_NOON, None)
    assert decode_interval(pb.Validity(valid_to=NOON)) == Interval(None, AT_NOON)
    assert decode_interval(pb.Validity()) == Interval()


@pytest.mark.parametrize(
    "said",
    [
        pb.Validity(valid_from=LATER, valid_to=NOON),
        pb.Validity(valid_from=NOON, valid_to=NOON),
        pb.Validity(valid_from=Timestamp(seconds=43_200, nanos=1_000), valid_to=NOON),
        pb.Validity(valid_from=BAD),
    ],
)
def test_what_has_no_instant_is_no_interval(said: pb.Validity) -> None:
    assert decode_interval(said) is DropReason.INVALID_INTERVAL


def test_a_relation_carries_its_interval_and_one_without_says_nothing() -> None:
    relations = [
        pb.RelationDeclaration(subject="a", predicate="b", object="c", validity=pb.Validity(valid_from=NOON)),
        pb.RelationDeclaration(subject="a", predicate="b", object="d", validity=pb.Validity(valid_from=BAD)),
        pb.RelationDeclaration(subject="a", predicate="b", object="e"),
    ]
    read = decode_associations(pb.Associations(relations=relations))
    assert read is not None
    assert [one.validity for one in read.relations] == [Interval(AT_NOON, None), DropReason.INVALID_INTERVAL, None]


def test_store_carries_its_interval_and_refuses_what_is_no_time() -> None:
    request = rpc.StoreRequest(memory=rpc.MemoryContent(content="tea"), scope=pb.WriteScope(agent_id="ann"))
    assert decode_store(request, ANN, 100).validity is None
    request.validity.valid_from.CopyFrom(LATER)
    request.validity.valid_to.CopyFrom(NOON)
    assert decode_store(request, ANN, 100).validity is DropReason.INVALID_INTERVAL
    request.validity.valid_to.CopyFrom(BAD)
    with pytest.raises(InvalidField) as error:
        decode_store(request, ANN, 100)
    assert error.value.field == "validity.valid_to"


def test_assertions_are_read_by_target_and_what_is_none_or_stands_already_is_dropped() -> None:
    said = [
        validity.ValidityAssertion(target="mem:1", valid_from=NOON),
        validity.ValidityAssertion(target="rel:1", without_to=True),
        *(validity.ValidityAssertion(target=target) for target in ("ent:1", "mem:01", "note", "ep:1")),
    ]
    agent, read = decode_assert(validity.AssertValidityRequest(assertions=said), ANN)
    assert agent == "ann"
    assert read == [
        Assertion(RecordRef("mem", 1), Claimed(AT_NOON)),  # pyright: ignore[reportArgumentType]
        Assertion(RelationId(1), Claimed(without_to=True)),
        DropReason.INVALID_REF,
        DropReason.INVALID_REF,
        DropReason.INVALID_REF,
        Assertion(RecordRef("ep", 1), Claimed()),  # pyright: ignore[reportArgumentType]
    ]


def test_each_assertion_is_answered_in_its_place() -> None:
    said = [validity.ValidityAssertion(target=target) for target in ("mem:1", "mem:2")]
    answers = [Asserted(Interval(AT_NOON, None), changed=True), DropReason.RECORD_NOT_FOUND]
    first, second = encode_asserted(validity.AssertValidityRequest(assertions=said), answers).results
    assert (first.target, first.asserted.changed, first.asserted.valid_from.nanos) == ("mem:1", True, 1_000)
    assert not first.asserted.HasField("valid_to")
    assert (second.target, second.dropped) == ("mem:2", pb.DROP_REASON_RECORD_NOT_FOUND)


def test_valid_at_is_read_to_the_microsecond_and_unset_asks_for_no_time() -> None:
    request = rpc.RecallRequest(scope=pb.ReadScope(agent_id="ann"), query="tea")
    assert decode_recall(request, ANN)[1].valid_at is None
    request.valid_at.CopyFrom(NOON)
    assert decode_recall(request, ANN)[1].valid_at == AT_NOON
