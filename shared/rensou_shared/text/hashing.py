"""Numbers that stand for terms in the database; stored, so they never change."""

import enum
import struct
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Final

SPARSE_DIMENSIONS: Final = 999_999_937
"""The largest prime under a billion, the bound of pgvector's `sparsevec`."""

_PERSONALISATION: Final = b"rensou.terms.1"
_HASH_BYTES: Final = 8


class Voice(enum.Enum):
    """The kinds of terms that are counted apart."""

    WORDS = b"w"
    TRIGRAMS = b"g"


def term_hash(agent_id: str, voice: Voice, term: str) -> int:
    """Return the signed 64-bit number of a term of one agent.

    The agent is inside the hash: one index serves all agents, and a posting list holds one agent's records.

    Raises:
        UnicodeEncodeError: the agent or the term holds a lone surrogate.
    """
    return hash_terms(agent_id, voice, (term,))[0]


def hash_terms(agent_id: str, voice: Voice, terms: Iterable[str]) -> tuple[int, ...]:
    """Return the number of each term, in order; see `term_hash`."""
    agent = agent_id.encode()
    # The length in front keeps ("ab", "c") and ("a", "bc") apart.
    start = blake2b(
        len(agent).to_bytes(4, "big") + agent + voice.value, digest_size=_HASH_BYTES, person=_PERSONALISATION
    )
    digests = bytearray()
    for term in terms:
        state = start.copy()
        state.update(term.encode())
        digests += state.digest()
    return struct.unpack(f">{len(digests) // _HASH_BYTES}q", digests)


def hash_counts(agent_id: str, voice: Voice, counts: Mapping[str, float]) -> dict[int, float]:
    """Return `counts` keyed by the numbers of its terms; should two share one (once in 2⁶⁴), the last count stays."""
    return dict(zip(hash_terms(agent_id, voice, counts), counts.values(), strict=True))


def sparse_index(term_number: int) -> int:
    """Return the `sparsevec` index (from 1) of a term's number.

    SQL computes the same as `((h % p + p) % p) + 1`, because its remainder takes the sign of the dividend.
    """
    return term_number % SPARSE_DIMENSIONS + 1
