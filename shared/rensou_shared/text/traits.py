"""What a text does besides naming things: whether it asks, whether it names a time. English and Japanese."""

import enum
import re
from typing import Final

from rensou_shared.text.folding import fold_text


class Trait(enum.IntFlag):
    """Bits stored beside a record's terms; a bit keeps its meaning for good."""

    NONE = 0
    ASKS = 1
    NAMES_A_TIME = 2


# A question mark inside an address (`?id=7`) asks nothing; か asks where a Japanese sentence ends with it.
_ASKS: Final = re.compile(r"\?(?![A-Za-z0-9_/=&%])|[？؟]|か(?:な|ね)?[。！!…]|か(?:な|ね)?\s*(?:\n|\Z)")

_MONTHS: Final = (
    "january|february|march|april|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_WEEKDAYS: Final = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_UNITS: Final = "minute|hour|day|night|week|weekend|month|year|summer|winter|spring|fall|autumn"
_NAMES_A_TIME: Final = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|recently|ago|{_MONTHS}|(?:{_WEEKDAYS})s?)\b"
    rf"|\b(?:last|next|this|past|every|few|couple of|\d+)\s+(?:{_UNITS})s?\b"
    r"|\bin may\b|\bmay \d|\b(?:19|20)\d\d\b|\b\d{1,2}(?::\d\d)?\s?(?:am|pm)\b|\b\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?\b"
    r"|[昨今明来去先][日年月週晩朝夜]|一昨[日年]|先々[週月]|再来[週月年]|おととい|きのう|あした|さっき|最近"
    r"|[0-9一二三四五六七八九十](?:年|月|日|時|週間|か月|ヶ月|日間|年間)|[月火水木金土日]曜"
)


def traits_of(text: str) -> Trait:
    """The traits of a record's text; a function of the text alone."""
    folded = fold_text(text)
    traits = Trait.NONE
    if _ASKS.search(text):
        traits |= Trait.ASKS
    if _NAMES_A_TIME.search(folded):
        traits |= Trait.NAMES_A_TIME
    return traits
