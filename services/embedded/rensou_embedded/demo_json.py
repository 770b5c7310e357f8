"""Strict reading of JSON whose errors say where in the file they stand."""

import json
from dataclasses import dataclass
from typing import cast

from rensou_embedded.demo_worklog import DemoFormatError


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A JSON value with its place, such as ``declarations[3].anchor`` (empty for the whole file)."""

    file: str
    path: str
    value: object

    def error(self, reason: str) -> DemoFormatError:
        """An error at this place, to be raised by the caller."""
        return DemoFormatError(self.file, self.path or "the file", reason)

    def members(self, *names: str) -> dict[str, "JsonNode"]:
        """The members of an object that has exactly these names.

        Raises:
            DemoFormatError: no object, a name is missing, or a name is unknown.
        """
        if not isinstance(self.value, dict):
            raise self.error("must be an object")
        members = cast("dict[str, object]", self.value)
        for name in names:
            if name not in members:
                raise self.error(f"{name!r} is missing")
        for name in members:
            if name not in names:
                raise self.error(f"{name!r} is unknown")
        prefix = f"{self.path}." if self.path else ""
        return {name: JsonNode(self.file, f"{prefix}{name}", members[name]) for name in names}

    def get(self, name: str) -> "JsonNode":
        """The member `name` of an object that may have others.

        Raises:
            DemoFormatError: no object, or the name is missing.
        """
        if not isinstance(self.value, dict):
            raise self.error("must be an object")
        members = cast("dict[str, object]", self.value)
        if name not in members:
            raise self.error(f"{name!r} is missing")
        return JsonNode(self.file, f"{self.path}.{name}" if self.path else name, members[name])

    def items(self) -> tuple["JsonNode", ...]:
        """The items of a list, which may be empty.

        Raises:
            DemoFormatError: no list.
        """
        if not isinstance(self.value, list):
            raise self.error("must be a list")
        values = cast("list[object]", self.value)
        return tuple(JsonNode(self.file, f"{self.path}[{index}]", value) for index, value in enumerate(values))

    def text(self) -> str:
        """A string that is not blank and has no white space at its ends.

        Raises:
            DemoFormatError: anything else.
        """
        if not isinstance(self.value, str) or not self.value or self.value != self.value.strip():
            raise self.error("must be a string, not blank, without white space at its ends")
        return self.value

    def verbatim(self) -> str:
        """A string that is not blank, exactly as it stands.

        Raises:
            DemoFormatError: anything else.
        """
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.error("must be a string that is not blank")
        return self.value

    def integer(self, lowest: int, highest: int) -> int:
        """An integer within the bounds, both included.

        Raises:
            DemoFormatError: anything else, ``true`` and ``false`` included.
        """
        value = self.value
        if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
            raise self.error(f"must be an integer from {lowest} to {highest}")
        return value


def parse_json(text: str, file: str) -> JsonNode:
    """Parse a whole file into its root.

    Raises:
        DemoFormatError: no JSON (the place is the line), or an object names a member twice.
    """

    def refuse_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
        members = dict(pairs)
        if len(members) != len(pairs):
            names = [name for name, _ in pairs]
            repeated = next(name for name in names if names.count(name) > 1)
            raise DemoFormatError(file, "the file", f"an object names {repeated!r} twice")
        return members

    try:
        return JsonNode(file, "", json.loads(text, object_pairs_hook=refuse_repeats))
    except json.JSONDecodeError as error:
        raise DemoFormatError(file, f"line {error.lineno}", error.msg) from error
