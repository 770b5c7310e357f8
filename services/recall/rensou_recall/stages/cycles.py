"""Cycles among directed edges."""

from collections.abc import Sequence

import rustworkx

from rensou_shared.ids import RecordId, RelationId

Arrow = tuple[RelationId, RecordId, RecordId]
"""A relation with its subject and its object."""


def relations_in_cycles(arrows: Sequence[Arrow]) -> list[RelationId]:
    """Those of the relations whose subject can be reached from their object, rising; O(arrows).

    They are those within a strongly connected group, whatever its size.
    """
    node_of: dict[RecordId, int] = {}
    for _, subject, obj in arrows:
        node_of.setdefault(subject, len(node_of))
        node_of.setdefault(obj, len(node_of))
    graph = rustworkx.PyDiGraph[None, None]()
    graph.add_nodes_from([None] * len(node_of))
    graph.add_edges_from_no_data([(node_of[subject], node_of[obj]) for _, subject, obj in arrows])
    groups = rustworkx.strongly_connected_components(graph)
    group = {node: number for number, nodes in enumerate(groups) for node in nodes}
    return sorted(relation for relation, subject, obj in arrows if group[node_of[subject]] == group[node_of[obj]])
