"""The embedding servers that an operator names: the present one and, while a model is changed, the next one."""

import json
from dataclasses import dataclass

from rensou_shared.embedding.cembedding_config import CEmbeddingConfig
from rensou_shared.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What RENSOU_EMBEDDING_* says of the present server, and RENSOU_EMBEDDING_NEXT_* of the next ('': none)."""

    url: str
    token: str
    prefixes: str
    """JSON list of the query's and the passage's prefix; '' for none."""
    next_url: str
    next_token: str
    next_prefixes: str

    def configs(self) -> list[CEmbeddingConfig]:
        """One or two servers, the present one first.

        Raises:
            ConfigurationError: An address, a token or the prefixes are unusable.
        """
        query_prefix, passage_prefix = _read_prefixes("RENSOU_EMBEDDING_PREFIXES", self.prefixes)
        try:
            present = CEmbeddingConfig(self.url, self.token or None, query_prefix, passage_prefix)
        except ValueError as error:
            raise ConfigurationError(f"RENSOU_EMBEDDING_URL or RENSOU_EMBEDDING_TOKEN: {error}") from error
        if not self.next_url:
            return [present]
        query_prefix, passage_prefix = _read_prefixes("RENSOU_EMBEDDING_NEXT_PREFIXES", self.next_prefixes)
        try:
            following = CEmbeddingConfig(self.next_url, self.next_token or None, query_prefix, passage_prefix)
        except ValueError as error:
            raise ConfigurationError(f"RENSOU_EMBEDDING_NEXT_URL or RENSOU_EMBEDDING_NEXT_TOKEN: {error}") from error
        return [present, following]


def _read_prefixes(name: str, text: str) -> tuple[str, str]:
    if not text:
        return "", ""
    try:
        prefixes = json.loads(text)
    except ValueError:
        prefixes = None
    match prefixes:
        case [str() as query, str() as passage]:
            return query, passage
        case _:
            raise ConfigurationError(f'{name} must be a JSON list of two texts: ["query: ", "passage: "]')
