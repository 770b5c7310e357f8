"""Other names of the entities that a question mentions."""

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.expansion import mentioned_entities
from rensou_recall.types.expansion import AliasMatch
from rensou_shared.ids import EntityId


def _match(entity: int, name: str) -> AliasMatch:
    return AliasMatch(EntityId(entity), name)


def test_longer_names_take_their_place_first():
    matches = [_match(1, "york"), _match(2, "new york"), _match(3, "new")]
    assert mentioned_entities("a flat in new york", matches) == (2,)


def test_a_shorter_name_counts_where_it_stands_free():
    matches = [_match(1, "york"), _match(2, "new york")]
    assert mentioned_entities("from york to new york", matches) == (2, 1)


def test_entities_that_share_a_name_all_count():
    assert mentioned_entities("ask kirari", [_match(9, "kirari"), _match(4, "kirari")]) == (4, 9)


def test_at_most_sixty_four_matches_are_looked_at():
    names = [chr(0x4E00 + number) for number in range(70)]
    matches = [_match(number, name) for number, name in enumerate(names, start=1)]
    assert len(mentioned_entities("".join(names), matches)) == 64


_NAMES = st.text(alphabet="ab ", min_size=1, max_size=4)


@given(st.text(alphabet="ab ", max_size=12), st.lists(st.tuples(st.integers(1, 4), _NAMES), max_size=8))
def test_mentions_ignore_the_order_of_matches_and_occur_in_the_question(question, pairs):
    matches = [_match(entity, name) for entity, name in pairs]
    mentioned = mentioned_entities(question, matches)
    assert mentioned == mentioned_entities(question, list(reversed(matches)))
    assert all(any(match.entity_id == e and match.normalized in question for match in matches) for e in mentioned)
