"""Requests to Traverse, and its answer put together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.traverse import decode_traverse, encode_neighbourhood
from rensou_recall.stages.neighbourhood import assemble_neighbourhood
from rensou_recall.types.call import Principal
from rensou_recall.types.records import LoweredBound
from rensou_recall.types.traverse import EntityNames, Mentions, TraverseDetails, TraverseRequest, Walk
from rensou_shared.errors import InvalidField, InvalidText, TooLarge
from rensou_shared.ids import AgentId, EntityId, RecordId, RecordRef
from rensou_shared.scope import ReadScope

ANN = Principal("test", frozenset({"ann"}), operator=False)


def _request(entity: str, **bounds: int) -> rpc.TraverseRequest:
    return rpc.TraverseRequest(scope=pb.ReadScope(agent_id="ann"), entity=entity, **bounds)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("entity", "fault"),
    [
        ("", InvalidField),
        ("\u200b", InvalidField),
        ("a\0", InvalidText),
        ("x" * 257, TooLarge),
        ("mem:1", InvalidField),
        ("ent:x", InvalidField),
        ("ent:9223372036854775808", InvalidField),
    ],
)
def test_what_is_no_entity_is_refused_by_its_field(entity: str, fault: type[InvalidField]) -> None:
    with pytest.raises(fault) as refused:
        decode_traverse(_request(entity), ANN)
    assert refused.value.field == "entity"


@pytest.mark.parametrize("bounds", [{"max_hops": -1}, {"limit": 0}, {"limit": -5}])
def test_a_bound_below_its_range_is_refused(bounds: dict[str, int]) -> None:
    with pytest.raises(InvalidField) as refused:
        decode_traverse(_request("A", **bounds), ANN)
    assert refused.value.field in bounds


def test_bounds_have_defaults_and_are_lowered() -> None:
    asked = decode_traverse(_request(" ＡＮＮ  Lee "), ANN)
    assert (asked.start, asked.max_hops, asked.limit, asked.lowered) == ("ann lee", 1, 20, ())
    asked = decode_traverse(_request("ent:7", max_hops=9, limit=500), ANN)
    assert (asked.start, asked.max_hops, asked.limit) == (7, 5, 100)
    assert asked.lowered == (LoweredBound("max_hops", 9, 5), LoweredBound("limit", 500, 100))


_levels = st.lists(st.integers(1, 40), unique=True, max_size=12).flatmap(
    lambda ids: st.lists(st.integers(0, 5), min_size=len(ids), max_size=len(ids)).map(
        lambda hops: tuple(
            tuple(EntityId(one) for one, at in zip(ids, hops, strict=True) if at == hop) for hop in range(6)
        )
    )
)


@given(_levels, st.sets(st.integers(1, 40)), st.integers(0, 3), st.booleans())
def test_the_answer_keeps_the_walks_order_and_says_what_is_cut(
    levels: tuple[tuple[EntityId, ...], ...], gone: set[int], omitted: int, unfollowed: bool
) -> None:
    request = TraverseRequest(ReadScope(AgentId("ann")), "a", "a", 5, 20)
    walk = Walk(levels, omitted, unfollowed)
    names = {entity: EntityNames(f"e{entity}", ()) for entity in walk.entities if entity not in gone}
    found = assemble_neighbourhood(request, walk, TraverseDetails(names, {}, [], 0))
    assert [entity.id for entity in found.entities] == [entity for entity in walk.entities if entity not in gone]
    assert all(entity.id in levels[entity.hops] for entity in found.entities)
    assert (found.limit_omitted, found.max_hops_omitted) == (omitted > 0, unfollowed)


def test_a_cut_of_mentions_is_a_cut_by_the_limit() -> None:
    request = TraverseRequest(ReadScope(AgentId("ann")), "a", "a", 1, 1, (LoweredBound("max_hops", 9, 5),))
    mentions = {EntityId(1): Mentions((RecordRef("ep", RecordId(3)),), 2)}
    details = TraverseDetails({EntityId(1): EntityNames("A", ("b",), 3)}, mentions, [], 0)
    found = assemble_neighbourhood(request, Walk(((EntityId(1),),), 0, False), details)
    answer = encode_neighbourhood(found)
    assert answer.entities[0] == rpc.TraversedEntity(
        ref="ent:1", name="A", aliases=["b"], mentions=["ep:3"], mentions_omitted=2, aliases_omitted=3
    )
    assert list(answer.bounds.omitted) == [rpc.BOUND_LIMIT]
    assert [lowered.field for lowered in answer.bounds.lowered] == ["max_hops"]
    assert not encode_neighbourhood(
        assemble_neighbourhood(
            TraverseRequest(ReadScope(AgentId("ann")), "a", "a", 1, 1),
            Walk((), 0, False),
            TraverseDetails({}, {}, [], 0),
        )
    ).HasField("bounds")
