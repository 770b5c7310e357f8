"""Statements, one a file."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files


@cache
def load_statement(package: str, name: str) -> bytes:
    """The text of `name`.sql in the package's folder `sql`.

    Raises:
        FileNotFoundError: There is no such statement.
    """
    return files(package).joinpath("sql", f"{name}.sql").read_bytes()


def array_literal(numbers: Sequence[float]) -> str:
    """The numbers as a Postgres array, for a parameter with a cast; the driver takes five times as long over a list.

    A list is also of another type with each width of its numbers, and a statement prepared for one is not for another.
    """
    return "{" + ",".join(map(repr, numbers)) + "}"
