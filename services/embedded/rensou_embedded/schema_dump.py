"""The schema of a database as text that only changes when the schema does."""

import re
import subprocess
from pathlib import Path

from rensou_embedded.errors import MigrationError
from rensou_embedded.postgres_files import postgres_environ

# Comments carry versions, \restrict a random key, and the settings a dump opens with those of the tool's release.
_UNSTABLE_LINE = re.compile(r"--|\\(un)?restrict\b|SET \w+ = |SELECT pg_catalog\.set_config\('search_path'")


def dump_schema(pg_dump: Path, dsn: str) -> str:
    """Return the normalised `pg_dump --schema-only` of the database behind `dsn`: owners, rights and policies included.

    Raises:
        MigrationError: pg_dump failed.
    """
    command = (str(pg_dump), "--schema-only", "--no-password", f"--dbname={dsn}")
    finished = subprocess.run(
        command, env=postgres_environ(), cwd="/", stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if finished.returncode != 0:
        raise MigrationError(f"pg_dump failed: {finished.stderr.decode('utf-8', 'replace').strip()}")
    return normalise_schema(finished.stdout.decode("utf-8"))


def normalise_schema(dump: str) -> str:
    """Strip what is not schema: comments, settings, keys, repeated blank lines. The bodies of functions stay."""
    kept: list[str] = []
    quote: str | None = None
    for line in dump.splitlines():
        if quote is None and _UNSTABLE_LINE.match(line):
            continue
        for tag in re.findall(r"\$\w*\$", line):
            quote = tag if quote is None else (None if tag == quote else quote)
        if line.strip() or quote is not None or (kept and kept[-1].strip()):
            kept.append(line.rstrip() if quote is None else line)
    return "\n".join(kept).strip() + "\n"
