"""Facts at drawn depths of long records, in English and in Japanese, and a question after each.

The records are the two demo texts, shuffled: their entries speak of the same people and things as the facts do. A
question names what it asks after in the words of the fact, and its other words stand all over the record.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from rensou_embedded.demo_corpus import DemoLanguage, load_demo_corpus

RECORD_CHARS = 16_000
FACTS_A_RECORD = 5


@dataclass(frozen=True, slots=True)
class Planted:
    """A sentence that stands in one record, at one place, and what is asked after it."""

    fact: str
    question: str


@dataclass(frozen=True, slots=True)
class PlantedRecord:
    """A text of 16,000 code points and the facts in it."""

    content: str
    planted: tuple[Planted, ...]


ENGLISH = (
    Planted(
        "The spare key of the boathouse hangs under the third rowing bench.", "Where is the spare key of the boathouse?"
    ),
    Planted("Ottilie sold the red trailer to a beekeeper from Wexham for 340 pounds.", "Who bought the red trailer?"),
    Planted(
        "The password of the guest network is the name of the first lifeboat.", "What is the guest network's password?"
    ),
    Planted("Gauge 11 was lifted by nineteen centimetres after the bank slipped.", "By how much was gauge 11 lifted?"),
    Planted("Pickle is allergic to hazelnuts, so the birthday cake is made of almonds.", "What is Pickle allergic to?"),
    Planted("The diver charges ninety pounds an hour and brings his own lamp.", "What does the diver charge?"),
    Planted(
        "On the ferry to Port Ellery dogs travel free on Wednesdays.",
        "On which day do dogs travel free to Port Ellery?",
    ),
    Planted("The museum lent us a brass sextant, and wants it back by Midsummer.", "What has the museum lent us?"),
    Planted("Old Mr Penhaligon taught Sparrow to solder when she was nine.", "Who taught Sparrow to solder?"),
    Planted(
        "The generator drinks two litres of diesel an hour under full load.", "How much diesel does the generator need?"
    ),
    Planted(
        "The school class from Thornbury visits the weir on the last Thursday of May.",
        "When does the school class visit?",
    ),
    Planted("The barometer in the depot reads four hectopascals too low.", "Is the barometer in the depot accurate?"),
    Planted("The insurance pays for lightning, and does not pay for floods.", "Does the insurance pay for floods?"),
    Planted(
        "Inky wrote the first version of Lantern on a train to Inverness.",
        "Where was the first version of Lantern written?",
    ),
    Planted(
        "A heron nests on the mast of gauge 3, so nobody climbs it before July.",
        "Why may nobody climb the mast of gauge 3?",
    ),
)
JAPANESE = (
    Planted("納屋の合鍵は古い味噌樽の底に貼りつけてある。", "納屋の合鍵はどこにある？"),
    Planted("軽トラックは隣村の養蜂家に十八万円で譲った。", "軽トラックは誰に譲ったのですか"),
    Planted("来客用の無線の合言葉は最初に飼った犬の名前である。", "来客用の無線の合言葉は何？"),
    Planted("十二番の畝は大雨のあと二十センチ高く盛り直した。", "十二番の畝は何センチ盛り直した？"),
    Planted(
        "ゲンさんは蕎麦を食べると喉が腫れるので、打ち上げはうどん屋にした。", "ゲンさんが食べると喉が腫れるものは？"
    ),
    Planted("井戸の掃除は一回六千円で、道具は業者が持ってくる。", "井戸の掃除はいくらかかる？"),
    Planted("谷の路線バスは土曜日だけ犬を連れて乗れる。", "路線バスに犬を連れて乗れるのはいつ？"),
    Planted("郷土資料館から竹の水準器を借りていて、盆までに返す約束だ。", "郷土資料館から借りているものは何？"),
    Planted("アンくんに半田づけを教えたのは、時計屋だった祖父である。", "アンくんに半田づけを教えた人は？"),
    Planted("非常用の発電機は一時間に軽油を三リットル飲む。", "発電機は軽油をどれくらい使う？"),
    Planted("小学校の見学は六月の第二木曜日に三十二人で来る。", "小学校の見学はいつですか"),
    Planted("選果場の秤は百グラムにつき三グラム重く出る。", "選果場の秤は正確ですか"),
    Planted("共済は雹の害には払うが、鹿の害には払わない。", "共済は鹿の害に払いますか"),
    Planted("ミズキさんは「しずく」の最初の版を夜行バスの中で書いた。", "「しずく」の最初の版はどこで書いた？"),
    Planted("西棟の軒下に燕が巣をかけたので、八月まで脚立を立てない。", "なぜ西棟の軒下に脚立を立てないの？"),
)
FACTS: dict[DemoLanguage, tuple[Planted, ...]] = {"en": ENGLISH, "ja": JAPANESE}


def planted_records(language: DemoLanguage, seed: int) -> list[PlantedRecord]:
    """Records in which each fact of the language stands once, five to a record, wherever the seed puts it."""
    draw = random.Random(seed)
    entries = [entry.content for entry in load_demo_corpus(language).entries]
    facts = draw.sample(FACTS[language], len(FACTS[language]))
    groups = (facts[first : first + FACTS_A_RECORD] for first in range(0, len(facts), FACTS_A_RECORD))
    return [_planted(entries, group, draw) for group in groups]


def _planted(entries: Sequence[str], planted: Sequence[Planted], draw: random.Random) -> PlantedRecord:
    """A text of such entries, between which the facts stand, cut to its length before they are put in."""
    joined = ""
    while len(joined) < RECORD_CHARS:
        joined += "".join(f"{entry}\n" for entry in draw.sample(entries, len(entries)))
    lines = joined[: RECORD_CHARS - sum(len(one.fact) + 1 for one in planted)].split("\n")
    for one in planted:
        lines.insert(draw.randrange(len(lines)), one.fact)
    return PlantedRecord("\n".join(lines), tuple(planted))
