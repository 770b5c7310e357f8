"""What candidates say of the question as it was asked: names that were added to it vote, and admit nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rensou_recall.types.retrieval import Candidate
from rensou_shared.ids import RecordId


@dataclass(frozen=True, slots=True)
class Asked:
    """Candidates of a widened question, as the gate may see them.

    Attributes:
        rows: By id, without what only added names say: such a candidate says no word and has no rank.
        unheard: Those for which neither a vector nor a word of the question speaks: only added names found them.
    """

    rows: Mapping[RecordId, Candidate]
    unheard: frozenset[RecordId]


def says_a_word(candidate: Candidate) -> bool:
    """Whether the candidate, or what comes before it in its session, says a word of the question."""
    return candidate.bm25 > 0 or candidate.context > 0


def as_asked(rows: Sequence[Candidate], shares: Mapping[RecordId, float], first: RecordId | None) -> Asked:
    """`rows` of a widened question as the question alone would have them, as far as a gate looks at it.

    `shares` is what each row with words says of the question as asked, `first` the record that says most of it, if
    that is known: of ranks a gate looks at the first alone.
    """
    speaking = {record for record, share in shares.items() if share > 0}
    former = {row.record_id: row.former for row in rows}

    def as_alone(row: Candidate) -> Candidate:
        # What predecessors say is read of the two before; those of what the words found are candidates themselves.
        follows = row.former in speaking or (row.former is not None and former.get(row.former) in speaking)
        return row._replace(
            bm25=row.bm25 if row.record_id in speaking else 0.0,
            lexical_rank=1 if row.record_id == first else None,
            context=row.context if follows else 0.0,
        )

    alone = {row.record_id: as_alone(row) for row in rows}
    unheard = frozenset(number for number, row in alone.items() if row.cosine is None and not says_a_word(row))
    return Asked(alone, unheard)
