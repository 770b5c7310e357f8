"""The reconciler's pass over the approximate indexes: large agents in, shrunken ones out."""

from rensou_nodeworker.metrics import ANN_FLAGGED
from rensou_nodeworker.stages.ann_step import LEAST_SHARE_TO_ENTER, AnnStep, next_step
from rensou_nodeworker.store import ann as store
from rensou_nodeworker.store.sweeps import try_lock
from rensou_nodeworker.types.ann import AnnState
from rensou_shared.db.pool import Connection, Database
from rensou_shared.ids import AgentId, ModelId
from rensou_shared.telemetry import get_logger

_log = get_logger(__name__)

PASS_TIMEOUT_S = 60.0
# A row costs the index a millisecond or two, and its lock keeps a revision waiting for as long as the batch lasts.
_ROWS_A_STEP = 200
# So that one agent's hundred thousand rows do not keep the next one waiting.
_STEPS_A_PASS = 250
_LOCK = "rensou.ann"


class AnnUpkeep:
    """The pass over one database; safe to run beside another reconciler's."""

    def __init__(self, database: Database, ann_above: int) -> None:
        self._database = database
        self._ann_above = ann_above

    async def tend(self) -> None:
        """Brings each agent concerned as far on its way as it comes now."""
        async with self._database.transaction(None, PASS_TIMEOUT_S) as connection:
            agents = await store.load_agents(connection, self._ann_above)
        for agent_id, model_id in agents:
            for _ in range(_STEPS_A_PASS):
                if await self._make_step(agent_id, model_id) in (AnnStep.NONE, AnnStep.WAIT):
                    break

    async def _make_step(self, agent_id: AgentId, model_id: ModelId) -> AnnStep:
        async def work(connection: Connection) -> AnnStep:
            # One at a time: two agents that enter at once would both see the same lane empty.
            if not await try_lock(connection, _LOCK):
                return AnnStep.WAIT
            await store.note_writers(connection, agent_id, model_id)
            standing = await store.load_standing(connection, model_id)
            if standing is None:
                return AnnStep.NONE
            return await _take(connection, agent_id, model_id, next_step(standing, self._ann_above))

        step = await self._database.write(agent_id, PASS_TIMEOUT_S, work)
        if step not in (AnnStep.NONE, AnnStep.WAIT, AnnStep.FLAG, AnnStep.UNFLAG):
            _log.info("ann_step", agent=agent_id, model=model_id, step=step.name.lower())
        return step


async def _take(connection: Connection, agent_id: AgentId, model_id: ModelId, step: AnnStep) -> AnnStep:
    """Does what `step` says; WAIT when it came to nothing."""
    match step:
        case AnnStep.ENTER:
            lane = await store.enter(connection, model_id, LEAST_SHARE_TO_ENTER)
            return AnnStep.WAIT if lane is None else step
        case AnnStep.FLAG:
            flagged = await store.flag(connection, agent_id, model_id, _ROWS_A_STEP)
            ANN_FLAGGED.inc(flagged)
            return step if flagged else AnnStep.WAIT
        case AnnStep.UNFLAG:
            unflagged = await store.unflag(connection, agent_id, model_id, _ROWS_A_STEP)
            return step if unflagged else AnnStep.WAIT
        case AnnStep.BE_READY:
            await store.set_state(connection, agent_id, model_id, AnnState.READY)
        case AnnStep.FLAG_AGAIN:
            await store.set_state(connection, agent_id, model_id, AnnState.FLAGGING)
        case AnnStep.LEAVE:
            await store.set_state(connection, agent_id, model_id, AnnState.LEAVING)
        case AnnStep.BE_GONE:
            await store.delete_agent(connection, agent_id, model_id)
        case AnnStep.NONE | AnnStep.WAIT:
            pass
    return step
