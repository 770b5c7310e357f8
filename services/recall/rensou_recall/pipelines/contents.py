"""GetContents: texts by ref, node or span."""

from collections.abc import Sequence

from rensou_recall.pipelines.deps import Deps
from rensou_recall.stages.select import select_contents
from rensou_recall.store.contents import load_contents
from rensou_recall.types.call import Call
from rensou_recall.types.contents import Contents, Selector
from rensou_shared.domain import CONTENTS_BUDGET_CHARS
from rensou_shared.scope import ReadScope


async def get_contents(deps: Deps, call: Call, scope: ReadScope, selectors: Sequence[Selector]) -> Contents:
    """The texts that `selectors` ask for, as far as the scope reads them.

    Raises:
        DatabaseUnavailable, DeadlineExceeded, Overloaded: As their names say.
    """
    ids = sorted({selector.ref.id for selector in selectors})
    async with deps.database.transaction(scope.agent_id, call.remaining_s()) as connection:
        records = await load_contents(connection, scope, ids)
    return select_contents(selectors, records, CONTENTS_BUDGET_CHARS)
