"""What goes wrong with an embedding server. Messages hold no text that was sent."""

from typing import ClassVar


class EmbeddingError(Exception):
    """An embedding server did not do what was asked."""

    transient: ClassVar[bool]
    """Whether the same request may succeed later."""


class EmbeddingUnavailableError(EmbeddingError):
    """The server is away, too slow, overloaded (429) or failing (5xx)."""

    transient = True

    def __init__(self, reason: str, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_s = retry_after_s
        """How long the server asked to be left alone, if it did."""


class EmbeddingMalformedError(EmbeddingError):
    """The server answered something that cannot be true: too few vectors, no number, zeros, another width, no JSON."""

    transient = True

    def __init__(self, reason: str, index: int | None = None) -> None:
        super().__init__(reason if index is None else f"text {index}: {reason}")
        self.reason = reason
        self.index = index
        """Which of the texts of the call the fault concerns, from 0; None when it concerns the answer as a whole."""


class EmbeddingRejectedError(EmbeddingError):
    """The server refuses the request: credentials, address, or a text that it cannot take."""

    transient = False

    def __init__(self, reason: str, status: int | None = None, index: int | None = None) -> None:
        super().__init__(reason if index is None else f"text {index}: {reason}")
        self.reason = reason
        self.status = status
        """HTTP status; None when the request was not sent."""
        self.index = index
        """The text that is refused, from 0; None when the refusal is not about one text."""

    @property
    def is_misconfigured(self) -> bool:
        """Whether every request would be refused: it is not about the texts."""
        return self.index is None
