"""CPU of the database's backend for the functions of a recall, and what its vector arm misses."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import psycopg
from pgvector.psycopg import register_vector

from rensou_shared.db.sql import load_statement
from rivals import Asked
from timing import percentile

DEPTH = 50
_SPARSE_DIMENSIONS = 999_999_937
_MOST_READ = 2_000

_CANDIDATES = load_statement("rensou_recall.store", "recall_candidates")
_EXACT = b"SELECT a.record_id FROM arm_exact_v1(%(query)s, %(model_id)s, NULL, '', '', false, %(depth)s) a"
# The scan that the exact arm cannot do without: the same rows by the same index, and no filter.
_PLAIN = b"""
SELECT v.record_id
FROM rensou.record_vectors v
WHERE v.agent_id = current_setting('rensou.agent_id', true) AND v.model_id = %(model_id)s AND v.covered
ORDER BY (v.embedding <#> %(query)s) + 0
LIMIT %(depth)s
"""
_LANE = b"SELECT ann_lane_v1(%(model_id)s)"
_ANN = b"""
SELECT a.record_id FROM arm_ann_v1(%(query)s, %(model_id)s, %(lane)s::smallint, NULL, '', '', false, %(depth)s) a
"""
_LEXICAL = b"""
SELECT a.record_id FROM arm_lexical_v1(%(weights)s::sparsevec, %(hashes)s::bigint[], NULL, '', '', false, %(depth)s) a
"""
_WEIGHTS = b"""
SELECT h.hash, w.slot, w.records, w.idf
FROM unnest(%(words)s::bigint[]) AS h (hash)
JOIN slot_weights_v1(ARRAY(SELECT term_slot(x.h) FROM unnest(%(words)s::bigint[]) AS x (h))) w
  ON w.slot = term_slot(h.hash)
ORDER BY w.records, h.hash
"""


class Backend:
    """A superuser's connection, which may call the arms apart, and the CPU time of its server process."""

    def __init__(self, admin_dsn: str) -> None:
        self._connection: psycopg.Connection[Any] = psycopg.connect(admin_dsn, autocommit=True)
        register_vector(self._connection)
        self._connection.execute(b"SET search_path = rensou, public")
        self._connection.execute(b"SET enable_seqscan = off; SET enable_bitmapscan = off; SET random_page_cost = 0.5")
        self._clock = Path(f"/proc/{self._connection.info.backend_pid}/schedstat")

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def become(self, agent_id: str) -> None:
        """Works for the agent from now on."""
        self._connection.execute(b"SELECT set_config('rensou.agent_id', %s, false)", (agent_id,))

    def rows(self, statement: bytes, params: dict[str, object]) -> list[Any]:
        """The rows of a statement."""
        return self._connection.execute(statement, params, binary=True).fetchall()

    def cpu_ms(self, statement: bytes, params: dict[str, object]) -> float:
        """Milliseconds that the server process was on a CPU for it."""
        before = self._cpu_ns()
        self.rows(statement, params)
        return (self._cpu_ns() - before) / 1e6

    def _cpu_ns(self) -> int:
        return int(self._clock.read_text(encoding="ascii").split()[0])


def _lane(backend: Backend, asked: Asked) -> int | None:
    """The approximate index that the agent is in."""
    ((lane,),) = backend.rows(_LANE, {"model_id": asked.candidates["model_id"]})
    return lane


def _vector_params(asked: Asked) -> dict[str, object]:
    return {"query": asked.candidates["query"], "model_id": asked.candidates["model_id"], "depth": DEPTH}


def _lexical_params(backend: Backend, asked: Asked) -> dict[str, object]:
    """Weights and hashes as the service's function makes them: the rarest words until their records number 2,000."""
    hashes: list[int] = []
    weights: dict[int, float] = {}
    read = 0
    for number, slot, records, idf in backend.rows(_WEIGHTS, {"words": asked.candidates["words"]}):
        weights[slot] = idf
        read += records
        if read <= _MOST_READ or read == records:
            hashes.append(number)
    text = "{" + ",".join(f"{slot}:{idf}" for slot, idf in sorted(weights.items())) + f"}}/{_SPARSE_DIMENSIONS}"
    return {"weights": text, "hashes": hashes, "depth": DEPTH}


def measure_cpu(backend: Backend, asked: Sequence[Asked]) -> dict[str, float]:
    """Median milliseconds of CPU of a plain scan, the arms (50 rows each) and all of the candidates.

    The approximate arm is measured only where the last agent is in an index.
    """
    figures: dict[str, float] = {}
    backend.become(asked[-1].agent_id)
    approximate = (("cpu_ann_ms", _ANN, lambda one: _vector_params(one) | {"lane": _lane(backend, one)}),)
    series: tuple[tuple[str, bytes, Callable[[Asked], dict[str, object]]], ...] = (
        *(approximate if _lane(backend, asked[-1]) is not None else ()),
        ("cpu_plain_scan_ms", _PLAIN, _vector_params),
        ("cpu_exact_ms", _EXACT, _vector_params),
        ("cpu_lexical_ms", _LEXICAL, lambda one: _lexical_params(backend, one)),
        ("cpu_candidates_ms", _CANDIDATES, lambda one: one.candidates),
    )
    for name, statement, params in series:
        times: list[float] = []
        for one in asked:
            backend.become(one.agent_id)
            own = params(one)
            times.append(backend.cpu_ms(statement, own))
        figures[name] = round(median(times), 2)
    return figures


def measure_recall(backend: Backend, asked: Sequence[Asked]) -> dict[str, float | str]:
    """What share of the 50 nearest records the vector arm in use finds among its first 50: mean, first percentile.

    And how that arm searched, for the last question.
    """
    plan = ""
    shares: list[float] = []
    for one in asked:
        backend.become(one.agent_id)
        exact = {row[0] for row in backend.rows(_EXACT, _vector_params(one))}
        *rows, (*_, plan, _, _, _, _) = backend.rows(_CANDIDATES, one.candidates)
        ranked = {row[0]: row[2] for row in rows}
        found = {number for number, rank in ranked.items() if rank is not None and rank <= DEPTH}
        shares.append(len(exact & found) / max(len(exact), 1))
    return {"vector_plan": plan, "recall@50": round(mean(shares), 4), "recall@50_p1": round(percentile(shares, 1), 4)}
