"""What the worker and the reconciler count, for Prometheus."""

from prometheus_client import Counter, Gauge, Histogram

BUILDS = Counter("rensou_builds", "Builds that this process ended, by how.", ["outcome"])
BUILD_SECONDS = Histogram(
    "rensou_build_seconds",
    "From claim to commit of builds that were done.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
)
FENCED_COMMITS = Counter("rensou_build_fenced_commits", "Writes refused because another worker had taken the build.")
LEASE_EXPIRIES = Counter("rensou_build_lease_expiries", "Builds taken back from workers that were gone.")
BUILDS_OF_STATE = Gauge(
    "rensou_builds_of_state",
    "Unfinished builds of all agents: pending, quarantined and rebuild (all three wait), running, dead.",
    ["state"],
)
RECORDS_LACKING_NEXT_MODEL = Gauge(
    "rensou_records_lacking_next_model",
    "Records without their vector or nodes under the embedding model that is built beside the active one.",
)
OLDEST_PENDING_SECONDS = Gauge(
    "rensou_build_oldest_pending_seconds", "How long the oldest pending or quarantined build waits."
)
FOLDED_DELTAS = Counter("rensou_term_deltas_folded", "Records added to or taken from the document frequencies.")
ANN_FLAGGED = Counter("rensou_ann_vectors_flagged", "Vectors taken into an approximate index after the fact.")
BUILDS_ASKED = Counter("rensou_builds_asked_by_sweep", "Builds asked for by the sweep: the outbox did not hold them.")
SWEEP_ROUNDS = Counter("rensou_sweep_rounds", "Times that the sweep has looked at every record of all agents.")
RECORDS_HELD_BACK = Gauge(
    "rensou_records_held_back",
    "Records that the last round of the sweep found lacking, and that their agent's queue had no room for.",
)
TRIMMED_RECALLS = Counter("rensou_recalls_trimmed", "Recalls taken off the record for their age or number.")
FAILED_PASSES = Counter(
    "rensou_reconciler_failed_passes", "Passes of the reconciler that the database refused.", ["name"]
)
REDIS_LOSSES = Counter("rensou_worker_redis_losses", "Times that the worker's listening to hints ended.")
