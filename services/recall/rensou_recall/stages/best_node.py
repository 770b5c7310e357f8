"""Which node of a long record speaks to the question."""

from collections.abc import Sequence

from rensou_recall.stages.overlap import QuestionGrams, shared_grams
from rensou_recall.types.evidence import ScoredNode
from rensou_recall.types.records import NodeSpan

_RRF_K = 60


def covers(nodes: Sequence[ScoredNode], content_chars: int) -> bool:
    """Whether `nodes`, in text order, cover a text of that length without gap or overlap, as a current set does."""
    end = 0
    for node in nodes:
        if node.span.start_char != end:
            return False
        end = node.span.end_char
    return bool(nodes) and end == content_chars


def best_node(content: str, nodes: Sequence[ScoredNode], asked: QuestionGrams) -> NodeSpan:
    """The node that two rankings put highest: distinct grams of the question, and cosine similarity.

    Rank fusion, 1/(60 + rank) a ranking (Cormack et al., SIGIR 2009), equal values sharing a rank; ties go to the
    earlier node. The cosine is left out when any node lacks it. `nodes` is not empty.
    """
    overlaps = [float(len(shared_grams(asked, content[n.span.start_char : n.span.end_char]))) for n in nodes]
    rankings = [_dense_ranks(overlaps)]
    cosines = [node.cosine for node in nodes if node.cosine is not None]
    if len(cosines) == len(nodes):
        rankings.append(_dense_ranks(cosines))
    scores = [sum(1 / (_RRF_K + ranks[index]) for ranks in rankings) for index in range(len(nodes))]
    return nodes[max(range(len(nodes)), key=lambda index: (scores[index], -index))].span


def _dense_ranks(values: Sequence[float]) -> list[int]:
    """Ranks from 1, the highest value first, equal values sharing one."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(values), reverse=True), start=1)}
    return [ranks[value] for value in values]
