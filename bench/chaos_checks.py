"""What must be true after the chaos: every surviving record has exactly the nodes of its text, and nothing else has."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import psycopg

from chaos_embedding import WINDOW, count, vector
from chaos_texts import POISON
from rensou_nodeworker.stages.divide import divide
from rensou_shared.embedding.port import TokenCount

# Half precision, of numbers below 1.
_CLOSE = 0.001
_RECORDS = b"""
SELECT r.agent_id, r.kind || ':' || r.id, r.content,
       (SELECT array_agg(v.embedding::real[]) FROM rensou.record_vectors v
        WHERE v.agent_id = r.agent_id AND v.record_id = r.id),
       (SELECT max(v.token_count) FROM rensou.record_vectors v
        WHERE v.agent_id = r.agent_id AND v.record_id = r.id)
FROM rensou.records r
"""
_NODES = b"""
SELECT n.agent_id, coalesce(r.kind, '?') || ':' || n.record_id, n.node_index, n.start_char, n.end_char, n.token_count,
       n.token_window, n.embedding::real[]
FROM rensou.record_nodes n
LEFT JOIN rensou.records r ON r.agent_id = n.agent_id AND r.id = n.record_id
ORDER BY n.record_id, n.node_index
"""
_DEAD = b"""
SELECT b.agent_id, r.kind || ':' || r.id
FROM rensou.node_builds b
JOIN rensou.records r ON r.agent_id = b.agent_id AND r.id = b.record_id
WHERE b.state = 'dead'
"""
# Whoever waits for the end asks this: builds to come, and records without what they need that nobody has given up.
_UNFINISHED = b"""
SELECT (SELECT count(*) FROM rensou.node_builds b WHERE b.state IN ('pending', 'running')),
       (SELECT count(*)
        FROM rensou.records r
        LEFT JOIN rensou.record_vectors v ON v.agent_id = r.agent_id AND v.record_id = r.id
        WHERE NOT EXISTS (
            SELECT FROM rensou.node_builds b
            WHERE b.agent_id = r.agent_id AND b.record_id = r.id AND b.state = 'dead')
          AND (v.token_count IS NULL OR v.token_count > %(window)s AND NOT EXISTS (
            SELECT FROM rensou.record_nodes n WHERE n.agent_id = r.agent_id AND n.record_id = r.id)))
"""

Ref = tuple[str, str]


@dataclass(slots=True)
class Verdict:
    """What was found.

    Attributes:
        records: Records in the database.
        complete: Those with exactly the vector and the nodes of their text.
        past_window: Those that need nodes.
        dead: Builds that were given up.
        lost: Acknowledged texts that are not there, and forgotten ones that are.
        wrong: Records, or leftovers of records, that differ from what was worked out anew, with the reason.
    """

    records: int = 0
    complete: int = 0
    past_window: int = 0
    dead: list[Ref] = field(default_factory=list[Ref])
    lost: list[Ref] = field(default_factory=list[Ref])
    wrong: list[tuple[Ref, str]] = field(default_factory=list[tuple[Ref, str]])


def unfinished(admin_dsn: str) -> tuple[int, int]:
    """Builds that wait or run, and records that lack something."""
    with psycopg.connect(admin_dsn, connect_timeout=5) as connection:
        ((builds, records),) = connection.execute(_UNFINISHED, {"window": WINDOW})
        return int(builds), int(records)


def judge(admin_dsn: str, acknowledged: Mapping[Ref, str], forgotten: AbstractSet[Ref]) -> Verdict:
    """Compares the database with what the client was told and with what the texts give when worked out anew."""
    with psycopg.connect(admin_dsn) as connection:
        records = {(row[0], row[1]): row[2:] for row in connection.execute(_RECORDS)}
        nodes: dict[Ref, list[tuple[Any, ...]]] = {}
        for agent, ref, *node in connection.execute(_NODES):
            nodes.setdefault((agent, ref), []).append(tuple(node))
        dead = [(agent, ref) for agent, ref in connection.execute(_DEAD)]
    verdict = Verdict(records=len(records), dead=dead)
    verdict.lost = [ref for ref, text in acknowledged.items() if ref not in records or records[ref][0] != text]
    verdict.lost += [ref for ref in forgotten if ref in records or ref in nodes]
    verdict.wrong = [(ref, "nodes without a record") for ref in nodes if ref not in records]
    verdict.wrong += [(ref, "a record that nobody was told of") for ref in records if ref not in acknowledged]
    verdict.wrong += [(ref, "given up") for ref in dead if POISON not in records[ref][0]]
    for ref, (text, vectors, tokens) in records.items():
        is_poison = POISON in text
        verdict.past_window += count(text)["truncated"]
        fault = fault_of_nodes(text, nodes.get(ref, []), is_poison=is_poison)
        if not is_poison:
            fault = fault or _fault_of_vector(text, vectors, tokens)
        if fault:
            verdict.wrong.append((ref, fault))
        elif not is_poison:
            verdict.complete += 1
    return verdict


def expected_nodes(text: str) -> list[tuple[int, int, int, int, int]]:
    """index, start, end, tokens and window of the nodes of a text, divided anew."""
    steps = divide(text)
    try:
        probe = next(steps)
        while True:
            probe = steps.send(TokenCount(**count(text[probe.start_char : probe.end_char])))
    except StopIteration as end:
        return [(i, one.start_char, one.end_char, one.token_count, one.window) for i, one in enumerate(end.value)]


def _fault_of_vector(text: str, vectors: Sequence[Any] | None, tokens: int | None) -> str:
    if vectors is None or len(vectors) != 1:
        return "not exactly one vector"
    if tokens != count(text)["count"]:
        return "another count of tokens"
    return "" if _is_near(vectors[0], text) else "another text's vector"


def fault_of_nodes(text: str, nodes: Sequence[tuple[Any, ...]], *, is_poison: bool) -> str:
    """What is wrong with a record's nodes as they are read, in order; '' for nothing."""
    if is_poison:
        return "nodes of a text that nobody can embed" if nodes else ""
    if [node[:5] for node in nodes] != expected_nodes(text):
        return "other nodes than those of the text"
    return fault_by_rule(text, nodes)


def fault_by_rule(text: str, nodes: Sequence[tuple[Any, ...]]) -> str:
    """The same question without the divider: whatever the cuts are, these rules hold."""
    if bool(nodes) != bool(count(text)["truncated"]):
        return "nodes where none are due, or none where they are"
    edges = [0, *(end for _, _, end, *_ in nodes)]
    if nodes and ([start for _, start, *_ in nodes] != edges[:-1] or edges[-1] != len(text)):
        return "a gap or an overlap"
    for _, start, end, tokens, window, embedding in nodes:
        report = count(text[start:end])
        if report["truncated"] or (tokens, window) != (report["count"], WINDOW):
            return "a node that is not as long as it says, or past the window"
        if not _is_near(embedding, text[start:end]):
            return "another span's vector"
    return ""


def _is_near(embedding: Any, text: str) -> bool:
    return bool(np.abs(np.asarray(embedding, np.float64) - vector(text)).max() < _CLOSE)
