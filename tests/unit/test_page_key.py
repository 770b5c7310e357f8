"""Where the key of page tokens comes from."""

from pathlib import Path

import pytest

from rensou_recall.page_key import read_page_key
from rensou_shared.errors import ConfigurationError

SECRET = "a-secret-of-16-c"


def test_the_same_secret_gives_the_same_key_from_a_file_too(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(f"{SECRET}\n", encoding="utf-8")
    assert read_page_key(SECRET) == read_page_key(SECRET) == read_page_key(f"file:{path}")
    assert read_page_key(SECRET) != read_page_key(SECRET + "x") and len(read_page_key(SECRET)) == 32


def test_without_a_secret_each_process_draws_its_own() -> None:
    assert read_page_key("") != read_page_key("") and len(read_page_key("")) == 32


@pytest.mark.parametrize("text", ["short", "fifteen-letters", "with spaces inside it", "ｆｕｌｌ-width-letters"])
def test_a_secret_that_is_short_or_no_visible_ascii_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(text, encoding="utf-8")
    for setting in (text, f"file:{path}"):
        with pytest.raises(ConfigurationError, match="RENSOU_PAGE_TOKEN_KEY"):
            read_page_key(setting)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        read_page_key(f"file:{tmp_path / 'nowhere'}")
