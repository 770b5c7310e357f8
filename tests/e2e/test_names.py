"""Which names mean the same thing, and which never do."""

import pytest

from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from tests.e2e.harness import failure_of
from tests.e2e.naming import declare, dropped, named, traverse


async def _declare(
    client: RensouClient, agent: str, *names: str, aliases: tuple[str, ...] = ()
) -> pb.AssociationReport:
    """What becomes of entities of these names, the aliases being the first one's."""
    return (await declare(client, agent, entities=named(*names, aliases=aliases))).report


SAME = [
    ("Z\u00fcrich", "Zu\u0308rich"),
    ("が", "か\u3099"),
    ("ＡＢＣ", "abc"),
    ("ｶﾞｽ", "ガス"),
    ("Ann  Lee", " ann\u3000lee "),
    ("STRASSE", "straße"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
async def test_two_spellings_of_a_name_are_one_entity_which_keeps_its_first_spelling(
    client: RensouClient, agent: str, first: str, second: str
) -> None:
    """B14"""
    (declared,) = (await _declare(client, agent, first)).entities
    (again,) = (await _declare(client, agent, second)).entities
    assert (again.ref, again.created) == (declared.ref, False)
    (entity,) = (await traverse(client, agent, second)).entities
    assert (entity.ref, entity.name) == (declared.ref, first.strip())


@pytest.mark.parametrize(
    "names",
    [
        ("東京", "大阪"),
        ("Москва", "Київ"),
        ("😀", "🎉"),
        ("C++", "C#", "C"),
        ("!", "!!", "?"),
        ("は", "ば", "ぱ"),
        ("かな", "カナ"),
        ("e", "é"),
    ],
)
async def test_names_in_any_script_or_of_symbols_alone_stay_distinct(
    client: RensouClient, agent: str, names: tuple[str, ...]
) -> None:
    """B15"""
    report = await _declare(client, agent, *names)
    refs = [entity.ref for entity in report.entities]
    assert len(set(refs)) == len(names) and not report.dropped
    for name, ref in zip(names, refs, strict=True):
        (entity,) = (await traverse(client, agent, name)).entities
        assert (entity.ref, entity.name) == (ref, name)


@pytest.mark.parametrize("name", ["", "   ", "\u3000\t"])
async def test_a_name_without_a_key_is_dropped_and_equals_no_other(client: RensouClient, agent: str, name: str) -> None:
    """B15"""
    report = await _declare(client, agent, "Ann", name, " ", aliases=(name,))
    assert [entity.name for entity in report.entities] == ["Ann"]
    assert [one.item for one in report.dropped] == ["entities[0].aliases[0]", "entities[1]", "entities[2]"]
    assert {one.reason for one in report.dropped} == {pb.DROP_REASON_EMPTY}


async def test_an_unknown_name_is_not_found(client: RensouClient, agent: str) -> None:
    """B15"""
    await _declare(client, agent, "Ann")
    failure = await failure_of(traverse(client, agent, "Bob"))
    assert (failure.code.name, failure.reason) == ("NOT_FOUND", "ENTITY_NOT_FOUND")


async def test_an_alias_that_names_another_entity_is_dropped_and_reported(client: RensouClient, agent: str) -> None:
    """B15"""
    await _declare(client, agent, "Bob")
    report = await _declare(client, agent, "Ann", aliases=("Annie", "BOB"))
    assert [(one.item, one.reason) for one in report.dropped] == [
        ("entities[0].aliases[1]", pb.DROP_REASON_ALIAS_TAKEN)
    ]
    (entity,) = (await traverse(client, agent, "annie")).entities
    assert entity.name == "Ann"


@pytest.mark.parametrize("narrow_first", [True, False], ids=["narrow first", "wide first"])
async def test_an_alias_of_a_project_and_of_the_global_pool(
    client: RensouClient, agent: str, narrow_first: bool
) -> None:
    """H40"""
    project = pb.WriteScope(agent_id=agent, project_id="P")
    places = [(project, "Mine"), (pb.WriteScope(agent_id=agent), "Everyone's")]
    first, second = places if narrow_first else reversed(places)
    await declare(client, agent, scope=first[0], entities=named(first[1], aliases=("the eye",)))
    report = (await declare(client, agent, scope=second[0], entities=named(second[1], aliases=("the eye",)))).report
    assert [entity.created for entity in report.entities] == [True]
    drops = [] if narrow_first else [("entities[0].aliases[0]", "ALIAS_TAKEN")]
    assert dropped(report) == drops
    reading = {
        "P": pb.ReadScope(agent_id=agent, project_id="P"),
        "": pb.ReadScope(agent_id=agent, project_id=""),
        "Q": pb.ReadScope(agent_id=agent, project_id="Q"),
    }
    met = {
        name: {entity.name for entity in (await traverse(client, agent, "The Eye", scope=scope)).entities}
        for name, scope in reading.items()
    }
    assert met == {
        "P": {"Mine", "Everyone's"} if narrow_first else {"Everyone's"},
        "": {"Everyone's"},
        "Q": {"Everyone's"},
    }
