"""Personalised PageRank over what was declared around a ranking's window (Haveliwala, WWW 2002)."""

from collections.abc import Sequence
from itertools import chain
from typing import Final

import rustworkx

from rensou_recall.types.surroundings import Surroundings
from rensou_shared.ids import RecordId

DAMPING: Final = 0.85
# Twelve decimals stand for the order; the iteration goes on until they do, .85 a step.
_DECIMALS: Final = 12
_PRECISION: Final = 1e-12
_MAX_STEPS: Final = 1_000


def page_ranks(surroundings: Surroundings, seeds: Sequence[RecordId]) -> dict[RecordId, float]:
    """Each record's share, 0-1, when a walk from one of `seeds` (all equally likely) returns to one every 1 in 7 steps.

    The edges are mentions, relations between entities and relations between records, all alike and both ways. A seed
    without any starts no walk and has no share: nothing is declared that could speak for it. Nodes and edges are taken
    by number, so that equal graphs give equal shares to the last bit.
    """
    records, entities = sorted(surroundings.records), sorted(surroundings.entities)
    record_node = {record: node for node, record in enumerate(records)}
    entity_node = {entity: node for node, entity in enumerate(entities, start=len(records))}
    mentions = (
        (record_node[record], entity_node[entity])
        for record in records
        for entity in surroundings.mentioned(record)
        if entity in entity_node
    )
    relations = (
        (entity_node[entity], entity_node[edge.to_entity])
        for entity in entities
        for edge in surroundings.edges.get(entity, ())
        if edge.to_entity in entity_node
    )
    links = ((record_node[a], record_node[b]) for a, b in surroundings.links if a in record_node and b in record_node)
    # A relation is read from both its ends, and a pair is one edge whatever joins it.
    pairs = sorted({(min(pair), max(pair)) for pair in chain(mentions, relations, links)})
    joined = {node for pair in pairs for node in pair}
    starts = [node for node in (record_node[seed] for seed in seeds) if node in joined]
    if not starts:
        return dict.fromkeys(records, 0.0)
    graph: rustworkx.PyDiGraph[None, None] = rustworkx.PyDiGraph(multigraph=False)
    graph.add_nodes_from([None] * (len(records) + len(entities)))
    graph.add_edges_from_no_data(sorted([*pairs, *((b, a) for a, b in pairs)]))
    # The library multiplies its tolerance by the number of nodes.
    shares = rustworkx.pagerank(
        graph,
        alpha=DAMPING,
        personalization=dict.fromkeys(starts, 1.0),
        tol=_PRECISION / graph.num_nodes(),
        max_iter=_MAX_STEPS,
    )
    return {record: round(shares[node], _DECIMALS) for record, node in record_node.items()}
