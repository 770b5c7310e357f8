"""Questions that have nothing to do with any agent: what is no nearer to a record than these is near by chance."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from rensou_shared.text.characters import CJK

UNRELATED_VERSION: Final = 1
"""Stored beside the vectors of the questions; raised whenever one of them changes."""

_CJK: Final = re.compile(f"[{CJK}]")
_SPACED_WORD: Final = re.compile(rf"[^\W\d_{CJK}]+")


class Script(StrEnum):
    """What a question is written in: models put questions of one writing nearer to records of the same."""

    SPACED = "spaced"
    CJK = "cjk"


def script_of(question: str) -> Script:
    """The writing of most of a question, where one CJK letter says as much as a word of another writing."""
    letters = len(_CJK.findall(question))
    return Script.CJK if letters and letters >= len(_SPACED_WORD.findall(question)) else Script.SPACED


UNRELATED: Final[Mapping[Script, tuple[str, ...]]] = {
    Script.SPACED: (
        "What is the capital of that country?",
        "How do I change a flat tyre on a bicycle?",
        "Who wrote the opera about the barber?",
        "When was the bridge over the river built?",
        "Which port does the test server listen on?",
        "Why did the engine overheat last winter?",
        "Where can I buy fresh fish near the station?",
        "How many litres of paint does the hall need?",
        "What does the doctor recommend against hay fever?",
        "Who won the chess tournament in the spring?",
        "How long does the train to the coast take?",
        "What is the password policy of the bank?",
        "Which planet has the shortest year?",
        "When does the contract with the supplier end?",
        "Why is the bread too dense?",
        "What colour was the old lighthouse?",
        "How is the tax on imported wine calculated?",
        "Which version of the compiler fixed the crash?",
        "Who is responsible for the budget of the museum?",
        "Where did the expedition spend the night?",
        "What did the committee decide about the fence?",
        "How often should the orchid be watered?",
        "When did the volcano last erupt?",
        "Which medicine must not be taken with milk?",
        "What is the melting point of tin?",
        "Who repaired the roof of the school?",
        "How do we roll back a failed deployment?",
        "What kind of music does she like?",
        "When is his birthday?",
        "Where did they go on holiday?",
        "What is her job?",
        "Which dog breed sheds the least?",
    ),
    Script.CJK: (
        "その国の首都はどこですか。",
        "自転車のパンクはどうやって直しますか。",
        "あの喜劇を書いたのは誰ですか。",
        "川の橋はいつ建てられましたか。",
        "試験用サーバーのポートは何番ですか。",
        "去年の冬、エンジンが過熱したのはなぜですか。",
        "駅の近くで新鮮な魚はどこで買えますか。",
        "広間の塗装にペンキは何リットル要りますか。",
        "花粉症について医者は何を勧めましたか。",
        "春の将棋大会で優勝したのは誰ですか。",
        "海岸までの電車は何時間かかりますか。",
        "銀行のパスワードの決まりは何ですか。",
        "一年がいちばん短い惑星はどれですか。",
        "取引先との契約はいつ終わりますか。",
        "パンが固くなったのはなぜですか。",
        "古い灯台は何色でしたか。",
        "輸入ワインの税金はどう計算しますか。",
        "コンパイラの不具合はどの版で直りましたか。",
        "博物館の予算の担当は誰ですか。",
        "探検隊はどこで夜を過ごしましたか。",
        "柵について委員会は何を決めましたか。",
        "蘭の水やりはどのくらいの間隔ですか。",
        "火山が最後に噴火したのはいつですか。",
        "牛乳と一緒に飲んではいけない薬はどれですか。",
        "錫の融点は何度ですか。",
        "学校の屋根を直したのは誰ですか。",
        "失敗した配備はどうやって元に戻しますか。",
        "彼女はどんな音楽が好きですか。",
        "彼の誕生日はいつですか。",
        "休暇はどこへ行きましたか。",
        "彼女の仕事は何ですか。",
        "毛がいちばん抜けにくい犬種はどれですか。",
    ),
}
