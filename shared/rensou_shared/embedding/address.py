"""Where a server is and what lets one in."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from rensou_shared.embedding.port import Side


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address of a route and the credential that it takes.

    Raises:
        ValueError: an address that is not http(s), has no valid port or another ending, or a token that no header can
            carry.
    """

    url: str
    """The route that embeds; a query string is kept on the others."""
    ending: str
    """How its path ends: "/embed", "/v1/embeddings"."""
    bearer_token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("the embedding address must be an http or https address")
        _ = parts.port  # raises for a port that is none
        if not parts.path.rstrip("/").endswith(self.ending):
            raise ValueError(f"the embedding address must end in {self.ending}")
        if self.bearer_token is not None and not fits_header(self.bearer_token):
            raise ValueError("the embedding token must be of visible ASCII characters")

    def route(self, name: str) -> str:
        """Return the address of the route `name`, which stands where the ending does."""
        parts = urlsplit(self.url)
        root = parts.path.rstrip("/").removesuffix(self.ending)
        return urlunsplit((parts.scheme, parts.netloc, f"{root}/{name}", parts.query, ""))


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What is put before texts, for a server that does not know the side."""

    query: str = ""
    passage: str = ""

    def of(self, side: Side) -> str:
        """Return what is put before a text of `side`."""
        return self.query if side is Side.QUERY else self.passage


def fits_header(token: str) -> bool:
    """Whether a header can carry `token`."""
    return bool(token) and all("!" <= char <= "~" for char in token)
