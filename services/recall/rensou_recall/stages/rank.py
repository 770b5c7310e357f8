"""From columns of shares to a ranking."""

from rensou_recall.types.ranking import Fused, Ranking
from rensou_recall.types.retrieval import Arm, Prior, Ranked, Step, Vote
from rensou_shared.ids import RecordId


def rank(fused: Fused) -> Ranking:
    """The candidates by their scores, best first; equal ones stay in the order that they have."""
    scores = fused.scores
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    ids: list[RecordId] = [fused.rows[at].record_id for at in order]

    def make(place: int) -> Ranked:
        at = order[place]
        return Ranked(ids[place], scores[at], _votes(fused, at), _priors(fused, at))

    return Ranking(ids, make)


def _votes(fused: Fused, at: int) -> tuple[Vote, ...]:
    voted: list[tuple[Arm, int | None, float | None, float]] = [
        (arm, ballot.ranks[at], ballot.scores[at], ballot.shares[at]) for arm, ballot in fused.ballots.items()
    ]
    return tuple(Vote(arm, place, score, share) for arm, place, score, share in voted if score is not None)


def _priors(fused: Fused, at: int) -> tuple[Prior, ...]:
    added: list[tuple[Step, float]] = [(step, column[at]) for step, column in fused.priors.items()]
    return tuple(Prior(step, share) for step, share in added if share)
