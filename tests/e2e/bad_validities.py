"""Bad requests that say, or ask, when something is true."""

from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou.v1 import validity_pb2 as validity
from tests.e2e.bad_request import AGENT, Bad

_YEAR_0, _YEAR_10000 = Timestamp(seconds=-62_135_596_801), Timestamp(seconds=253_402_300_800)
_NOON = Timestamp(seconds=43_200)
_READING = pb.ReadScope(agent_id=AGENT)


def _assert(field: str, /, **fields: Any) -> Bad:
    good = [validity.ValidityAssertion(target="mem:1", valid_from=_NOON)]
    spoilt = validity.ValidityAssertion(**({"target": "mem:2"} | fields))
    request = validity.AssertValidityRequest(agent_id=AGENT, assertions=[*good, spoilt])
    return Bad("LifecycleService/AssertValidity", request, f"assertions[1].{field}")


def _store(field: str, /, **fields: Any) -> Bad:
    scope, memory = pb.WriteScope(agent_id=AGENT), rpc.MemoryContent(content="a text")
    request = rpc.StoreRequest(scope=scope, memory=memory, validity=pb.Validity(**fields))
    return Bad("RecallService/Store", request, f"validity.{field}")


def _asserts(*targets: str, agent: str = AGENT) -> validity.AssertValidityRequest:
    said = [validity.ValidityAssertion(target=target) for target in targets]
    return validity.AssertValidityRequest(agent_id=agent, assertions=said)


VALIDITIES = [
    Bad("LifecycleService/AssertValidity", _asserts("mem:1", agent=""), "agent_id"),
    Bad("LifecycleService/AssertValidity", _asserts(), "assertions"),
    Bad("LifecycleService/AssertValidity", _asserts(*(["mem:1"] * 101)), "assertions", "TOO_LARGE"),
    _assert("valid_from", valid_from=_YEAR_0),
    _assert("valid_to", valid_to=_YEAR_10000),
    _assert("without_from", valid_from=_NOON, without_from=True),
    _assert("without_to", valid_to=_NOON, without_to=True),
    _store("valid_from", valid_from=_YEAR_0),
    _store("valid_to", valid_to=_YEAR_10000),
    *(
        Bad(f"RecallService/{method}", kind(scope=_READING, valid_at=bad, **fields), "valid_at")
        for bad in (_YEAR_0, _YEAR_10000, Timestamp(seconds=0, nanos=-1))
        for method, kind, fields in (
            ("Recall", rpc.RecallRequest, {"query": "tea"}),
            ("Reconstruct", rpc.ReconstructRequest, {"query": "tea"}),
            ("Traverse", rpc.TraverseRequest, {"entity": "tea"}),
        )
    ),
]
