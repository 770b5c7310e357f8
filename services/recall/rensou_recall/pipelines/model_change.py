"""What happens to a call during which another embedding model is activated."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from rensou_recall.pipelines.deps import Deps
from rensou_recall.types.embedding import ActiveModelChanged
from rensou_shared.errors import WriteConflict

T = TypeVar("T")

_ATTEMPTS = 3


async def under_active_model(deps: Deps, work: Callable[[], Awaitable[T]]) -> T:
    """What `work` returns, run again from its embedding on when its vectors are no longer the active model's.

    Raises:
        WriteConflict: Models were activated again and again meanwhile.
    """
    for _ in range(_ATTEMPTS):
        try:
            return await work()
        except ActiveModelChanged:
            deps.embedder.forget_model()
    raise WriteConflict("the embedding model changed several times meanwhile")
