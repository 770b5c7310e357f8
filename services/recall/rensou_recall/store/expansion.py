"""Reading the names that a question mentions."""

from collections.abc import Sequence

from rensou_recall.types.evidence import AliasMatch, EntityName
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
from rensou_shared.domain import MAX_ALIASES
from rensou_shared.ids import EntityId
from rensou_shared.scope import ReadScope, scope_params

_STORE = "rensou_recall.store"


async def find_question_aliases(
    connection: Connection, scope: ReadScope, normalized_question: str, keep: int
) -> list[AliasMatch]:
    """Names and aliases that occur in the question, longest first, at most `keep`."""
    params = scope_params(scope) | {"question": normalized_question, "keep": keep}
    cursor = await connection.execute(load_statement(_STORE, "find_question_aliases"), params)
    return [AliasMatch(EntityId(entity), normalized) for entity, normalized in await cursor.fetchall()]


async def load_entity_names(connection: Connection, scope: ReadScope, entities: Sequence[EntityId]) -> list[EntityName]:
    """Names and aliases of each entity, its name first, then by normal form, at most 33."""
    params = scope_params(scope) | {"entity_ids": list(entities), "per_entity": MAX_ALIASES + 1}
    cursor = await connection.execute(load_statement(_STORE, "load_entity_names"), params)
    return [
        EntityName(EntityId(entity), alias, normalized, is_name)
        for entity, alias, normalized, is_name in await cursor.fetchall()
    ]
