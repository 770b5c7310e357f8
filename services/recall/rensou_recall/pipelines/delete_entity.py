"""DeleteEntity: an entity leaves with everything that names it."""

from rensou_recall.pipelines.deps import Deps
from rensou_recall.store.declaration import lock_declarations
from rensou_recall.store.listing import delete_entity as delete
from rensou_recall.types.call import Call
from rensou_recall.types.listing import DeletedEntity
from rensou_shared.db.pool import Connection
from rensou_shared.errors import EntityNotFound
from rensou_shared.ids import AgentId, EntityId, format_entity_ref


async def delete_entity(deps: Deps, call: Call, agent_id: AgentId, entity_id: EntityId) -> DeletedEntity:
    """How many aliases, mentions and relations went with the entity; its records stay.

    It waits for the agent's declarations, and they for it. A declaration that only mentions entities which stand waits
    for nobody: it loses the race by a foreign key, and is run again.

    Raises:
        EntityNotFound: The agent has no such entity.
        DatabaseUnavailable, DeadlineExceeded, Overloaded, WriteConflict: Nothing was deleted.
    """

    async def work(connection: Connection) -> DeletedEntity:
        await lock_declarations(connection, agent_id)
        deleted = await delete(connection, agent_id, entity_id)
        if deleted is None:
            raise EntityNotFound(format_entity_ref(entity_id))
        return deleted

    return await deps.database.write(agent_id, call.remaining_s(), work)
