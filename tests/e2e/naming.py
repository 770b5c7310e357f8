"""Declaring names through the public door, and asking for them."""

from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import TIMEOUT_S


async def declare(client: RensouClient, agent: str, /, **fields: object) -> assoc.DeclareAssociationsResponse:
    """What DeclareAssociations says; `fields` are those of Associations, and of the request."""
    sent = {name: fields.pop(name) for name in ("scope", "anchor_ref", "retract") if name in fields}
    scope = sent.pop("scope", pb.WriteScope(agent_id=agent))
    request = assoc.DeclareAssociationsRequest(scope=scope, associations=pb.Associations(**fields), **sent)
    return await client.associations.DeclareAssociations(request, timeout=TIMEOUT_S)


def named(*names: str, aliases: tuple[str, ...] = ()) -> list[pb.EntityDeclaration]:
    """Entities of these names, the aliases being the first one's."""
    return [pb.EntityDeclaration(name=name, aliases=aliases if place == 0 else ()) for place, name in enumerate(names)]


def related(*triples: tuple[str, str, str]) -> list[pb.RelationDeclaration]:
    """Subject, predicate, object."""
    return [pb.RelationDeclaration(subject=one, predicate=predicate, object=other) for one, predicate, other in triples]


def dropped(report: pb.AssociationReport) -> list[tuple[str, str]]:
    """Paths and reasons."""
    return [(one.item, pb.DropReason.Name(one.reason).removeprefix("DROP_REASON_")) for one in report.dropped]


async def traverse(client: RensouClient, agent: str, name: str, **fields: object) -> rpc.TraverseResponse:
    """What Traverse says of a name; `fields` are further ones of its request, `scope` among them."""
    scope = fields.pop("scope", pb.ReadScope(agent_id=agent))
    request = rpc.TraverseRequest(scope=scope, entity=name, **fields)
    return await client.recall.Traverse(request, timeout=TIMEOUT_S)
