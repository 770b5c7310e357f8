"""Drives CPersona over MCP (stdio), its normal door; runs in the peer's own environment and imports nothing of ours.

    python bench/peer_cpersona.py JOB OUTCOME

JOB: {"relay": URL, "environ": {...}, "log": PATH, "limit": n,
      "agents": [{"id", "records": [{"id", "text", "time", "speaker"}], "warming": [text], "questions": [text]}]}
OUTCOME: {"agents": [{"ranked": [[record id, best first], ...], "recall_ms": [...], "embed_ms": [...]}]}

The peer knows no sides of an embedding: the relay is told when recalls begin, so that questions are embedded as
questions. `embed_ms` is what the relay spent during the call.
"""

import asyncio
import json
import sys
import time
import urllib.request
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


class Relay:
    """The embedding relay's own routes."""

    def __init__(self, url):
        self._url = url

    def set_side(self, side):
        """What a text without a side is from now on."""
        body = json.dumps({"side": side}).encode()
        headers = {"Content-Type": "application/json"}
        urllib.request.urlopen(urllib.request.Request(self._url + "/side", body, headers)).read()

    def spent_ms(self):
        """Milliseconds that embedding has taken so far."""
        return json.load(urllib.request.urlopen(self._url + "/spent"))["ms"]


async def call(session, tool, arguments):
    """The tool's answer.

    Raises:
        RuntimeError: The peer refused.
    """
    result = await session.call_tool(tool, arguments)
    answer = json.loads(result.content[0].text)
    if result.isError or answer.get("ok") is False or answer.get("error"):
        raise RuntimeError(f"{tool}: {result.content[0].text[:500]}")
    return answer


async def store(session, agent):
    """The record of each ref; of records with the same text the first."""
    record_of = {}
    for record in agent["records"]:
        message = {
            "id": record["id"],
            "content": record["text"],
            "source": {"type": "User", "id": record["speaker"], "name": record["speaker"]},
            "timestamp": record["time"],
        }
        answer = await call(session, "store", {"agent_id": agent["id"], "message": message})
        record_of.setdefault(f"mem:{answer['id']}", record["id"])
    return record_of


async def wait_for_tasks(session):
    """Returns when the peer has done what it does in the background after a store.

    Raises:
        TimeoutError: Not within an hour.
    """
    async with asyncio.timeout(3600):
        while True:
            if not (await call(session, "get_queue_status", {}))["pending"]:
                return
            await asyncio.sleep(0.2)


async def recall(session, agent, question, limit):
    """What the peer recalls, best first: its rows come with the best last."""
    answer = await call(session, "recall", {"agent_id": agent["id"], "query": question, "limit": limit})
    return [message["ref"] for message in reversed(answer["messages"])]


async def play(session, relay, agent, limit):
    """One agent's part of the outcome."""
    relay.set_side("passage")
    record_of = await store(session, agent)
    await wait_for_tasks(session)
    relay.set_side("query")
    for question in agent["warming"]:
        await recall(session, agent, question, limit)
    outcome = {"ranked": [], "recall_ms": [], "embed_ms": []}
    for question in agent["questions"]:
        before, started = relay.spent_ms(), time.perf_counter()
        refs = await recall(session, agent, question, limit)
        outcome["recall_ms"].append((time.perf_counter() - started) * 1000)
        outcome["embed_ms"].append(relay.spent_ms() - before)
        outcome["ranked"].append([record_of[ref] for ref in refs if ref in record_of])
    return outcome


async def run(job, log):
    """The outcome of the job; what the peer says beside goes to `log`."""
    relay = Relay(job["relay"])
    server = StdioServerParameters(command=sys.executable, args=["-m", "cpersona"], env=job["environ"])
    async with stdio_client(server, errlog=log) as streams, ClientSession(*streams) as session:
        await session.initialize()
        return {"agents": [await play(session, relay, agent, job["limit"]) for agent in job["agents"]]}


def main():
    """Plays the job."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with Path(job["log"]).open("w", encoding="utf-8") as log:
        outcome = asyncio.run(run(job, log))
    Path(sys.argv[2]).write_text(json.dumps(outcome), encoding="utf-8")


if __name__ == "__main__":
    main()
