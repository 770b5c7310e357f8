"""Who stood in whose place, as it was known at a time."""

from datetime import datetime
from typing import Any

from rensou_recall.pipelines.recall import RecallAnswer
from rensou_recall.types.standing import Resolution
from tests.integration.known_world import Known, ids, known
from tests.integration.rensou_world import rensou

__all__ = ["known", "rensou"]


def _corrects(known: Known, subject: str, replaced: str) -> None:
    known.run(
        """INSERT INTO relations (agent_id, project_id, channel, subject_record, predicate, normalized_predicate,
                                  object_record, declared_by)
           VALUES ('ann', '', '', %(one)s, 'corrects', 'corrects', %(other)s, 'agent')""",
        one=ids([subject])[0],
        other=ids([replaced])[0],
    )


async def _current(known: Known, moment: datetime | None = None, **asked: Any) -> RecallAnswer:
    return await known.recall("ann lives", moment, resolution=Resolution.CURRENT, **asked)


def _seated(answer: RecallAnswer) -> list[tuple[str, bool]]:
    """The texts of the hits, and whether each is known to be replaced."""
    return [
        (hit.record.content.split()[-1], hit.standing is not None and hit.standing.is_replaced) for hit in answer.hits
    ]


async def test_known_at_before_a_correction_returns_the_old_row_as_current(known: Known) -> None:
    old = await known.rensou.store("Ann lives in Osaka")
    before = known.now()
    new = await known.rensou.store("Ann lives in Kyoto")
    between = known.now()
    _corrects(known, new, old)
    assert _seated(await _current(known, before)) == [("Osaka", False)]
    assert sorted(_seated(await _current(known, between))) == [("Kyoto", False), ("Osaka", False)]
    assert _seated(await _current(known)) == _seated(await _current(known, known.now())) == [("Kyoto", False)]


async def test_a_correction_that_was_taken_back_counts_in_its_own_time(known: Known) -> None:
    old = await known.rensou.store("Ann lives in Osaka")
    new = await known.rensou.store("Ann lives in Kyoto")
    _corrects(known, new, old)
    corrected = known.now()
    known.run("DELETE FROM relations")
    assert _seated(await _current(known, corrected)) == [("Kyoto", False)]
    assert len((await _current(known, known.now())).hits) == 2


async def test_of_two_that_correct_each_other_in_turn_each_is_current_in_its_own_time(known: Known) -> None:
    osaka = await known.rensou.store("Ann lives in Osaka")
    kyoto = await known.rensou.store("Ann lives in Kyoto")
    _corrects(known, kyoto, osaka)
    first = known.now()
    known.run("DELETE FROM relations")
    _corrects(known, osaka, kyoto)
    second = known.now()
    assert _seated(await _current(known, first)) == [("Kyoto", False)]
    assert _seated(await _current(known, second)) == [("Osaka", False)]


async def test_a_successor_has_its_text_of_that_time(known: Known) -> None:
    old = await known.rensou.store("Ann lives in Osaka")
    new = await known.rensou.store("Ann lives in Kyoto")
    _corrects(known, new, old)
    before = known.now()
    await known.revise(new, "Ann lives in Nara")
    assert _seated(await _current(known, before)) == [("Kyoto", False)]
    assert _seated(await _current(known)) == [("Nara", False)]
