"""Builds as `rensou builds` writes them: a line each, or JSON."""

from typing import Any

from rensou.v1 import builds_pb2 as pb

_STATES = {
    pb.BUILD_STATE_PENDING: "pending",
    pb.BUILD_STATE_QUARANTINED: "quarantined",
    pb.BUILD_STATE_RUNNING: "running",
    pb.BUILD_STATE_DEAD: "dead",
}
_OUTCOMES = {
    pb.RETRY_OUTCOME_QUEUED: "queued",
    pb.RETRY_OUTCOME_NOT_FOUND: "not found: it ended well, or its record is forgotten",
    pb.RETRY_OUTCOME_NOT_DEAD: "not dead: it waits or runs",
    pb.RETRY_OUTCOME_SUPERSEDED: "superseded: the record has another text by now, or the model is retired",
}


class Backlog:
    """How much is left of the most that was seen to wait or run; work that comes anew may raise it."""

    def __init__(self) -> None:
        self.highest = 0
        self.left = 0

    def note(self, summary: pb.BuildSummary) -> None:
        """Takes what is left now."""
        self.left = left_of(summary)
        self.highest = max(self.highest, self.left)

    @property
    def done(self) -> int:
        """How many fewer are left than there were at most."""
        return self.highest - self.left


def left_of(summary: pb.BuildSummary) -> int:
    """Builds that wait or run."""
    return summary.pending + summary.quarantined + summary.rebuilds + summary.running


def summary_lines(summary: pb.BuildSummary) -> list[str]:
    """Counts by state, and age, rate and time left."""
    counts = (
        f"pending {summary.pending}  quarantined {summary.quarantined}  running {summary.running}"
        f"  rebuilds {summary.rebuilds}  dead {summary.dead}"
    )
    rate = summary.ended_last_minute
    pace = f"oldest waits {_age(summary.oldest_pending_age.ToSeconds())}  {rate} a minute"
    left = left_of(summary)
    if left and rate:
        pace += f"  about {_age(left * 60 // rate)} left"
    return [counts, pace]


def build_line(one: pb.Build) -> str:
    """One build, on one line."""
    parts = [
        f"{one.ref:11}",
        f"{_STATES.get(one.state, 'unknown'):11}",
        _clean(one.agent_id),
        one.record_ref,
        f"errors {one.errors}  crashes {one.crashes}",
        _age(one.age.ToSeconds()),
    ]
    parts += [word for word, is_so in (("rebuild", one.rebuild), ("outdated", one.outdated)) if is_so]
    parts += [_clean(one.last_error)] if one.last_error else []
    return "  ".join(parts)


def retried_line(one: pb.RetriedBuild) -> str:
    """What became of one build."""
    record = f"  {_clean(one.agent_id)}  {one.record_ref}" if one.record_ref else ""
    return f"{one.ref:11}{record}  {_OUTCOMES.get(one.outcome, 'unknown')}"


def retried_as_json(one: pb.RetriedBuild) -> dict[str, Any]:
    """What became of one build, for scripts."""
    outcome = pb.RetryOutcome.Name(one.outcome).removeprefix("RETRY_OUTCOME_").lower()
    return {"ref": one.ref, "outcome": outcome, "agent": one.agent_id, "record": one.record_ref}


def summary_as_json(summary: pb.BuildSummary) -> dict[str, Any]:
    """The summary for scripts; times in seconds."""
    return {
        "pending": summary.pending,
        "quarantined": summary.quarantined,
        "running": summary.running,
        "rebuilds": summary.rebuilds,
        "dead": summary.dead,
        "oldest_pending_s": summary.oldest_pending_age.ToTimedelta().total_seconds(),
        "ended_last_minute": summary.ended_last_minute,
    }


def build_as_json(one: pb.Build) -> dict[str, Any]:
    """A build for scripts; times in UTC, null where there is none."""
    return {
        "ref": one.ref,
        "agent": one.agent_id,
        "record": one.record_ref,
        "state": _STATES.get(one.state, "unknown"),
        "errors": one.errors,
        "crashes": one.crashes,
        "next_time": one.next_time.ToJsonString(),
        "lease_until_time": one.lease_until_time.ToJsonString() if one.HasField("lease_until_time") else None,
        "create_time": one.create_time.ToJsonString(),
        "age_s": one.age.ToTimedelta().total_seconds(),
        "last_error": one.last_error,
        "model": one.model_fingerprint,
        "rebuild": one.rebuild,
        "outdated": one.outdated,
    }


def _age(seconds: int) -> str:
    """The time in the largest two units that it fills."""
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86_400
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min {seconds % 60} s" if minutes else f"{seconds} s"


def _clean(text: str) -> str:
    """The text without what would move a terminal's cursor or colour it."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
