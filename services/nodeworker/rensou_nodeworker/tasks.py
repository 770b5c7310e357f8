"""What arq calls when a hint arrives."""

from typing import Any

from rensou_nodeworker.pipelines.runner import BuildRunner
from rensou_shared.ids import MAX_ID, AgentId, BuildId
from rensou_shared.jobs.hints import BuildHint
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)


class BuildTask:
    """The function of arq's queue: it wakes a slot and returns. No build hangs on arq, its timeouts or its Redis."""

    def __init__(self, runner: BuildRunner) -> None:
        self._runner = runner

    async def run(self, ctx: dict[Any, Any], *arguments: Any, **named: Any) -> None:
        """Wakes a slot for the hint; what is no hint is dropped, and said. arq calls it with its `ctx`, unused."""
        hint = parse_hint(arguments)
        if hint is None or named:
            _log.warning("malformed_hint", arguments=len(arguments))
            return
        await self._runner.wake(hint)


def parse_hint(arguments: tuple[Any, ...]) -> BuildHint | None:
    """The hint that the arguments of a job are, or None."""
    match arguments:
        case (str() as agent_id, int() as build_id, int() as attempt) if 0 < build_id <= MAX_ID and attempt >= 0:
            return BuildHint(AgentId(agent_id), BuildId(build_id), attempt)
        case _:
            return None
