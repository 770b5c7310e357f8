"""What is retired stays retired, whatever was known then."""

from datetime import datetime

import pytest

from rensou_recall.types.reach import Reach
from rensou_recall.types.retrieval import Admission
from tests.integration.known_world import Known, ids, known
from tests.integration.rensou_world import rensou

__all__ = ["known", "rensou"]


def _retire(known: Known, ref: str) -> None:
    known.run("UPDATE records SET retired_at = clock_timestamp() WHERE id = %(id)s", id=ids([ref])[0])


async def _far(known: Known, text: str, moment: datetime) -> list[str]:
    """The texts in the places that are held for retired records."""
    answer = await known.recall(text, moment, reach=Reach.WIDE)
    return [hit.quote.content for hit in answer.hits if hit.ranked.admission is Admission.RETIRED]


async def test_what_is_retired_stays_retired_in_every_time(known: Known) -> None:
    ref = await known.rensou.store("The meeting is in Osaka")
    before = known.now()
    await known.revise(ref, "The meeting is in Kyoto")
    between = known.now()
    _retire(known, ref)
    for moment in (before, between, known.now()):
        assert not (await known.recall("meeting", moment)).hits
        assert not (await known.recall("", moment)).hits


async def test_the_far_list_holds_the_text_of_that_time(known: Known) -> None:
    ref = await known.rensou.store("The meeting is in Osaka")
    before = known.now()
    await known.revise(ref, "The meeting is in Kyoto")
    _retire(known, ref)
    assert await _far(known, "osaka", before) == ["The meeting is in Osaka"]
    assert await _far(known, "kyoto", known.now()) == ["The meeting is in Kyoto"]


@pytest.mark.parametrize("retired_first", [True, False])
async def test_former_words_of_a_record_that_was_restored_are_found(known: Known, retired_first: bool) -> None:
    ref = await known.rensou.store("The meeting is in Osaka")
    before = known.now()
    if retired_first:
        _retire(known, ref)
    known.run("UPDATE records SET content = 'The meeting is in Kyoto' WHERE id = %(id)s", id=ids([ref])[0])
    known.run("UPDATE records SET retired_at = NULL")
    assert await known.said("osaka", before) == ["The meeting is in Osaka"]


async def test_a_history_says_since_when_a_record_is_retired(known: Known) -> None:
    ref = await known.rensou.store("The meeting is in Osaka")
    assert (await known.history(ref)).retired_at is None
    _retire(known, ref)
    ((retired_at,),) = known.run("SELECT retired_at FROM records")
    assert (await known.history(ref)).retired_at == retired_at
