"""The embedding servers that an operator names: the present one and, while a model is changed, the next one."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from rensou_shared.embedding.address import Prefixes, ServerAddress
from rensou_shared.embedding.calls import ServerCalls
from rensou_shared.embedding.cembedding import CEmbedding
from rensou_shared.embedding.cembedding_config import CEmbeddingConfig
from rensou_shared.embedding.counted import CountedEmbedding, TokenCounter, VectorServer
from rensou_shared.embedding.openai import OpenAIServer
from rensou_shared.embedding.port import EmbeddingPort
from rensou_shared.embedding.prefix_counters import LlamaTokens, PrefixCounter, VllmTokens, read_llama_refusal
from rensou_shared.embedding.retry import Backoff
from rensou_shared.embedding.tei import TeiServer
from rensou_shared.embedding.tokenizer_file import open_tokenizer
from rensou_shared.embedding.uncounted import Uncounted
from rensou_shared.errors import ConfigurationError

KINDS: Final = ("cembedding", "tei", "openai", "vllm", "llamacpp")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Read from RENSOU_EMBEDDING_<FIELD>, those of the next server from RENSOU_EMBEDDING_NEXT_<FIELD>."""

    url: str
    """The route of the embedding server that embeds: /embed of the kinds cembedding and tei, /v1/embeddings of the
    others."""
    kind: str = "cembedding"
    """What the server speaks: cembedding, tei (text-embeddings-inference), openai, vllm or llamacpp."""
    token: str = ""
    """Bearer token for the embedding server."""
    model: str = ""
    """The model's name in requests of the kinds openai and vllm, which need it, and llamacpp."""
    prefixes: str = ""
    """What is put before questions and before records, for a server that does not know the side: a JSON list of two
    texts. Part of the model's identity: the same for every service of a deployment."""
    tokenizer: str = ""
    """Path of the model's tokenizer.json, which then counts instead of the server; the extra `tokenizer` reads it."""
    window: int = 0
    """Tokens that the model reads, special ones included; with a tokenizer required, with vllm and llamacpp an upper
    bound, else unused. 0: as the server says."""


@dataclass(frozen=True, slots=True)
class NextServerSettings(ServerSettings):
    """The server whose model is built beside the active one."""

    url: str = ""
    """Its route that embeds; empty: there is none."""


@dataclass(frozen=True, slots=True)
class EmbeddingSettings(ServerSettings):
    """The present server, and the next one."""

    next: NextServerSettings = field(default_factory=NextServerSettings)
    """A second server, whose model is built beside the active one."""


class ClosablePort(EmbeddingPort, Protocol):
    """An `EmbeddingPort` that is closed at the end of the process."""

    async def aclose(self) -> None:
        """Close the connections."""
        ...


def make_ports(settings: EmbeddingSettings) -> list[ClosablePort]:
    """Return one or two servers, the present one first.

    Raises:
        ConfigurationError: A setting is unusable.
    """
    ports = [make_port(settings, "RENSOU_EMBEDDING")]
    if settings.next.url:
        ports.append(make_port(settings.next, "RENSOU_EMBEDDING_NEXT"))
    return ports


def make_port(settings: ServerSettings, name: str, backoff: Backoff | None = None) -> ClosablePort:
    """Return the server of `settings`; `name` is how their variables begin.

    Raises:
        ConfigurationError: A setting is unusable; it says which.
    """
    _check(settings, name)
    prefixes = _read_prefixes(f"{name}_PREFIXES", settings.prefixes)
    counter = open_tokenizer(Path(settings.tokenizer), settings.window) if settings.tokenizer else None
    try:
        if settings.kind == "cembedding":
            config = CEmbeddingConfig(settings.url, settings.token or None, prefixes.query, prefixes.passage)
            server = CEmbedding(config, backoff=backoff)
            return server if counter is None else CountedEmbedding(server, counter, prefixes)
        server, own_counter = _make_server(settings, prefixes, backoff)
    except ValueError as error:
        raise ConfigurationError(f"{name}_URL or {name}_TOKEN: {error}") from error
    return CountedEmbedding(server, counter or own_counter, prefixes)


def _make_server(
    settings: ServerSettings, prefixes: Prefixes, backoff: Backoff | None
) -> tuple[VectorServer, TokenCounter]:
    """Return a server of a kind that does not count beside its vectors, and its own counter."""
    ending = "/embed" if settings.kind == "tei" else "/v1/embeddings"
    address = ServerAddress(settings.url, ending, settings.token or None)
    read_refusal = read_llama_refusal if settings.kind == "llamacpp" else None
    calls = ServerCalls(address.bearer_token, backoff=backoff, read_refusal=read_refusal)
    if settings.kind == "tei":
        server = TeiServer(address, prefixes, calls)
        return server, server
    if settings.kind == "openai":
        return OpenAIServer(address, settings.model, prefixes, calls), Uncounted()
    kind = VllmTokens if settings.kind == "vllm" else LlamaTokens
    tokens = kind(address, settings.model, settings.window, calls)
    server = OpenAIServer(address, settings.model, prefixes, calls, tokens.describe)
    return server, PrefixCounter(tokens, calls)


def _check(settings: ServerSettings, name: str) -> None:
    if settings.kind not in KINDS:
        raise ConfigurationError(f"{name}_KIND must be one of {', '.join(KINDS)}")
    if settings.kind in {"openai", "vllm"} and not settings.model:
        raise ConfigurationError(f"{name}_MODEL must name the model of a server of the kind {settings.kind}")
    if settings.window < 0 or (settings.tokenizer and settings.window < 1):
        raise ConfigurationError(f"{name}_WINDOW must be the tokens that the model reads, with {name}_TOKENIZER")
    if settings.window and not settings.tokenizer and settings.kind not in {"vllm", "llamacpp"}:
        raise ConfigurationError(f"{name}_WINDOW has no use with the kind {settings.kind} and no {name}_TOKENIZER")


def _read_prefixes(name: str, text: str) -> Prefixes:
    if not text:
        return Prefixes()
    try:
        prefixes = json.loads(text)
    except ValueError:
        prefixes = None
    match prefixes:
        case [str() as query, str() as passage]:
            return Prefixes(query, passage)
        case _:
            raise ConfigurationError(f'{name} must be a JSON list of two texts: ["query: ", "passage: "]')
