"""Names that look like others, like nothing, or like something else: H01 to H39."""

import random

import pytest

from rensou.v1 import association_service_pb2 as assoc
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import TIMEOUT_S, failure_of, memory
from tests.e2e.naming import declare, dropped, named, related, traverse

SAME = {
    "H01 order of combining marks": ("a\u0323\u0302", "a\u0302\u0323", "\u1ead"),
    "H02 two marks on one letter": ("o\u0302\u0301c", "\u1ed1c", "O\u0302\u0301C"),
    "H03 conjoining jamo": ("\ud55c\uae00", "\u1112\u1161\u11ab\u1100\u1173\u11af"),
    "H04 separators of every kind": ("Ann Lee Jr", "Ann\u00a0Lee\u2028Jr", "Ann\u2003\u205f Lee\t\u3000Jr\u2029"),
    "H05 the last sigma": ("ΟΔΥΣΣΕΥΣ", "οδυσσευς", "οδυσσευσ"),
    "H06 ligatures": ("ﬁsh", "FISH"),
    "H07 a capital without a composed form": ("\u01f0", "J\u030c", "j\u030c"),
    "H08 letters of mathematics": ("𝐀𝐧𝐧", "ann", "𝔸𝕟𝕟", "Ⓐⓝⓝ"),
    "H09 a word in a square": ("\u3314グラム", "キログラム", "ｷﾛｸﾞﾗﾑ"),
    "H10 full-width digits in a name": ("Room １０１", "room 101"),
}
DISTINCT = {
    "H11 zero-width space inside": ("Ann", "An\u200bn", "A\u200bnn"),
    "H12 joiners inside": ("میخواهم", "می\u200cخواهم", "می\u200dخواهم"),
    "H13 marks of direction": ("Ann", "Ann\u200f", "\u202eAnn", "\u2067Ann\u2069", "\u200eAnn"),
    "H14 emoji with joiners": ("👨\u200d👩\u200d👧", "👨👩👧", "👨\u200d👩\u200d👦", "👨"),
    "H15 variation selectors": ("❤", "❤\ufe0f", "❤\ufe0e"),
    "H16 tones of skin": ("👍", "👍🏽", "👍🏿"),
    "H17 flags": ("🇯🇵", "🇵🇯", "🇯", "🏴\U000e0067\U000e0062\U000e007f", "🏴"),
    "H18 letters that look alike": ("Anna", "Аnna", "Αnna"),
    "H19 the dotless i": ("Istanbul", "İstanbul", "ıstanbul"),
    "H20 marks that join words": ("coop", "co\u00adop", "co\u2060op", "\ufeffcoop", "co\u034fop"),
    "H21 the Hangul filler": ("한", "한\u3164", "\u115f한"),
    "H22 patterns and statements": (
        "%",
        "_",
        "%%",
        "\\",
        "'; DROP TABLE entities; --",
        "$1",
        "%(agent_id)s",
        '"',
        "{}",
    ),
    "H23 words of machines": ("null", "None", "nan", "true", "0", "-0", "00", "1e400"),
    "H24 code points of nobody": ("\ue000", "\uffff", "\U0010ffff", "\u0378", "\ufffd"),
    "H25 controls": ("ab", "a\x01b", "a\x7fb", "a\x1bb", "\x07ab"),
    "H26 a heap of marks": ("a" + "\u0316" * 254, "a" + "\u0316" * 255, "a"),
    "H27 hiragana, katakana, small and voiced": ("つ", "っ", "ツ", "づ", "つ\u309b"),
    "H28 numbers of other scripts": ("1", "١", "१", "一"),
}
NOTHING = {
    "H30 zero-width": "\u200b\u200c\u200d",
    "H31 marks of direction": "\u200e\u200f\u202e\u2066",
    "H32 fillers": "\u3164\u115f\u1160\uffa0",
    "H33 selectors": "\ufe0f\U000e0100",
    "H34 tags": "\U000e0041\U000e007f",
    "H35 byte-order mark and soft hyphen": "\ufeff\u00ad\u2060\u034f",
    "H36 controls": "\x01\x1b\x7f\u0085",
}
NO_REFS = (
    "mem:１",
    "ｍｅｍ:1",
    "mem：1",
    "MEM:1",
    "mem:١",
    "mem:²",
    "mem:",
    "mem:-1",
    "mem:1x",
    "ep:9223372036854775808",
)


@pytest.mark.parametrize("case", SAME)
async def test_spellings_of_one_name_are_one_entity_of_the_first_spelling(
    client: RensouClient, agent: str, case: str
) -> None:
    first, *others = SAME[case]
    report = (await declare(client, agent, entities=named(first, *others))).report
    assert [entity.created for entity in report.entities] == [True] + [False] * len(others)
    for spelling in SAME[case]:
        (entity,) = (await traverse(client, agent, spelling)).entities
        assert (entity.ref, entity.name) == (report.entities[0].ref, first)


@pytest.mark.parametrize("case", DISTINCT)
async def test_names_that_differ_in_one_code_point_stay_distinct_and_come_back_as_written(
    client: RensouClient, agent: str, case: str
) -> None:
    names = DISTINCT[case]
    report = (await declare(client, agent, entities=named(*names))).report
    assert dropped(report) == [] and [entity.created for entity in report.entities] == [True] * len(names)
    for name, declared in zip(names, report.entities, strict=True):
        (entity,) = (await traverse(client, agent, name)).entities
        assert (entity.ref, entity.name) == (declared.ref, name)
    aliases = (await declare(client, agent, entities=named("the first", aliases=names))).report
    assert {reason for _, reason in dropped(aliases)} == {"ALIAS_TAKEN"} and len(aliases.dropped) == len(names)


@pytest.mark.parametrize("case", NOTHING)
async def test_a_name_that_nobody_sees_is_dropped_and_equals_no_other(
    client: RensouClient, agent: str, case: str
) -> None:
    invisible = NOTHING[case]
    report = (
        await declare(
            client,
            agent,
            entities=named("Ann", invisible, *invisible, aliases=(invisible,)),
            relations=related(("Ann", invisible, "Bob"), (invisible, "knows", "Bob")),
        )
    ).report
    assert [entity.name for entity in report.entities] == ["Ann"] and not report.relations
    assert {reason for _, reason in dropped(report)} == {"EMPTY"}
    assert len(report.dropped) == len(invisible) + 4
    assert (await failure_of(traverse(client, agent, invisible))).reason == "INVALID_FIELD"


@pytest.mark.parametrize("ref", NO_REFS)
async def test_h37_a_ref_of_other_digits_or_letters_is_no_record_and_no_name(
    client: RensouClient, agent: str, ref: str
) -> None:
    answer = await declare(
        client,
        agent,
        anchor_ref=ref,
        entities=named("Ann", ref, aliases=(ref,)),
        relations=related((ref, "is", "Ann"), ("Ann", "is", ref), ("Ann", "knows", "Bob")),
        retract=assoc.Retraction(
            relations=[ref, "rel:１"],
            mentions=[assoc.MentionRef(entity="ent:1", ref=ref), assoc.MentionRef(entity="ent:１", ref="mem:1")],
        ),
    )
    assert [path for path, _ in dropped(answer.report)] == [
        "entities[0].aliases[0]",
        "entities[1]",
        "relations[0].subject",
        "relations[1].object",
        "anchor_ref",
        "retract.relations[0]",
        "retract.relations[1]",
        "retract.mentions[0]",
        "retract.mentions[1]",
    ]
    assert {reason for _, reason in dropped(answer.report)} == {"INVALID_REF"}
    assert [entity.name for entity in answer.report.entities] == ["Ann", "Bob"]
    assert len(answer.report.relations) == 1 and answer.report.mentions == 0


@pytest.mark.parametrize(
    "letter", ["x", "京", "😀", "\U0010ffff", "e\u0301", "\u1112\u1161"], ids=lambda letter: f"H38 {letter!a}"
)
async def test_a_name_has_up_to_256_code_points_around_which_white_space_does_not_count(
    client: RensouClient, agent: str, letter: str
) -> None:
    fits = letter * (256 // len(letter))
    longer = fits + letter[0]
    report = (
        await declare(
            client,
            agent,
            entities=named(f" {fits}\u3000", longer, aliases=(longer,)),
            relations=related((fits, f"\t{fits} ", "B"), (longer, longer, longer), (fits, longer, "B")),
        )
    ).report
    assert dropped(report) == [
        ("entities[0].aliases[0]", "TOO_LONG"),
        ("entities[1]", "TOO_LONG"),
        ("relations[1]", "TOO_LONG"),
        ("relations[1].subject", "TOO_LONG"),
        ("relations[1].object", "TOO_LONG"),
        ("relations[2]", "TOO_LONG"),
    ]
    (entity, other) = (await traverse(client, agent, fits)).entities
    assert (entity.name, other.name) == (fits, "B")
    assert (await failure_of(traverse(client, agent, longer))).reason == "TOO_LARGE"


async def test_h39_a_record_with_any_names_is_stored_and_so_are_its_neighbours(
    client: RensouClient, agent: str
) -> None:
    chance = random.Random(39)
    pieces = [text for case in (*SAME.values(), *DISTINCT.values()) for text in case]
    pieces += [*NOTHING.values(), *NO_REFS, "", " ", "\0", "\ufdfa" * 256, "京" * 257, "mem:1", "ent:1", "rel:1"]

    def some() -> str:
        return "".join(chance.choices(pieces, k=chance.choice([1, 1, 1, 2, 3])))

    def rider() -> pb.Associations:
        return pb.Associations(
            entities=[
                pb.EntityDeclaration(name=some(), aliases=[some() for _ in range(chance.choice([0, 2, 40]))])
                for _ in range(chance.choice([1, 5, 70]))
            ],
            relations=related(*((some(), some(), some()) for _ in range(chance.choice([0, 5, 70])))),
        )

    items = [memory(agent, f"text {number}", associations=rider()) for number in range(40)]
    answer = await client.recall.BatchStore(rpc.BatchStoreRequest(requests=items), timeout=TIMEOUT_S)
    assert [result.response.outcome for result in answer.results] == [rpc.STORE_OUTCOME_STORED] * 40
    reasons = {reason for result in answer.results for _, reason in dropped(result.response.associations)}
    assert {"EMPTY", "INVALID_REF", "TOO_LONG", "INVALID_TEXT", "BEYOND_BOUND"} <= reasons and "FAILED" not in reasons
