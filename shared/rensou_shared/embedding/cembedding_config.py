"""How one CEmbedding server is reached."""

from dataclasses import dataclass
from typing import Final

from rensou_shared.embedding.address import ServerAddress
from rensou_shared.embedding.checks import MAX_DIMENSIONS
from rensou_shared.embedding.port import Side

MAX_BATCH_TEXTS: Final = 100


@dataclass(frozen=True, slots=True)
class CEmbeddingConfig:
    """Address, credential and limits of a CEmbedding server.

    Raises:
        ValueError: an address that is not http(s), has no valid port or does not end in /embed, a token that no header
            can carry, a bound out of its range.
    """

    embed_url: str
    """The /embed route; a query string is kept on its sibling routes."""
    bearer_token: str | None = None
    query_prefix: str = ""
    """Put before each query, for a server that does not know `side` ("query: " for e5)."""
    passage_prefix: str = ""
    """Put before each passage likewise."""
    dimensions: int | None = None
    """The width that vectors must have; None takes that of the first answer."""
    max_batch_texts: int = MAX_BATCH_TEXTS
    """Texts of a request, 1 to 100."""
    max_batch_bytes: int = 900_000
    """Bytes of texts in a request: the server answers 400 to a body past 1 MiB."""

    def __post_init__(self) -> None:
        _ = self.address  # checks it
        if self.dimensions is not None and not 1 <= self.dimensions <= MAX_DIMENSIONS:
            raise ValueError(f"embedding dimensions run from 1 to {MAX_DIMENSIONS}")
        if not 1 <= self.max_batch_texts <= MAX_BATCH_TEXTS or self.max_batch_bytes < 1:
            raise ValueError(f"an embedding batch is of 1 to {MAX_BATCH_TEXTS} texts and at least one byte")

    @property
    def address(self) -> ServerAddress:
        """Where the server is and what it takes."""
        return ServerAddress(self.embed_url, "/embed", self.bearer_token)

    def route(self, name: str) -> str:
        """Return the address of a sibling of /embed."""
        return self.address.route(name)

    def prefix(self, side: Side) -> str:
        """Return what is put before a text of `side`."""
        return self.query_prefix if side is Side.QUERY else self.passage_prefix
