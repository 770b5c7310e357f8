"""What an operator sets for the recall service."""

from dataclasses import dataclass, field

from rensou_shared.domain import ANN_ABOVE_ROWS
from rensou_shared.jobs.caps import DEFAULT_CAPS


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """Read from RENSOU_RERANK_<FIELD>."""

    url: str = ""
    """The /rerank route of a cross-encoder (text-embeddings-inference) that questions and texts of hits are sent to
    when a call asks for the profile RERANK; empty: that profile is refused."""
    token: str = ""
    """Bearer token for the cross-encoder."""


@dataclass(frozen=True, slots=True)
class PendingSettings:
    """Read from RENSOU_MAX_PENDING_<FIELD>; the same for all services of a deployment."""

    builds: int = DEFAULT_CAPS.per_agent
    """Builds of one agent that may wait before those of further records are deferred."""
    builds_in_all: int = DEFAULT_CAPS.in_all
    """Builds of all agents together that may wait before those of further records are deferred."""


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """Read from RENSOU_<FIELD>; of a field that is a group, from RENSOU_<GROUP>_<FIELD>."""

    database_url: str
    """Address of Postgres, as a URI of libpq; the role must own no table."""
    embedding_url: str
    """The /embed route of the embedding server."""
    redis_url: str
    """Address of the Redis that carries hints for the worker."""
    listen: str = "127.0.0.1:50551"
    """HOST:PORT of the gRPC server."""
    tokens_file: str = ""
    """JSON file of bearer tokens; empty leaves the service open, which only a loopback address may be."""
    page_token_key: str = ""
    """Secret that page tokens are signed with, of at least 16 visible ASCII characters, or file:PATH of a file that
    holds it; the same for all processes that answer the same callers. Empty: each process draws its own; page tokens
    end with it and are good in no other."""
    allow_unauthenticated: bool = False
    """Opens the service without tokens on any address."""
    reflection: bool = False
    """Serves gRPC reflection."""
    embedding_token: str = ""
    """Bearer token for the embedding server."""
    embedding_prefixes: str = ""
    """What is put before questions and before records, for a server that does not know the side: a JSON list of two
    texts."""
    embedding_next_url: str = ""
    """The /embed route of a second server, whose model is built beside the active one; empty: there is none."""
    embedding_next_token: str = ""
    """Bearer token for the second server."""
    embedding_next_prefixes: str = ""
    """The prefixes for the second server, likewise."""
    embedding_timeout_s: float = 20.0
    """Longest wait for the embedding server."""
    rerank: RerankSettings = field(default_factory=RerankSettings)
    """The cross-encoder of the profile RERANK: RENSOU_RERANK_URL and RENSOU_RERANK_TOKEN."""
    pool_size: int = 10
    """Database connections."""
    max_concurrent_calls: int = 200
    """Calls in progress; more are refused with RetryInfo."""
    default_deadline_s: float = 10.0
    """For a call that brings no deadline."""
    max_deadline_s: float = 120.0
    """Longest time of any call."""
    drain_s: float = 5.0
    """On SIGTERM, how long calls are still taken, and then how long those in progress may last."""
    max_content_chars: int = 16_000
    """Longest text of a record, in code points; 1-16,000."""
    max_pending: PendingSettings = field(default_factory=PendingSettings)
    """The caps of the queue of builds: RENSOU_MAX_PENDING_BUILDS and RENSOU_MAX_PENDING_BUILDS_IN_ALL."""
    ann_above_rows: int = ANN_ABOVE_ROWS
    """Readable records above which the vector arm reads the approximate index, where there is one."""
    metrics_listen: str = ""
    """HOST:PORT of the Prometheus metrics; empty serves none."""
    log_level: str = "INFO"
    """DEBUG, INFO, WARNING or ERROR."""
