"""The faults that a caller can act on. Each class is one reason of the contract; its docstring is its meaning."""

from typing import Final

# What was asked for stands in the details whole; the message is a trailer, and percent-encoded.
_SHOWN_CHARS: Final = 60


class RensouError(Exception):
    """Any fault that the contract names."""


class InvalidField(RensouError):
    """A field of the request breaks a rule."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class InvalidText(InvalidField):
    """A text holds a NUL or a lone surrogate, which cannot be stored verbatim."""


class TooLarge(InvalidField):
    """A text or a list is over its bound."""


class InvalidPageToken(InvalidField):
    """The page token is none that was given for this call: another method, agent, scope, filter or key, or no token."""

    def __init__(self) -> None:
        super().__init__("page_token", "is none that was given for this call: start again from the first page")


class RecordNotFound(RensouError):
    """No record of that ref is readable by this call."""

    def __init__(self, ref: str) -> None:
        super().__init__(f"no record {ref}")
        self.ref = ref


class EntityNotFound(RensouError):
    """No entity of that name, alias or ref is readable by this call."""

    def __init__(self, entity: str) -> None:
        shown = entity if len(entity) <= _SHOWN_CHARS else f"{entity[:_SHOWN_CHARS]}…"
        super().__init__(
            f"no entity {shown}" if entity.startswith("ent:") else f"no entity of the name or alias {shown!r}"
        )
        self.entity = entity


class RelationNotFound(RensouError):
    """No relation of that ref is readable by this call."""

    def __init__(self, ref: str) -> None:
        super().__init__(f"no relation {ref}")
        self.ref = ref


class CallerIdConflict(RensouError):
    """The caller id is taken in this scope by another content."""

    def __init__(self, ref: str) -> None:
        super().__init__(f"the caller id belongs to {ref}, whose content is another")
        self.ref = ref


class RecordLocked(RensouError):
    """The record is locked against revision and forgetting."""

    def __init__(self, ref: str) -> None:
        super().__init__(f"{ref} is locked")
        self.ref = ref


class RecordRetired(RensouError):
    """The record is retired: nothing but restoring or forgetting it for good changes it."""

    def __init__(self, ref: str) -> None:
        super().__init__(f"{ref} is retired")
        self.ref = ref


class RecordNotRetired(RensouError):
    """The record is live: there is nothing to restore."""

    def __init__(self, ref: str) -> None:
        super().__init__(f"{ref} is not retired")
        self.ref = ref


class PolicyNotFound(RensouError):
    """No retention policy of that name stands in this place."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no retention policy {name!r} in this place")
        self.name = name


class PolicyChanged(RensouError):
    """The retention policy is another one than was listed by."""

    def __init__(self, name: str, digest: str) -> None:
        super().__init__(f"the retention policy {name!r} changed: list again")
        self.name = name
        self.digest = digest


class DuplicateContent(RensouError):
    """Another live record of the same scope holds exactly the new content."""

    def __init__(self, ref: str) -> None:
        super().__init__(f"{ref} of the same scope, source, session and time holds that text")
        self.ref = ref


class RevisionMismatch(RensouError):
    """The record changed since the revision that the caller names."""

    def __init__(self, ref: str, revision: int) -> None:
        super().__init__(f"{ref} is at revision {revision}")
        self.ref = ref
        self.revision = revision


class UnsupportedMode(RensouError):
    """This deployment does not do that; it is refused, never weakened."""

    def __init__(self, mode: str) -> None:
        super().__init__(f"{mode} is not supported: see GetCapabilities")
        self.mode = mode


class EmbeddingModelNotFound(RensouError):
    """The deployment has met no embedding model of that fingerprint."""

    def __init__(self, fingerprint: str) -> None:
        super().__init__("no embedding model of that fingerprint")
        self.fingerprint = fingerprint


class EmbeddingModelNotReady(RensouError):
    """Records lack vectors under the embedding model, or no server serves it."""

    def __init__(self, lacking: int, *, served: bool) -> None:
        problem = f"{lacking} records lack their vector or their nodes under it" if served else "no server serves it"
        super().__init__(f"the embedding model is not ready: {problem}")
        self.lacking = lacking
        self.served = served


class Unauthenticated(RensouError):
    """The call carries no credential, or one that is not known."""


class PermissionDenied(RensouError):
    """The credential does not reach this agent or this method."""


class Overloaded(RensouError):
    """Too many calls at once.

    Attributes:
        retry_after_s: When to come back, in seconds.
    """

    def __init__(self, message: str, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DeadlineExceeded(RensouError):
    """The call's deadline passed; nothing was half-written."""


class DatabaseUnavailable(RensouError):
    """The database cannot be reached.

    Attributes:
        retry_after_s: When to come back, in seconds.
    """

    def __init__(self, message: str, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class WriteConflict(RensouError):
    """The call lost a race against other writers several times; it may be sent again."""


class ConfigurationError(RensouError):
    """A setting is missing, unknown or unusable: the process must not start."""


class SchemaUnknown(RensouError):
    """The database's schema is not the one that this version knows: the process must not start."""
