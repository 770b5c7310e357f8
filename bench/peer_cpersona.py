"""Drives CPersona over MCP (stdio), its normal door; runs in the peer's own environment and imports nothing of ours.

Reads a JSON object a line, answers each with one:

    {"store": {"agent": id, "records": [{"id", "text", "time", "speaker"}]}}
        -> {"record_of": {ref: record id}}, of records with the same text the first
    {"recall": {"agent": id, "question": text, "limit": n}}
        -> {"refs": [ref, best first], "ms": how long the call took}

The peer is started with the environment of this process; what it says beside goes to standard error.
"""

import asyncio
import json
import os
import sys
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

_TASKS_TIMEOUT_S = 3600


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


async def store(session, agent, records):
    """Stores the records, and returns when the peer has also done what it does in the background.

    Raises:
        TimeoutError: It had not within an hour.
    """
    record_of = {}
    for record in records:
        message = {
            "id": record["id"],
            "content": record["text"],
            "source": {"type": "User", "id": record["speaker"], "name": record["speaker"]},
            "timestamp": record["time"],
        }
        answer = await call(session, "store", {"agent_id": agent, "message": message})
        record_of.setdefault(f"mem:{answer['id']}", record["id"])
    async with asyncio.timeout(_TASKS_TIMEOUT_S):
        while True:
            if not (await call(session, "get_queue_status", {}))["pending"]:
                return {"record_of": record_of}
            await asyncio.sleep(0.2)


async def recall(session, agent, question, limit):
    """What the peer recalls: its rows come with the best last."""
    started = time.perf_counter()
    answer = await call(session, "recall", {"agent_id": agent, "query": question, "limit": limit})
    ms = (time.perf_counter() - started) * 1000
    return {"refs": [message["ref"] for message in reversed(answer["messages"])], "ms": ms}


async def main():
    """Answers until its input ends."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "cpersona"], env=dict(os.environ))
    async with stdio_client(server, errlog=sys.stderr) as streams, ClientSession(*streams) as session:
        await session.initialize()
        while line := await asyncio.to_thread(sys.stdin.readline):
            ((verb, arguments),) = json.loads(line).items()
            answer = await {"store": store, "recall": recall}[verb](session, **arguments)
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
