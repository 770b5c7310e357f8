"""What the worker and the reconciler read from their environment."""

from dataclasses import dataclass

from rensou_shared.domain import ANN_ABOVE_ROWS
from rensou_shared.errors import ConfigurationError
from rensou_shared.jobs.caps import DEFAULT_CAPS


@dataclass(frozen=True, slots=True)
class Settings:
    """RENSOU_<FIELD>, read once."""

    database_url: str
    """Postgres, as the role rensou_worker. A pooler in transaction mode must know prepared statements."""

    embedding_url: str
    """The /embed route of a server of the CEmbedding contract."""

    redis_url: str = ""
    """Redis that carries hints; '' does without: the worker then finds its work by looking every two seconds."""

    embedding_token: str = ""
    """Bearer token of the embedding server; '' sends none."""

    embedding_prefixes: str = ""
    """What is put before questions and before records, for a server that does not know `side`: a JSON list of two
    texts. Part of the model's identity: the same for every service of a deployment."""

    embedding_next_url: str = ""
    """The /embed route of a second server, whose model is built beside the active one; empty: there is none."""

    embedding_next_token: str = ""
    """Bearer token for the second server."""

    embedding_next_prefixes: str = ""
    """The prefixes for the second server, likewise."""

    build_embedding_timeout_s: float = 60.0
    """Seconds that one request of a build to the embedding server may take, its retries included."""

    max_jobs: int = 4
    """Builds at once in one worker, 1 to 64. Two connections to Postgres each."""

    lease_s: float = 60.0
    """Seconds that a build is left to a worker that is silent, 3 to 3,600: what a crash costs."""

    max_attempts: int = 50
    """Failures that may pass before a build is dead, but never before it is a day old."""

    reconcile_interval_s: float = 1.0
    """Seconds between looks for work that is due, for leases that ended and for terms to be counted."""

    sweep_interval_s: float = 30.0
    """Seconds between sweeps for records that lack something and have no build; a sweep takes a hundredth of it, a
    tenth in the first round under a model, and goes on where the former one ended."""

    ann_above_rows: int = ANN_ABOVE_ROWS
    """Records of an agent above which its vectors enter an approximate index; they leave below half of it."""

    max_pending_builds: int = DEFAULT_CAPS.per_agent
    """As the recall service has it. Deferred records are taken up again while less than half as many wait."""

    max_pending_builds_in_all: int = DEFAULT_CAPS.in_all
    """As the recall service has it, likewise."""

    log_level: str = "INFO"
    """DEBUG, INFO, WARNING or ERROR."""

    metrics_listen: str = ""
    """HOST:PORT of /metrics; '' serves none."""

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a number out of its range."""
        bounds = (
            ("build_embedding_timeout_s", 0.1, 600.0),
            ("max_jobs", 1, 64),
            ("lease_s", 3.0, 3600.0),
            ("max_attempts", 1, 1_000_000),
            ("reconcile_interval_s", 0.05, 3600.0),
            ("max_pending_builds", 1, 1_000_000_000),
            ("max_pending_builds_in_all", 1, 1_000_000_000),
            ("ann_above_rows", 1, 1_000_000_000),
            ("sweep_interval_s", 0.05, 86_400.0),
        )
        for name, lowest, highest in bounds:
            # NaN is within no bounds.
            if not lowest <= getattr(self, name) <= highest:
                raise ConfigurationError(f"RENSOU_{name.upper()} must be from {lowest} to {highest}")
