"""How the ladder's agent grows: through the service first, then by COPY with vectors that are real ones plus noise."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import psycopg
from pgvector.psycopg import register_vector

from bulk import Batch, copy_rows, load_records, settle
from intelligence_sets import timestamp
from ladder_texts import make_distractor
from lanes import Lanes
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.demo_store import store_all
from rensou_embedded.stack import EmbeddedStack
from rensou_shared.domain import ANN_ABOVE_ROWS
from topics import Vectors

AGENT = "bench-ladder"
REAL_ROWS = 10_000
# Of unit vectors, so that a copy and what it was made of have a cosine of about .94.
_NOISE = 0.35
_MODEL = b"SELECT m.id FROM rensou.embedding_models m WHERE m.state = 'active'"
_REAL = b"""
SELECT v.embedding::real[]
FROM rensou.record_vectors v
JOIN rensou.records r ON r.agent_id = v.agent_id AND r.id = v.record_id
WHERE v.agent_id = %s AND r.session_id LIKE 'ladder-%%'
ORDER BY v.record_id
"""
_ENTER = b"UPDATE rensou.record_vectors SET ann_lane = %s WHERE agent_id = %s AND ann_lane IS NULL"


@dataclass(slots=True)
class Growth:
    """The agent on a running stack, and how many records it has; `scratch` takes the vectors for those who copy."""

    stack: EmbeddedStack
    client: RensouClient
    scratch: Path
    rows: int
    made: int = 0

    async def grow(self, rows: int) -> None:
        """Returns when the agent has so many records, and what is derived of them is settled.

        Raises:
            StackError, psycopg.Error: A record was refused.
        """
        real = min(rows, REAL_ROWS) - self.rows
        if real > 0:
            await store_all(self.client, [_request(number) for number in range(self.made, self.made + real)])
            self.made, self.rows = self.made + real, self.rows + real
        lanes = None
        if rows > self.rows:
            lanes = await asyncio.to_thread(self._copy, rows - self.rows)
            self.made, self.rows = self.made + rows - self.rows, rows
        await settle(self.stack.admin_dsn, self.stack.worker_dsn, lanes)

    def _copy(self, count: int) -> Lanes | None:
        model_id, real = _load_real(self.stack.admin_dsn)
        path = self.scratch / "real.npy"
        np.save(path, real)
        lanes = None
        if self.rows + count > ANN_ABOVE_ROWS:
            lanes = Lanes(self.stack.admin_dsn, self.stack.migrator_dsn, [AGENT], model_id)
            lanes.drop()
            with psycopg.connect(self.stack.admin_dsn) as connection:
                connection.execute(b"SET LOCAL session_replication_role = replica")
                connection.execute(_ENTER, (lanes.of(0), AGENT))
        copy = partial(copy_noisy, str(path), self.made)
        load_records(self.stack.admin_dsn, [AGENT], count, model_id, lanes, copy)
        return lanes


def copy_noisy(path: str, first: int, batch: Batch) -> None:
    """Stores the batch's distractors, counted from `first`, with vectors near those of the file.

    Raises:
        psycopg.Error: The database took them not.
    """
    numbers = range(first + batch.first_number, first + batch.first_number + batch.rows)
    copy_rows(batch, [make_distractor(number) for number in numbers], noisy(np.load(path), numbers))


def noisy(real: Vectors, numbers: Sequence[int]) -> Vectors:
    """A unit vector a number: one of the real ones and noise, the same at every run."""
    chance = np.random.default_rng(numbers[0])
    chosen = real[chance.integers(len(real), size=len(numbers))]
    noise = chance.standard_normal(chosen.shape)
    moved = chosen + _NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)


def _load_real(admin_dsn: str) -> tuple[int, Vectors]:
    """The active model, and the vectors of the distractors that were stored through the service."""
    with psycopg.connect(admin_dsn) as connection:
        register_vector(connection)
        (model_id,) = connection.execute(_MODEL).fetchone() or (0,)
        rows = connection.execute(_REAL, (AGENT,)).fetchmany(REAL_ROWS)
    return int(model_id), np.array([vector for (vector,) in rows], np.float32)


def _request(number: int) -> rpc.StoreRequest:
    made = make_distractor(number)
    return rpc.StoreRequest(
        scope=pb.WriteScope(agent_id=AGENT),
        memory=rpc.MemoryContent(content=made.content),
        session_id=made.session_id,
        occurred_time=timestamp(made.occurred_at),
    )
