"""Requests that break one rule each, and what the answer has to name."""

from typing import Any

from google.protobuf.struct_pb2 import Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

from rensou.v1 import admin_service_pb2 as admin
from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import history_pb2
from rensou.v1 import lifecycle_service_pb2 as life
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import time_cue_pb2 as cue
from rensou.v1 import types_pb2 as pb
from tests.e2e.bad_request import Bad
from tests.e2e.bad_retentions import BAD_RETENTIONS
from tests.e2e.bad_validities import VALIDITIES

AGENT = "bad-input"
HARD = life.FORGET_MODE_HARD
YEAR_0, YEAR_10000 = -62_135_596_801, 253_402_300_800
NO_RECORD_REFS = ("", "5", "mem", "mem:", "mem:x", "mem:0", "mem:-1", "MEM:1", "mem:１", "mem:1 ", "ent:1", "foo:1")
BEYOND_INT64 = "mem:9223372036854775808"


def _scope(**names: str) -> pb.WriteScope:
    return pb.WriteScope(**({"agent_id": AGENT} | names))


def _reading(**names: str) -> pb.ReadScope:
    return pb.ReadScope(**({"agent_id": AGENT} | names))


def _store(field: str, reason: str = "INVALID_FIELD", /, **fields: Any) -> Bad:
    """A Store of a good memory, spoilt by `fields`."""
    if "episode" not in fields:
        fields = {"memory": rpc.MemoryContent(content="a text")} | fields
    return Bad("RecallService/Store", rpc.StoreRequest(**({"scope": _scope()} | fields)), field, reason)


def _metadata(value: Value) -> Struct:
    return Struct(fields={"key": value})


def _episode(start: Timestamp | None, end: Timestamp | None, summary: str = "a week") -> rpc.EpisodeContent:
    return rpc.EpisodeContent(summary=summary, started_time=start, ended_time=end)


def _memory(content: str) -> rpc.MemoryContent:
    return rpc.MemoryContent(content=content)


_NOON, _ONE = Timestamp(seconds=43_200), Timestamp(seconds=46_800)

STORES = [
    _store("certainty", certainty=9),
    _store("scope.agent_id", scope=pb.WriteScope()),
    _store("scope.agent_id", scope=_scope(agent_id="  ")),
    _store("scope.agent_id", "TOO_LARGE", scope=_scope(agent_id="a" * 129)),
    _store("scope.agent_id", "TOO_LARGE", scope=_scope(agent_id="日" * 43)),
    _store("scope.project_id", "TOO_LARGE", scope=_scope(project_id="p" * 129)),
    _store("scope.project_id", scope=_scope(project_id=" ")),
    _store("scope.channel", "TOO_LARGE", scope=_scope(channel="c" * 129)),
    Bad("RecallService/Store", rpc.StoreRequest(scope=_scope()), "record"),
    _store("memory.content", memory=_memory("")),
    _store("memory.content", memory=_memory(" \n\t\u3000\u200b\ufeff")),
    _store("memory.content", "TOO_LARGE", memory=_memory("x" * 16_001)),
    _store("caller_id", "TOO_LARGE", caller_id="k" * 257),
    _store("session_id", "TOO_LARGE", session_id="s" * 129),
    _store("source.type", "TOO_LARGE", source=pb.Source(type="t" * 129)),
    _store("source.id", "TOO_LARGE", source=pb.Source(id="i" * 129)),
    _store("source.name", "TOO_LARGE", source=pb.Source(name="n" * 257)),
    _store("metadata", "TOO_LARGE", metadata=_metadata(Value(string_value="m" * 8_000))),
    _store("metadata.key", metadata=_metadata(Value(number_value=float("nan")))),
    _store("metadata.key", metadata=_metadata(Value(number_value=float("-inf")))),
    _store("metadata.key", metadata=_metadata(Value())),
    _store("occurred_time", occurred_time=Timestamp(seconds=YEAR_0)),
    _store("occurred_time", occurred_time=Timestamp(seconds=YEAR_10000)),
    _store("occurred_time", occurred_time=Timestamp(seconds=2**63 - 1)),
    _store("occurred_time", occurred_time=Timestamp(nanos=-1)),
    _store("occurred_time", occurred_time=Timestamp(nanos=1_000_000_000)),
    _store("occurred_time", episode=_episode(_NOON, _ONE), occurred_time=_NOON),
    _store("episode.started_time", episode=_episode(None, _ONE)),
    _store("episode.ended_time", episode=_episode(_NOON, None)),
    _store("episode.ended_time", episode=_episode(_ONE, _NOON)),
    _store("episode.started_time", episode=_episode(Timestamp(seconds=YEAR_0), _ONE)),
    _store("episode.ended_time", episode=_episode(_NOON, Timestamp(seconds=YEAR_10000))),
    _store("episode.summary", episode=_episode(_NOON, _ONE, summary=" ")),
    _store("episode.summary", "TOO_LARGE", episode=_episode(_NOON, _ONE, summary="x" * 16_001)),
    Bad("RecallService/BatchStore", rpc.BatchStoreRequest(), "requests"),
    Bad(
        "RecallService/BatchStore",
        rpc.BatchStoreRequest(requests=[rpc.StoreRequest(scope=_scope(), memory=_memory(f"{n}")) for n in range(101)]),
        "requests",
        "TOO_LARGE",
    ),
]


def _recall(field: str, reason: str = "INVALID_FIELD", /, **fields: Any) -> Bad:
    return Bad("RecallService/Recall", rpc.RecallRequest(**({"scope": _reading()} | fields)), field, reason)


def _reconstruct(field: str, reason: str = "INVALID_FIELD", /, **fields: Any) -> Bad:
    return Bad("RecallService/Reconstruct", rpc.ReconstructRequest(**({"scope": _reading()} | fields)), field, reason)


def _traverse(field: str, reason: str = "INVALID_FIELD", /, **fields: Any) -> Bad:
    request = rpc.TraverseRequest(**({"scope": _reading(), "entity": "Ann"} | fields))
    return Bad("RecallService/Traverse", request, field, reason)


def _select(field: str, reason: str = "INVALID_FIELD", /, *selectors: rpc.ContentSelector) -> Bad:
    request = rpc.GetContentsRequest(scope=_reading(), selectors=selectors)
    return Bad("RecallService/GetContents", request, field, reason)


_BAD_NODES = [rpc.NodeRange(first=2, last=1), rpc.NodeRange(first=-1, last=1)]
_BAD_SPANS = [pb.Span(start=5, end=5), pb.Span(start=6, end=5), pb.Span(start=-1, end=5)]

_EARLY, _LATE = Timestamp(seconds=YEAR_0), Timestamp(seconds=YEAR_10000)


def _cue(field: str, /, confidence: cue.TimeConfidence = cue.TIME_CONFIDENCE_SURE, **form: Any) -> Bad:
    return _recall(field, time_cue=cue.TimeCue(confidence=confidence, **form))


def _period(field: str, after: Timestamp | None = None, before: Timestamp | None = None) -> Bad:
    return _cue(f"time_cue.period{field}", period=cue.TimePeriod(after_time=after, before_time=before))


CUES = [
    _recall("time_cue.confidence", time_cue=cue.TimeCue()),
    _cue("time_cue.confidence", cue.TIME_CONFIDENCE_UNSPECIFIED, long_ago=cue.LongAgo()),
    _recall("time_cue.confidence", time_cue=cue.TimeCue(confidence=99, long_ago=cue.LongAgo())),
    _cue("time_cue.form"),
    _period(""),
    _period(".before_time", _ONE, _NOON),
    _period(".before_time", _NOON, _NOON),
    _period(".before_time", _NOON, Timestamp(seconds=43_200, nanos=999)),
    _period(".after_time", _EARLY),
    _period(".after_time", _LATE, _LATE),
    _period(".before_time", None, _LATE),
    _period(".before_time", _NOON, Timestamp(seconds=46_800, nanos=-1)),
    _cue("time_cue.ago.unit", ago=cue.TimeAgo(value=1)),
    _cue("time_cue.ago.unit", ago=cue.TimeAgo(unit=99, value=1)),
    _cue("time_cue.ago.value", ago=cue.TimeAgo(unit=cue.TIME_UNIT_DAYS, value=-1)),
]

READS = [
    *CUES,
    _recall("scope.agent_id", scope=pb.ReadScope()),
    _recall("scope.source_id", "TOO_LARGE", scope=_reading(source_id="s" * 129)),
    _recall("query", "TOO_LARGE", query="q" * 8_001),
    _recall("limit", limit=-1),
    _recall("quote_chars", quote_chars=-1),
    _recall("fusion", fusion=99),
    _recall("exclude", "TOO_LARGE", exclude=["mem:1"] * 101),
    _recall("exclude[1]", exclude=["mem:1", "ent:1"]),
    _recall("exclude[0]", exclude=[""]),
    _reconstruct("scope.agent_id", scope=pb.ReadScope()),
    _reconstruct("query", "TOO_LARGE", query="q" * 8_001),
    _reconstruct("count", count=-1),
    _reconstruct("top_k", top_k=0),
    _reconstruct("max_hops", max_hops=-1),
    _reconstruct("max_evidence", max_evidence=0),
    _reconstruct("budget_chars", budget_chars=0),
    _reconstruct("fusion", fusion=99),
    _traverse("scope.agent_id", scope=pb.ReadScope()),
    _traverse("entity", entity=""),
    _traverse("entity", entity=" \u200b"),
    _traverse("entity", "TOO_LARGE", entity="e" * 257),
    _traverse("entity", entity="mem:1"),
    _traverse("entity", entity="ent:x"),
    _traverse("entity", entity="ent:0"),
    _traverse("max_hops", max_hops=-1),
    _traverse("limit", limit=0),
    *(
        ask("known_at", known_at=Timestamp(seconds=seconds))
        for ask in (_recall, _reconstruct, _traverse)
        for seconds in (YEAR_0, YEAR_10000)
    ),
    _select("selectors"),
    _select("selectors", "TOO_LARGE", *[rpc.ContentSelector(ref="mem:1")] * 21),
    *(_select("selectors[0].ref", "INVALID_FIELD", rpc.ContentSelector(ref=ref)) for ref in NO_RECORD_REFS),
    _select("selectors[0].ref", "INVALID_FIELD", rpc.ContentSelector(ref=BEYOND_INT64)),
    *(
        _select("selectors[0].nodes", "INVALID_FIELD", rpc.ContentSelector(ref="mem:1", nodes=nodes))
        for nodes in _BAD_NODES
    ),
    *(
        _select("selectors[0].span", "INVALID_FIELD", rpc.ContentSelector(ref="mem:1", span=span))
        for span in _BAD_SPANS
    ),
]


def _declare(field: str, reason: str = "INVALID_FIELD", /, **fields: Any) -> Bad:
    request = assoc.DeclareAssociationsRequest(**({"scope": _scope()} | fields))
    return Bad("AssociationService/DeclareAssociations", request, field, reason)


DECLARATIONS = [
    _declare("associations"),
    _declare("associations", retract=assoc.Retraction()),
    _declare("scope.agent_id", scope=pb.WriteScope()),
]


def _relations(field: str, reason: str = "INVALID_FIELD", /, **fields: Any) -> Bad:
    request = assoc.ListRelationsRequest(**({"scope": _reading()} | fields))
    return Bad("AssociationService/ListRelations", request, field, reason)


def _entities(field: str, reason: str = "INVALID_FIELD", /, **fields: Any) -> Bad:
    request = assoc.ListEntitiesRequest(**({"scope": _reading()} | fields))
    return Bad("AssociationService/ListEntities", request, field, reason)


def _candidates(field: str, reason: str = "INVALID_FIELD", /, **fields: Any) -> Bad:
    request = assoc.ListContradictionCandidatesRequest(**({"scope": _reading()} | fields))
    return Bad("AssociationService/ListContradictionCandidates", request, field, reason)


def _delete(field: str, **fields: Any) -> Bad:
    request = assoc.DeleteEntityRequest(**({"agent_id": AGENT, "ref": "ent:1"} | fields))
    return Bad("AssociationService/DeleteEntity", request, field)


NO_PAGE_TOKENS = ("1", "next", "AAAA", "a" * 20_001, "%%%", "ｆｕｌｌ")

LISTS = [
    *(
        bad
        for list_of in (_relations, _entities, _candidates)
        for bad in (
            list_of("scope.agent_id", scope=pb.ReadScope()),
            list_of("scope.project_id", "TOO_LARGE", scope=_reading(project_id="p" * 129)),
            list_of("page_size", page_size=-1),
            *(list_of("page_token", "INVALID_PAGE_TOKEN", page_token=token) for token in NO_PAGE_TOKENS),
        )
    ),
    *(_relations("end_ref", end_ref=ref) for ref in ("Ann", "rel:1", "ent:0", "ent:１", "mem:1 ", BEYOND_INT64)),
    _relations("predicate", predicate=" \u200b"),
    _relations("predicate", "TOO_LARGE", predicate="p" * 257),
    _entities("name", name=" "),
    _entities("name", "TOO_LARGE", name="n" * 257),
    *(_entities("mentioned_in", mentioned_in=ref) for ref in NO_RECORD_REFS if ref),
    _delete("agent_id", agent_id=""),
    *(_delete("ref", ref=ref) for ref in ("", "Ann", "mem:1", "ent:", "ent:0", "ent:１", "ent:9223372036854775808")),
]


def _revise(field: str, reason: str = "INVALID_FIELD", /, **fields: Any) -> Bad:
    good = {"agent_id": AGENT, "ref": "mem:1", "content": "a text"}
    return Bad("LifecycleService/ReviseRecord", life.ReviseRecordRequest(**(good | fields)), field, reason)


def _forget(field: str, reason: str = "INVALID_FIELD", /, **fields: Any) -> Bad:
    good = {"agent_id": AGENT, "refs": ["mem:1"], "mode": HARD}
    return Bad("LifecycleService/Forget", life.ForgetRequest(**(good | fields)), field, reason)


def _history(field: str, reason: str = "INVALID_FIELD", /, **fields: Any) -> Bad:
    good = {"scope": pb.ReadScope(agent_id=AGENT), "ref": "mem:1"}
    return Bad("LifecycleService/GetHistory", history_pb2.GetHistoryRequest(**(good | fields)), field, reason)


CHANGES = [
    _history("scope.agent_id", scope=pb.ReadScope()),
    *(_history("ref", ref=ref) for ref in (*NO_RECORD_REFS, "rel:0")),
    _history("page_size", page_size=-1),
    _history("page_token", "INVALID_PAGE_TOKEN", page_token="x"),
    _revise("agent_id", agent_id=""),
    *(_revise("ref", ref=ref) for ref in NO_RECORD_REFS),
    _revise("content", content=" "),
    _revise("content", "TOO_LARGE", content="x" * 16_001),
    _revise("expected_revision", expected_revision=-1),
    Bad("LifecycleService/LockRecord", life.LockRecordRequest(ref="mem:1"), "agent_id"),
    Bad("LifecycleService/LockRecord", life.LockRecordRequest(agent_id=AGENT, ref="mem:x"), "ref"),
    Bad("LifecycleService/UnlockRecord", life.UnlockRecordRequest(ref="mem:1"), "agent_id"),
    Bad("LifecycleService/UnlockRecord", life.UnlockRecordRequest(agent_id=AGENT, ref="ent:1"), "ref"),
    _forget("agent_id", agent_id=""),
    _forget("refs", refs=[]),
    _forget("refs", "TOO_LARGE", refs=["mem:1"] * 101),
    _forget("mode", mode=life.FORGET_MODE_UNSPECIFIED),
    Bad("AdminService/CheckHealth", admin.CheckHealthRequest(), "agent_id"),
]

BAD_REQUESTS = [*STORES, *READS, *DECLARATIONS, *LISTS, *CHANGES, *VALIDITIES, *(Bad(*one) for one in BAD_RETENTIONS)]
