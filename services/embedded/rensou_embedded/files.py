"""Small files that a crash must not leave half-written."""

import os
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Replace `path` by `text`, whole or not at all, readable by nobody else."""
    fresh = path.with_name(path.name + ".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
