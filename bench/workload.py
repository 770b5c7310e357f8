"""Records and questions for the latency benchmarks: made up by a fixed seed, so that every run sees the same."""

import random
from collections.abc import Iterator

_SUBJECTS = ("the gateway", "the pump", "our radio", "the lower sensor", "the ledger", "the night train", "the archive")
_VERBS = ("failed after", "was repaired before", "reported", "moved towards", "was measured beside", "waited for")
_PLACES = ("Pellow", "Tarn", "Osmund", "the mill", "Quay Seven", "the chapel", "Northgate", "the greenhouse")
_PEOPLE = ("Marta", "Idris", "Yusra", "Tomas", "Hana", "Gen", "Lea", "Oskar")


def sentences(count: int, seed: int = 7) -> Iterator[str]:
    """`count` distinct sentences of 12 to 25 words."""
    chance = random.Random(seed)
    for number in range(count):
        words = [
            chance.choice(_PEOPLE),
            "wrote that",
            chance.choice(_SUBJECTS),
            chance.choice(_VERBS),
            f"event {chance.randrange(count)}",
            "near",
            chance.choice(_PLACES),
            f"at {chance.randrange(24):02d}:{chance.randrange(60):02d}",
            f"with code ERR_{chance.randrange(400)}",
            f"and noted reading {number}.{chance.randrange(100)} for",
            chance.choice(_PEOPLE),
        ]
        yield " ".join(words)


def questions(count: int, seed: int = 11) -> Iterator[str]:
    """`count` questions that name what the sentences hold."""
    chance = random.Random(seed)
    for _ in range(count):
        yield (
            f"What did {chance.choice(_PEOPLE)} write about {chance.choice(_SUBJECTS)} near {chance.choice(_PLACES)}"
            f" and ERR_{chance.randrange(400)}?"
        )
