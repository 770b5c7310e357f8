"""Other names of the entities that a question mentions."""

from hypothesis import given
from hypothesis import strategies as st

from rensou_recall.stages.expansion import MAX_TERMS, expansion_terms, mentioned_entities
from rensou_recall.types.evidence import AliasMatch, EntityName
from rensou_shared.ids import EntityId
from rensou_shared.text.normalize import normalize_name


def _match(entity: int, name: str) -> AliasMatch:
    return AliasMatch(EntityId(entity), name)


def _name(entity: int, text: str, *, is_name: bool = False) -> EntityName:
    return EntityName(EntityId(entity), text, normalize_name(text), is_name)


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


def test_terms_are_as_written_the_name_first_without_what_the_question_holds():
    names = [_name(1, "ミズアイ"), _name(1, "mizeye"), _name(1, "MizEye App", is_name=True), _name(1, "Eye")]
    assert expansion_terms("how is mizeye", [EntityId(1)], names) == ("MizEye App", "ミズアイ")


def test_a_term_is_given_once():
    names = [_name(1, "Ann", is_name=True), _name(2, "ANN", is_name=True), _name(2, "Bob")]
    assert expansion_terms("x", [EntityId(1), EntityId(2)], names) == ("Ann", "Bob")


def test_terms_end_at_their_bound():
    names = [_name(1, f"alias {number:03}") for number in range(50)]
    assert len(expansion_terms("x", [EntityId(1)], names)) == MAX_TERMS


def test_names_of_entities_that_are_not_mentioned_are_not_given():
    assert expansion_terms("x", [EntityId(1)], [_name(2, "Bob")]) == ()


_NAMES = st.text(alphabet="ab ", min_size=1, max_size=4)


@given(st.text(alphabet="ab ", max_size=12), st.lists(st.tuples(st.integers(1, 4), _NAMES), max_size=8))
def test_mentions_ignore_the_order_of_matches_and_occur_in_the_question(question, pairs):
    matches = [_match(entity, name) for entity, name in pairs]
    mentioned = mentioned_entities(question, matches)
    assert mentioned == mentioned_entities(question, list(reversed(matches)))
    assert all(any(match.entity_id == e and match.normalized in question for match in matches) for e in mentioned)
