"""The counter of a server that shows no tokens."""

from collections.abc import Sequence

from rensou_shared.embedding.port import TokenCount


class Uncounted:
    """A `TokenCounter` that cannot tell: unknown, which never means that a text fits."""

    mark = ""

    async def count(self, sent: Sequence[str], timeout_s: float) -> tuple[TokenCount, ...] | None:
        """Return None."""
        return None

    async def window(self, timeout_s: float) -> int | None:
        """Return None."""
        return None
