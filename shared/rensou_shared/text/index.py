"""What the lexical arm stores for a record and asks for a question: the one place where its parts meet."""

from collections.abc import Sequence
from dataclasses import dataclass

from rensou_shared.text.bm25 import REFERENCE_TRIGRAMS, document_weights, format_sparsevec
from rensou_shared.text.hashing import Voice, hash_counts, hash_terms, sparse_index
from rensou_shared.text.lexemes import document_terms, query_terms, query_trigrams, trigram_counts, weighted_length
from rensou_shared.text.traits import Trait, traits_of

# Distinct words that a question is searched by, and as many trigrams: English of 8,000 code points has fewer words, and
# 8,000 different kanji would cost the database a second.
MAX_QUERY_TERMS = 1_024


@dataclass(frozen=True, slots=True)
class IndexedTerms:
    """A record's row of the lexical index.

    Attributes:
        hashes: Signed 64-bit numbers of its terms, ascending.
        words: BM25 weights of its words, as the text of a sparsevec.
        trigrams: BM25 weights of its character trigrams, as the text of a sparsevec.
        traits: Whether it asks, whether it names a time.
    """

    hashes: list[int]
    words: str
    trigrams: str
    traits: Trait


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """A question for the lexical index: numbers of its words, slots of its trigrams, both ascending and distinct."""

    hashes: list[int]
    trigram_slots: list[int]


def index_terms(agent_id: str, text: str) -> IndexedTerms:
    """The lexical index's row for `text`; about 0.15 ms for 60 characters and 30 ms for 16,000."""
    counts = document_terms(text)
    words = hash_counts(agent_id, Voice.WORDS, counts)
    gram_counts = trigram_counts(text)
    grams = hash_counts(agent_id, Voice.TRIGRAMS, gram_counts)
    return IndexedTerms(
        sorted(words),
        format_sparsevec(document_weights(words, weighted_length(counts))),
        format_sparsevec(document_weights(grams, sum(gram_counts.values()), REFERENCE_TRIGRAMS)),
        traits_of(text),
    )


def question_terms(agent_id: str, text: str, extra_terms: Sequence[str] = ()) -> QuestionTerms:
    """What the lexical arm asks for `text`, its words joined by those of `extra_terms`.

    Of more than `MAX_QUERY_TERMS` words or trigrams of `text` the first ones stay.
    """
    words = dict.fromkeys(query_terms(text)[:MAX_QUERY_TERMS])
    for extra in extra_terms:
        words.update(dict.fromkeys(query_terms(extra)))
    grams = hash_terms(agent_id, Voice.TRIGRAMS, query_trigrams(text)[:MAX_QUERY_TERMS])
    return QuestionTerms(
        sorted(set(hash_terms(agent_id, Voice.WORDS, words))), sorted({sparse_index(gram) for gram in grams})
    )


def count_query_terms(text: str) -> int:
    """How many distinct terms the question has, or 0 where they cannot be more than `MAX_QUERY_TERMS`."""
    # No text has more than eight different terms for each of its code points.
    return len(query_terms(text)) if len(text) > MAX_QUERY_TERMS // 8 else 0
