"""Declares a graph about stored turns through the public door."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeVar

from graph_arms import Graph, Relation
from rensou.v1 import association_service_pb2 as associations
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.errors import StackError

_TIMEOUT_S = 60
_MAX_DECLARED = 64

T = TypeVar("T")


async def declare(client: RensouClient, scope: pb.WriteScope, ref_of: dict[str, str], graph: Graph) -> None:
    """Declares every mention and relation; `ref_of` has the ref of each turn, and one without any declares nothing.

    One after the other: the walk goes by the newest relation, so that the order is part of what is declared.

    Raises:
        StackError: Something was dropped: the graph would not be the one that is measured.
    """
    for request in _requests(scope, ref_of, graph):
        response = await client.associations.DeclareAssociations(request, timeout=_TIMEOUT_S)
        if response.report.dropped:
            first = response.report.dropped[0]
            raise StackError(f"{request.anchor_ref} {first.item} was dropped: {pb.DropReason.Name(first.reason)}")


def _requests(
    scope: pb.WriteScope, ref_of: dict[str, str], graph: Graph
) -> Iterator[associations.DeclareAssociationsRequest]:
    of_turn: dict[str, list[Relation]] = defaultdict(list)
    for relation in graph.relations:
        of_turn[relation.turn].append(relation)
    for turn in sorted((graph.mentions.keys() | of_turn.keys()) & (ref_of.keys() | {""})):
        entities = [pb.EntityDeclaration(name=name) for name in graph.mentions.get(turn, [])]
        parts = list(_parts(of_turn[turn], _MAX_DECLARED)) or [[]]
        for place, part in enumerate(parts):
            yield associations.DeclareAssociationsRequest(
                scope=scope,
                associations=pb.Associations(entities=[] if place else entities, relations=map(_relation, part)),
                anchor_ref=ref_of[turn] if turn else "",
            )


def _relation(relation: Relation) -> pb.RelationDeclaration:
    return pb.RelationDeclaration(subject=relation.subject, predicate=relation.predicate, object=relation.object)


def _parts(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
