"""What stands around the evidence of the ladder: made-up things that people say to each other, English and Japanese.

The same number gives the same text at every run. They speak of what conversations speak of, so that some lie near a
question.
"""

import random
from datetime import UTC, datetime, timedelta

from topics import MadeRecord

_SESSION = 20
_START = datetime(2019, 1, 1, tzinfo=UTC)
_ENGLISH = (
    "{who} told me that the {thing} of {other} is at {place} since {when}.",
    "I went to {place} with {who} {when} and we talked about the {thing}.",
    "{who} wants to buy a {thing} from {other}, it costs {number} at {place}.",
    "Did you know that {who} and {other} met at {place} {when}?",
    "The {thing} that {who} mentioned is broken again, {other} will repair it {when}.",
    "My {thing} is still at {place}; {who} brings it {when}.",
    "{who} has a new job at {place} and sold the {thing} to {other}.",
    "We planned a trip to {place} {when}; {who} takes the {thing} along.",
)
_JAPANESE = (
    "{who}の話では、{other}の{thing}は{when}から{place}にあります。",
    "{when}、{who}と{place}へ行って{thing}の話をしました。",
    "{who}は{other}から{thing}を買うつもりで、{place}で{number}円だそうです。",
    "{who}と{other}が{when}に{place}で会ったのを知っていますか。",
    "{who}が言っていた{thing}がまた壊れて、{other}が{when}に直します。",
    "私の{thing}はまだ{place}にあり、{when}に{who}が持ってきます。",
)
_SLOTS = {
    "who": "Mira|Kenji|Paula|Otis|Greta|Samir|Noor|Tilo|Vera|Jonas|Aiko|Bram|Celia|Dario|Esme|Finn",
    "other": "Ruth|Igor|Lena|Hugo|Zoe|Amir|Kaja|Piet|Yara|Milo|Sana|Kurt|Elif|Remy|Nils|Opal",
    "thing": (
        "bicycle|kettle|piano lesson|camera|garden|old clock|boat|recipe|tent|printer|medicine|choir|ticket|"
        "novel|painting|dog|kitchen|password|invoice|wedding|guitar|sofa|allotment|chess set"
    ),
    "place": (
        "the harbour|the library|the dentist|the market|the school|the museum|the station|the lake|"
        "the theatre|the café|the mill|the clinic|the stadium|the office|the bakery|the lighthouse"
    ),
    "when": (
        "last week|on Monday|in spring|two years ago|yesterday|in August|on Friday evening|before Christmas|"
        "at noon|next month|in 2017|on my birthday"
    ),
}
_JAPANESE_SLOTS = {
    "who": "美羅|健二|佳代|大輝|志乃|翔|真央|直樹|千夏|悠斗|愛子|拓海|梓|陸|澪|凪",
    "other": "律子|勇|玲奈|隼|彩|幸雄|静香|圭|百合|望|沙耶|修|絵美|駿|灯|渚",
    "thing": (
        "自転車|やかん|ピアノ|カメラ|庭|古時計|船|料理|テント|印刷機|薬|合唱|切符|小説|絵|犬|"
        "台所|暗証番号|請求書|結婚式"
    ),
    "place": ("港|図書館|歯医者|市場|学校|博物館|駅|湖|劇場|喫茶店|水車|診療所|球場|事務所|パン屋|灯台"),
    "when": "先週|月曜日|春|二年前|昨日|八月|金曜の夜|年末|昼|来月|2017年|誕生日",
}


def make_distractor(number: int) -> MadeRecord:
    """The `number`-th text, one in four Japanese; its number in it keeps texts apart."""
    chance = random.Random(f"ladder/{number}")
    is_japanese = number % 4 == 0
    templates, slots = (_JAPANESE, _JAPANESE_SLOTS) if is_japanese else (_ENGLISH, _SLOTS)
    words = {name: chance.choice(of.split("|")) for name, of in slots.items()}
    said = chance.choice(templates).format(number=number + 10, **words)
    text = f"{said}({number})" if is_japanese else f"{said} ({number})"
    return MadeRecord(text, f"ladder-{number // _SESSION}", _START + timedelta(minutes=number))
