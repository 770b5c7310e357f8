"""Which migrations this version knows, and whether a database has exactly those."""

from importlib.resources import files

from rensou_shared.errors import SchemaUnknown


def known_versions() -> tuple[str, ...]:
    """Versions of the migrations that ship with this package, oldest first."""
    folder = files("rensou_shared.db").joinpath("migrations")
    return tuple(sorted(f.name.split("_")[0] for f in folder.iterdir() if f.name.endswith(".sql")))


def check_versions(applied: tuple[str, ...]) -> str:
    """The newest version, when `applied` (any order) are exactly the known migrations.

    Raises:
        SchemaUnknown: The database lacks a migration, or has one that this version does not know.
    """
    known, found = set(known_versions()), set(applied)
    if missing := sorted(known - found):
        raise SchemaUnknown(f"the database lacks the migrations {', '.join(missing)}: run 'rensou migrate' first")
    if unknown := sorted(found - known):
        raise SchemaUnknown(f"the database has migrations that this version does not know: {', '.join(unknown)}")
    return max(found)
