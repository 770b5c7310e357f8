"""Texts for the chaos run, by seed: English, Japanese, 4-byte characters, CRLF, no spaces; a third past the window."""

import random
from typing import Final

from topics import make_record

POISON: Final = "the poison that no worker survives"
_JAPANESE = (
    "明日の会議は京都で開く。",
    "茶器は棚の上にある！",
    "鍵は敷物の下に置いた。",
    "全角　空白　と改行。",
    "値段は１２３４円？",
)
_ODD = (
    "👩\u200d👩\u200d👧\u200d👦",
    "𠮷野家",
    "e\u0301te\u0301",
    "line\r\n",
    "no_space_at_all",
    "😀",
    "\n\n",
    "🇯🇵",
    "3.14",
)
_LETTERS = "abcdefghijklmnopqrstuvwxyzäöü𝔄か"
_LONG_EVERY = 3


def make_text(number: int, draw: random.Random, *, is_long: bool) -> str:
    """A text unlike that of any other `number`; a long one is past the window of the chaos run's server."""
    parts = [f"Entry {number}."]
    target = draw.randrange(900, 2_600) if is_long else draw.randrange(20, 100)
    kind = draw.randrange(5)
    size = len(parts[0])
    while size < target:
        parts.append(_part(kind, draw, target))
        size += len(parts[-1])
    return ("" if kind in {1, 4} else " ").join(parts)


def _part(kind: int, draw: random.Random, length: int) -> str:
    match kind:
        case 0:
            return draw.choice(_JAPANESE)
        case 1:
            return draw.choice(_ODD)
        case 2:
            return make_record(draw.randrange(100_000), seed=41).content
        case 3:
            return draw.choice((*_JAPANESE, *_ODD, make_record(draw.randrange(1_000), seed=43).content))
        case _:
            return "".join(draw.choices(_LETTERS, k=length))


def make_texts(count: int, poisons: int, draw: random.Random) -> list[str]:
    """`count` texts, of which a third are long, and `poisons` more among the first half of them."""
    texts = [make_text(number, draw, is_long=number % _LONG_EVERY == 0) for number in range(count - poisons)]
    draw.shuffle(texts)
    for number in range(poisons):
        texts.insert((number + 1) * len(texts) // (2 * poisons + 2), make_poison(number))
    return texts


def make_poison(number: int) -> str:
    """A text past the window that takes down every worker which has it embedded."""
    return f"Poisoned entry {number}. " + "All is well here. " * 60 + f"Then comes {POISON}. " + "All is well. " * 60
