"""Since when this process has seen what it depends on as it is now."""

from collections.abc import Callable
from datetime import UTC, datetime


def _utc_now() -> datetime:
    return datetime.now(UTC)


class DependencyLog:
    """The last state of each dependency that nothing else keeps, and when it was first seen so."""

    def __init__(self, utc_now: Callable[[], datetime] = _utc_now) -> None:
        self._utc_now = utc_now
        self._seen: dict[str, tuple[bool, datetime]] = {}

    def note(self, name: str, *, healthy: bool) -> datetime:
        """Takes a look at `name` down; when it was first seen in the state that it is in (UTC)."""
        last = self._seen.get(name)
        if last is None or last[0] is not healthy:
            last = self._seen[name] = (healthy, self._utc_now())
        return last[1]
