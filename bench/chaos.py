"""Everything that can happen to the work behind the nodes, at once: nothing may be lost. The last line is JSON.

Records are stored, revised and forgotten through gRPC while workers are killed (-9), stopped, frozen and cut off from
the database past their leases, reconcilers and recall are killed, Redis is flushed and killed, PostgreSQL is restarted
in both ways, and the embedding server is busy, hangs and lies. Poisoned texts take down every worker that has them
embedded. When the queue has drained, every surviving text is divided again and compared (chaos_checks).

`records` were acknowledged; `kills` are workers killed without those that a poisoned text took down; `complete` have
exactly their vector and nodes; `dead` builds were given up; `fenced` late commits were refused. The exit status is 1
when anything is lost, wrong, or not as it should be.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg

from chaos_checks import Verdict, judge, unfinished
from chaos_client import Caller
from chaos_crew import Crew, Member, member
from chaos_embedding import RECALL, ChaosEmbedding
from chaos_faults import LATE, LEASE_S, Faults, Plan
from chaos_texts import make_texts
from chaos_wire import Wire
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.errors import StackError
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import ALL_PARTS, EmbeddedStack, Part, StackOptions

_WORKERS: Final = 4
_RECONCILERS: Final = 2
_SAID_EVERY_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Run:
    """What is asked for: `seconds` bounds the run, and `cap` the builds of an agent that may wait."""

    records: int
    poisons: int
    seed: int
    seconds: float
    plan: Plan
    cap: int


class _Clock:
    """Says on stderr what happens, and when."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def say(self, text: str) -> None:
        print(f"{self.seconds:7.1f} s  {text}", file=sys.stderr, flush=True)


async def run_chaos(folder: Path, run: Run) -> dict[str, Any]:
    """One run in `folder`; the figures.

    Raises:
        StackError: The stack does not start.
    """
    clock = _Clock()
    async with AsyncExitStack() as parts:
        embedding = await parts.enter_async_context(ChaosEmbedding())
        stack = await _start_stack(parts, folder, embedding, run)
        crew = await _start_crew(parts, folder, stack, embedding, run)
        faults = Faults(stack, embedding, crew, random.Random(run.seed), clock.say)
        client = await parts.enter_async_context(RensouClient(stack.grpc_address))
        caller = Caller(client, run.seed)
        texts = make_texts(run.records, run.poisons, random.Random(f"texts {run.seed}"))

        def on_step(share: float) -> None:
            caller.allow(round(len(texts) * share))

        async with asyncio.TaskGroup() as group:
            keeping = group.create_task(crew.keep())
            async with asyncio.TaskGroup() as busy:
                busy.create_task(caller.store_all(texts))
                busy.create_task(faults.run(run.plan, on_step))
            clock.say(f"all of {caller.told.stored} records are stored, nothing goes wrong any more")
            drained = await _drain(stack.admin_dsn, clock, run.seconds)
            keeping.cancel()
        seconds = clock.seconds
        verdict = await asyncio.to_thread(judge, stack.admin_dsn, caller.told.texts, caller.told.forgotten)
        unread = await caller.read_back(caller.told.texts)
        _say_faults(clock, verdict, unread)
        told = caller.told
        return {
            "records": told.stored,
            "kills": faults.kills,
            "complete": verdict.complete,
            "dead": len(verdict.dead),
            "lost": len(set(verdict.lost)) + len(unread),
            "wrong": len({ref for ref, _ in verdict.wrong}),
            "fenced": crew.said(LATE),
            "seconds": round(seconds, 1),
            "drained": drained,
            "survivors": verdict.records,
            "past_window": verdict.past_window,
            "revised": told.revised,
            "forgotten": len(told.forgotten),
            "deferred": told.deferred,
            "retried": told.retried,
            "poison_kills": faults.poison_kills,
            "lease_expiries": crew.said("build_lease_expired"),
            "given_up_by_renewal": crew.said("build_is_anothers"),
            "embedding_errors": embedding.refused,
            "embedding_lies": embedding.lied,
            "faults": dict(sorted(faults.happened.items())),
            "seed": run.seed,
        }


async def _start_stack(parts: AsyncExitStack, folder: Path, embedding: ChaosEmbedding, run: Run) -> EmbeddedStack:
    inherited = {name: value for name, value in clean_environ(os.environ).items() if not name.startswith("RENSOU_")}
    options = StackOptions(
        folder / "data",
        inherited | {"RENSOU_MAX_PENDING_BUILDS": str(run.cap)},
        ALL_PARTS - {Part.NODEWORKER, Part.RECONCILER, Part.EMBEDDING},
        grpc_port=0,
        embedding_url=embedding.url(RECALL),
    )
    stack = EmbeddedStack(options, Console(quiet=True))
    await stack.start()
    parts.push_async_callback(stack.stop)
    return stack


async def _start_crew(
    parts: AsyncExitStack, folder: Path, stack: EmbeddedStack, embedding: ChaosEmbedding, run: Run
) -> Crew:
    settings = {
        "redis_url": stack.redis_url,
        "lease_s": str(LEASE_S),
        "reconcile_interval_s": "0.5",
        "sweep_interval_s": "2",
        "build_embedding_timeout_s": "5",
        "max_pending_builds": str(run.cap),
    }

    async def made(name: str, *arguments: str) -> Member:
        wire_folder = folder / name
        wire_folder.mkdir()
        draw = random.Random(f"{name} {run.seed}")
        wire = await parts.enter_async_context(Wire(stack.worker_dsn, wire_folder, draw))
        one = member(name, arguments, folder, wire, settings | {"embedding_url": embedding.url(name)})
        parts.push_async_callback(one.end)
        await one.start()
        return one

    return Crew(
        tuple([await made(f"w{number}") for number in range(_WORKERS)]),
        tuple([await made(f"r{number}", "reconciler") for number in range(_RECONCILERS)]),
    )


async def _drain(admin_dsn: str, clock: _Clock, until_s: float) -> bool:
    """Whether no build waits and no record lacks anything before the time is over; it is asked once at least."""
    said_at, is_last = 0.0, False
    while not is_last:
        is_last = clock.seconds >= until_s
        with suppress(psycopg.OperationalError):
            builds, records = await asyncio.to_thread(unfinished, admin_dsn)
            if (builds, records) == (0, 0):
                return True
            if clock.seconds > said_at + _SAID_EVERY_S:
                said_at = clock.seconds
                clock.say(f"{builds} builds and {records} records are left")
        await asyncio.sleep(0.5)
    return False


def _say_faults(clock: _Clock, verdict: Verdict, unread: list[str]) -> None:
    for agent, ref in verdict.lost:
        clock.say(f"lost: {ref} of {agent}")
    for ref in unread:
        clock.say(f"lost: {ref} is not read back")
    for (agent, ref), reason in verdict.wrong:
        clock.say(f"wrong: {ref} of {agent}: {reason}")


def is_well(figures: dict[str, Any], run: Run) -> bool:
    """Whether nothing was lost or wrong, the poisoned alone were given up, and late commits were met."""
    return (
        (figures["lost"], figures["wrong"], figures["dead"]) == (0, 0, run.poisons)
        and figures["drained"]
        and figures["records"] == run.records
        and figures["complete"] == run.records - figures["forgotten"] - run.poisons
        and figures["kills"] >= run.plan.kills
        and figures["fenced"] > 0
    )


def _parse() -> tuple[Run, Path | None]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=2_000, help="poisoned ones among them")
    parser.add_argument("--poisons", type=int, default=3)
    parser.add_argument("--kills", type=int, default=24, help="workers killed, without those by poison")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=900.0, help="after which the queue must have drained")
    parser.add_argument("--logs", type=Path, help="a folder that keeps what the workers wrote")
    given = parser.parse_args()
    # A small run has one of each; what makes commits late comes more often, as it does not always meet one.
    rounds = 1 if given.kills < 12 else 2
    plan = Plan(kills=given.kills, stops=2 * rounds, freezes=2 * rounds, hold_ups=3 * rounds, rounds=rounds)
    return Run(given.records, given.poisons, given.seed, given.seconds, plan, max(10, given.records // 40)), given.logs


def main() -> int:
    """0 when everything is well, else 1; the figures on the last line."""
    run, logs = _parse()
    with tempfile.TemporaryDirectory(prefix="rensou-chaos-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        try:
            figures = asyncio.run(run_chaos(folder, run))
        except StackError as error:
            print(f"chaos: {error}", file=sys.stderr)
            return 1
        finally:
            if logs is not None:
                logs.mkdir(parents=True, exist_ok=True)
                for log in (*folder.glob("*.log"), *folder.glob("data/logs/*.log")):
                    (logs / log.name).write_bytes(log.read_bytes())
    print(json.dumps(figures))
    return 0 if is_well(figures, run) else 1


if __name__ == "__main__":
    sys.exit(main())
