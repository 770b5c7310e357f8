"""Statements, one a file."""

from functools import cache
from importlib.resources import files


@cache
def load_statement(package: str, name: str) -> bytes:
    """The text of `name`.sql in the package's folder `sql`.

    Raises:
        FileNotFoundError: There is no such statement.
    """
    return files(package).joinpath("sql", f"{name}.sql").read_bytes()
