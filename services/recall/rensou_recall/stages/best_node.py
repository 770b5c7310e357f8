"""Which node of a long record speaks to the question."""

from collections.abc import Sequence

from rensou_recall.types.evidence import ScoredNode

_RRF_K = 60
# Beside a whole window of other things one sentence moves the vector little: what a question shares with the wording
# decides, and the cosine between nodes of which it says the same.
_COSINE_WEIGHT = 0.05


def covers(nodes: Sequence[ScoredNode], content_chars: int) -> bool:
    """Whether `nodes`, in text order, cover a text of that length without gap or overlap, as a current set does."""
    end = 0
    for node in nodes:
        if node.span.start_char != end:
            return False
        end = node.span.end_char
    return bool(nodes) and end == content_chars


def best_node(nodes: Sequence[ScoredNode], overlaps: Sequence[int]) -> int:
    """The place of the node that two rankings put highest: `overlaps`, its wording's, and cosine similarity.

    Rank fusion, weight/(60 + rank) a ranking (Cormack et al., SIGIR 2009), equal values sharing a rank; ties go to the
    earlier node. The cosine is left out when any node lacks it. `nodes` is not empty.
    """
    rankings = [(1.0, _dense_ranks(overlaps))]
    cosines = [node.cosine for node in nodes if node.cosine is not None]
    if len(cosines) == len(nodes):
        rankings.append((_COSINE_WEIGHT, _dense_ranks(cosines)))
    scores = [sum(weight / (_RRF_K + ranks[place]) for weight, ranks in rankings) for place in range(len(nodes))]
    return max(range(len(nodes)), key=lambda place: (scores[place], -place))


def _dense_ranks(values: Sequence[float]) -> list[int]:
    """Ranks from 1, the highest value first, equal values sharing one."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(values), reverse=True), start=1)}
    return [ranks[value] for value in values]
