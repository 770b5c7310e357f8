"""What becomes of a build that failed."""

from dataclasses import dataclass

from rensou_nodeworker.stages.divide import TokensUnknownError
from rensou_nodeworker.types.builds import LeasedBuild, NextState, Verdict
from rensou_nodeworker.types.derived import ModelMismatchError
from rensou_shared.embedding.errors import (
    EmbeddingError,
    EmbeddingMalformedError,
    EmbeddingRejectedError,
    EmbeddingUnavailableError,
)
from rensou_shared.errors import RensouError

MAX_CRASHES = 4
"""A build that was running when so many workers went down, once beside others and three times alone, is to blame."""

_MAX_REASON_CHARS = 300


@dataclass(frozen=True, slots=True)
class RetryRule:
    """How failures are repeated: full jitter between 0 and min(cap_s, base_s · 2ⁿ).

    A failure that may pass condemns a build only after `max_errors` of them *and* `min_age_s`: at the longest wait,
    fifty errors take less than an hour. One that every record would meet condemns none while no other build succeeds
    either: however long the embedding server is away, the work is done when it is back.
    """

    max_errors: int = 50
    min_age_s: float = 24 * 3600.0
    base_s: float = 1.0
    cap_s: float = 60.0

    def wait_s(self, errors: int, draw: float) -> float:
        """Seconds to wait after `errors` (from 1) failures; `draw` is uniform in [0, 1)."""
        # The exponent is bounded before the power is taken: 2.0**1024 does not exist.
        return draw * min(self.cap_s, self.base_s * 2.0 ** min(errors, 60))


def judge_failure(
    error: BaseException, claim: LeasedBuild, rule: RetryRule, draw: float, *, server_works: bool
) -> Verdict:
    """The verdict on a build that ended in `error`; `draw` is uniform in [0, 1), and others were built lately or not.

    A text that the embedding server refuses is dead at once. A refusal that is not about a text (address, credentials)
    is the deployment's fault and is repeated like an outage. What nobody foresaw counts as a crash.
    """
    if isinstance(error, EmbeddingRejectedError) and not error.is_misconfigured:
        return Verdict(NextState.DEAD, 1, 0, 0.0, _reason(error), blames_server=False, server_wait_s=0.0)
    if isinstance(error, EmbeddingError | ModelMismatchError | TokensUnknownError | RensouError):
        return _repeat(error, claim, rule, draw, server_works=server_works)
    crashes = claim.crashes + 1
    state = NextState.DEAD if crashes >= MAX_CRASHES else NextState.PENDING
    # Only the type's name: a message may quote the text.
    reason = f"unexpected {type(error).__name__}"
    return Verdict(state, 0, 1, rule.wait_s(crashes, draw), reason, blames_server=False, server_wait_s=0.0)


def _repeat(error: BaseException, claim: LeasedBuild, rule: RetryRule, draw: float, *, server_works: bool) -> Verdict:
    errors = claim.errors + 1
    asked_s = (error.retry_after_s or 0.0) if isinstance(error, EmbeddingUnavailableError) else 0.0
    is_old = errors >= rule.max_errors and claim.age_s >= rule.min_age_s
    is_own = server_works or not _blames_server(error)
    return Verdict(
        NextState.DEAD if is_old and is_own else NextState.PENDING,
        1,
        0,
        max(rule.wait_s(errors, draw), asked_s),
        _reason(error),
        blames_server=_blames_server(error),
        server_wait_s=asked_s,
    )


def _blames_server(error: BaseException) -> bool:
    """Whether other records would fail as well. A malformed answer that names a text may be about that text alone."""
    if isinstance(error, EmbeddingMalformedError):
        return error.index is None
    return isinstance(error, EmbeddingError | ModelMismatchError)


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:_MAX_REASON_CHARS]
