"""GetHistory: what stood, and since when."""

from datetime import timedelta

import pytest

from rensou.v1 import history_pb2 as pb
from rensou.v1 import types_pb2 as types
from rensou_recall.convert.history import decode_history, encode_history
from rensou_recall.types.call import Principal
from rensou_recall.types.history import (
    HistoricMention,
    HistoricRelation,
    HistoricText,
    HistoricValidity,
    History,
    HistoryEntry,
)
from rensou_shared.errors import InvalidField, InvalidPageToken, RecordNotFound, RelationNotFound
from rensou_shared.ids import AgentId, RelationId
from rensou_shared.scope import ReadScope
from tests.integration.known_world import Known, ids, known
from tests.integration.rensou_world import ANN, rensou

__all__ = ["known", "rensou"]

ANNS = Principal("test", frozenset({"ann"}), operator=False)


async def _a_life(known: Known) -> str:
    """A record with two texts, a relation and a mention that went, and one of each that stand."""
    ref = await known.rensou.store("The meeting is in Osaka", entities=["Ann", "Tower"])
    other = await known.rensou.store("The boat leaves")
    for predicate in ("supports", "corrects"):
        known.run(
            """INSERT INTO relations (agent_id, project_id, channel, subject_record, predicate, normalized_predicate,
                                      object_record, declared_by)
               VALUES ('ann', '', '', %(one)s, %(predicate)s, %(predicate)s, %(other)s, 'agent')""",
            one=ids([other])[0],
            predicate=predicate,
            other=ids([ref])[0],
        )
    await known.revise(ref, "The meeting is in Kyoto")
    known.run(
        """INSERT INTO validity_assertions (agent_id, relation_id, valid_to, asserted_by, recorded_at)
           SELECT 'ann', s.id, '2026-02-01Z', 'agent', clock_timestamp()
           FROM relations s
           WHERE s.predicate = 'supports'"""
    )
    known.run("DELETE FROM relations WHERE predicate = 'supports'")
    known.run("DELETE FROM entities WHERE name = 'Tower'")
    return ref


async def test_a_records_history_holds_all_that_stood_in_the_order_in_which_it_began(known: Known) -> None:
    history = await known.history(await _a_life(known))
    entries = [entry.value for entry in history.entries]
    texts = [one for one in entries if isinstance(one, HistoricText)]
    assert [(one.revision, one.content, one.content_chars) for one in texts] == [
        (1, "The meeting is in Osaka", 23),
        (2, "The meeting is in Kyoto", 23),
    ]
    assert (texts[0].current_to, texts[1].current_to) == (texts[1].current_from, None)
    relations = [one for one in entries if isinstance(one, HistoricRelation)]
    assert [(one.predicate, one.retracted_at is None) for one in relations] == [("supports", False), ("corrects", True)]
    mentions = [one for one in entries if isinstance(one, HistoricMention)]
    assert sorted(one.retracted_at is None for one in mentions) == [False, True]
    keys = [entry.key for entry in history.entries]
    assert keys == sorted(keys) and len(set(keys)) == len(keys) == 6


@pytest.mark.parametrize("size", [1, 2, 5])
async def test_the_pages_of_a_history_are_the_whole_of_it(known: Known, size: int) -> None:
    ref = await _a_life(known)
    whole = await known.history(ref)
    entries: list[HistoryEntry] = []
    page = await known.history(ref, size)
    entries.extend(page.entries)
    while page.next_token:
        page = await known.history(ref, size, page.next_token)
        entries.extend(page.entries)
    assert (tuple(entries), whole.next_token) == (whole.entries, "")


async def test_what_began_together_is_listed_once_on_whatever_page(known: Known) -> None:
    ref = await _a_life(known)
    known.run("UPDATE records SET created_at = '2026-01-01Z', revised_at = '2026-01-01Z'")
    known.run("UPDATE record_revisions SET current_from = '2026-01-01Z'")
    known.run("UPDATE relations SET declared_at = '2026-01-01Z'")
    known.run("UPDATE relation_history SET declared_at = '2026-01-01Z'")
    known.run("UPDATE entity_mentions SET created_at = '2026-01-01Z'")
    known.run("UPDATE mention_history SET declared_at = '2026-01-01Z'")
    whole, token, entries = await known.history(ref), "", list[HistoryEntry]()
    while True:
        page = await known.history(ref, 1, token)
        entries.extend(page.entries)
        token = page.next_token
        if not token:
            break
    assert tuple(entries) == whole.entries
    assert len(entries) == 6


async def test_a_relation_that_was_taken_back_has_its_history(known: Known) -> None:
    await _a_life(known)
    ((number,),) = known.run("SELECT id FROM relation_history WHERE predicate = 'supports'")
    relation, validity = [entry.value for entry in (await known.history(RelationId(number))).entries]
    assert isinstance(relation, HistoricRelation) and isinstance(validity, HistoricValidity)
    assert relation.retracted_at is not None and relation.retracted_at >= relation.declared_at
    assert (validity.valid_from, validity.superseded_at) == (None, None)


async def test_what_is_not_readable_has_no_history(known: Known) -> None:
    ref = await known.rensou.store("Osaka", project="P", entities=["A", "B"], relations=[("A", "has", "B")])
    ((number,),) = known.run("SELECT id FROM relations")
    known.run("DELETE FROM relations")
    assert (await known.history(ref, scope=ReadScope(ANN, "P"))).entries
    assert (await known.history(RelationId(number), scope=ReadScope(ANN, "P"))).entries
    for scope in (ReadScope(ANN, "Q"), ReadScope(AgentId("bob"))):
        with pytest.raises(RecordNotFound):
            await known.history(ref, scope=scope)
        with pytest.raises(RelationNotFound):
            await known.history(RelationId(number), scope=scope)


async def test_ends_that_the_call_does_not_read_are_not_told(known: Known) -> None:
    ref = await known.rensou.store("Osaka")
    far = await known.rensou.store("Kyoto", project="P")
    for one, other in ((ref, far), (far, ref)):
        known.run(
            """INSERT INTO relations (agent_id, project_id, channel, subject_record, predicate, normalized_predicate,
                                      object_record, declared_by)
               VALUES ('ann', '', '', %(one)s, 'supports', 'supports', %(other)s, 'agent')""",
            one=ids([one])[0],
            other=ids([other])[0],
        )
    known.run("DELETE FROM relations WHERE subject_record = %(id)s", id=ids([ref])[0])
    told = await known.history(ref, scope=ReadScope(ANN, "Q"))
    assert [type(entry.value) for entry in told.entries] == [HistoricText]
    assert len((await known.history(ref)).entries) == 3


async def test_a_page_token_is_good_for_its_own_history_alone(known: Known) -> None:
    ref = await _a_life(known)
    other = await known.rensou.store("Another")
    token = (await known.history(ref, 1)).next_token
    with pytest.raises(InvalidPageToken):
        await known.history(other, 1, token)


async def test_a_forgotten_record_has_no_history(known: Known) -> None:
    ref = await _a_life(known)
    await known.forget(ref)
    with pytest.raises(RecordNotFound):
        await known.history(ref)


async def test_a_lock_is_told(known: Known) -> None:
    ref = await known.rensou.store("Osaka")
    assert not (await known.history(ref)).locked
    known.run("UPDATE records SET locked = true")
    assert (await known.history(ref)).locked


async def test_a_history_as_a_message_says_all_of_it(known: Known) -> None:
    ref = await _a_life(known)
    asked = decode_history(_request(ref=ref, include_texts=True), ANNS)
    message = encode_history(asked, await known.history(ref))
    kinds = [entry.WhichOneof("entry") for entry in message.entries]
    assert sorted(map(str, kinds)) == ["mention", "mention", "relation", "relation", "text", "text"]
    (gone,) = (entry.relation for entry in message.entries if entry.relation.predicate == "supports")
    assert gone.retract_time.ToDatetime() - gone.declare_time.ToDatetime() >= timedelta(0)
    assert encode_history(asked, History((), "t", True)).locked


def _request(**fields: object) -> pb.GetHistoryRequest:
    return pb.GetHistoryRequest(scope=types.ReadScope(agent_id="ann"), **fields)  # pyright: ignore[reportArgumentType]


def test_a_page_of_texts_is_small() -> None:
    assert decode_history(_request(ref="mem:1"), ANNS).page.size == 50
    assert decode_history(_request(ref="mem:1", include_texts=True), ANNS).page.size == 10
    lowered = decode_history(_request(ref="mem:1", include_texts=True, page_size=11), ANNS).page.lowered
    assert [(one.field, one.requested, one.applied) for one in lowered] == [("page_size", 11, 10)]


@pytest.mark.parametrize("ref", ["", "ent:1", "mem:x", "rel:0"])
def test_what_has_no_history_is_refused_by_name(ref: str) -> None:
    with pytest.raises(InvalidField) as refused:
        decode_history(_request(ref=ref), ANNS)
    assert refused.value.field == "ref"
