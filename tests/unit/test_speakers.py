"""Who is named in a question."""

import pytest

from rensou_recall.stages.speakers import named_speaker


@pytest.mark.parametrize(
    ("question", "names", "named"),
    [
        ("What did Mika order?", ["Mika", "Jun"], "mika"),
        ("what did MIKA order", ["Mika", "mika"], "mika"),
        ("When was Mikaela there?", ["Mika"], None),
        ("What did Jo Ann\u3000say?", ["Jo Ann"], "jo ann"),
        ("田中さんは何を買った？", ["田中", "佐藤"], "田中"),
        ("ﾐｶは何を言った？", ["ミカ"], "ミカ"),
        ("Mikaは何を言った？", ["Mika"], "mika"),
        ("Mika told Jun", ["Mika", "Jun"], None),
        ("What was said?", ["", "Mika"], None),
        ("", ["Mika"], None),
        ("What did Mika say?", ["Mika", "?"], "mika"),
        ("When does it leave?", ["?"], None),
        ("What did Ann Lee say?", ["Ann", "Ann Lee"], "ann lee"),
        ("What did Ann tell Ann Lee?", ["Ann", "Ann Lee"], None),
    ],
)
def test_the_one_name_that_stands_in_the_question_is_found(question: str, names: list[str], named: str | None) -> None:
    assert named_speaker(question, names) == named
