"""Normal forms of names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensou_shared.text.normalize import normalize_name

VECTORS = [
    ("ﾐｽﾞｱｲ", "ミズアイ"),
    ("MizEye ", "mizeye"),
    ("Miz\u3000Eye", "miz eye"),
    ("Straße", "strasse"),
    ("İ", "i\u0307"),
    ("①", "1"),
    ("㌔", "キロ"),
    ("Ⅷ", "viii"),
    ("か\u3099", "が"),
    ("\u200bX", "\u200bx"),
    ("ΑΣ", "ασ"),
]


@pytest.mark.parametrize(("written", "normal"), VECTORS)
def test_a_name_has_its_normal_form(written: str, normal: str) -> None:
    assert normalize_name(written) == normal


@pytest.mark.parametrize(("one", "other"), [("Zürich", "Zu\u0308rich"), ("ＡＢＣ", "abc"), ("ｶﾞ", "カ\u3099")])
def test_spellings_of_one_name_are_equal(one: str, other: str) -> None:
    assert normalize_name(one) == normalize_name(other)


@pytest.mark.parametrize(
    "names", [("東京", "大阪"), ("Москва", "Київ"), ("😀", "🎉"), ("C++", "C#", "C"), ("か", "カ")]
)
def test_different_names_stay_different(names: tuple[str, ...]) -> None:
    normals = {normalize_name(name) for name in names}
    assert len(normals) == len(names)
    assert "" not in normals


@given(st.text())
def test_white_space_never_leads_trails_or_repeats(text: str) -> None:
    normal = normalize_name(text)
    assert normal == " ".join(normal.split())


@given(st.text(st.characters(codec="ascii")))
def test_normalising_twice_changes_nothing_in_ascii(text: str) -> None:
    assert normalize_name(normalize_name(text)) == normalize_name(text)


@given(st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"]), min_size=1))
def test_a_name_of_letters_is_never_empty(text: str) -> None:
    assert normalize_name(text) != ""
