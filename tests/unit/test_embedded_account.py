"""Which folders an account may enter."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rensou_embedded.account import Account, find_closed_folder
from rensou_embedded.errors import DataFolderError
from rensou_embedded.postgres_install import refuse_closed_folder

STRANGER = Account("stranger", 54_321, 54_321)


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    inner = tmp_path / "closed" / "inner"
    inner.mkdir(parents=True)
    yield tmp_path
    (tmp_path / "closed").chmod(0o755)


def test_the_first_closed_folder_on_the_way_is_named(tree: Path) -> None:
    (tree / "closed").chmod(0o700)
    closed = find_closed_folder(tree / "closed" / "inner", STRANGER)
    assert closed is not None and (tree / "closed").is_relative_to(closed)
    with pytest.raises(DataFolderError, match=f"'stranger' may not enter {closed}"):
        refuse_closed_folder(tree / "closed" / "inner", STRANGER)


def test_a_folder_that_everybody_may_enter_is_open() -> None:
    assert find_closed_folder(Path("/usr/bin"), STRANGER) is None


def test_the_owner_s_own_bit_counts_for_the_owner(tree: Path) -> None:
    (tree / "closed").chmod(0o077)
    status = (tree / "closed").stat()
    owner = Account("owner", status.st_uid, status.st_gid)
    assert find_closed_folder(tree / "closed", owner) == tree / "closed"
