"""Reading the names that a question mentions."""

from collections.abc import Sequence

from rensou_recall.types.expansion import AliasMatch, Expansion
from rensou_shared.db.pool import Connection
from rensou_shared.db.sql import load_statement
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


async def load_other_names(
    connection: Connection, scope: ReadScope, normalized_question: str, entities: Sequence[EntityId], keep: int
) -> Expansion:
    """The names of `entities` that the question does not hold, as written, each normal form once; at most `keep`.

    In the order of the entities, each one's name before its aliases, those by their normal form.
    """
    params = scope_params(scope) | {"question": normalized_question, "entity_ids": list(entities), "keep": keep}
    cursor = await connection.execute(load_statement(_STORE, "load_other_names"), params)
    rows = await cursor.fetchall()
    return Expansion(tuple(row[0] for row in rows), rows[0][1] - len(rows) if rows else 0)
