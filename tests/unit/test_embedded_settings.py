"""Where the embedded stack keeps its data, and what its services inherit."""

from pathlib import Path

import pytest

from rensou_embedded.settings import SettingsError, clean_environ, prepare_model_environment, read_settings


@pytest.mark.parametrize(
    ("environ", "is_root", "expected"),
    [
        ({"RENSOU_DATA_DIR": "/data", "HOME": "/h"}, True, "/data"),
        ({"HOME": "/root"}, True, "/var/lib/rensou"),
        ({"XDG_DATA_HOME": "/x", "HOME": "/h"}, False, "/x/rensou"),
        ({"HOME": "/h"}, False, "/h/.local/share/rensou"),
    ],
)
def test_the_data_folder_follows_from_the_environment(environ: dict[str, str], is_root: bool, expected: str) -> None:
    assert read_settings(environ, is_root=is_root).data_dir == Path(expected)


@pytest.mark.parametrize("environ", [{}, {"RENSOU_DATA_DIR": "relative"}, {"XDG_DATA_HOME": "relative"}])
def test_a_folder_that_is_not_absolute_or_not_there_is_refused(environ: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        read_settings(environ, is_root=False)


def test_services_inherit_neither_libpq_s_variables_nor_the_command_s_own() -> None:
    environ = {"PGHOST": "elsewhere", "RENSOU_DATA_DIR": "/d", "RENSOU_TOKENS_FILE": "/t", "PATH": "/bin"}
    assert clean_environ(environ) == {"RENSOU_TOKENS_FILE": "/t", "PATH": "/bin"}


@pytest.mark.parametrize(
    ("given", "inherited"),
    [("file:key", f"file:{Path('key').absolute()}"), ("file:/run/key", "file:/run/key"), ("a-secret", "a-secret")],
)
def test_the_file_of_the_page_key_is_found_from_any_folder(given: str, inherited: str) -> None:
    environ = {"HOME": "/h", "RENSOU_PAGE_TOKEN_KEY": given}
    assert read_settings(environ, is_root=False).service_environ["RENSOU_PAGE_TOKEN_KEY"] == inherited


def test_the_model_s_threads_sleep_unless_told_otherwise() -> None:
    told = {"OMP_WAIT_POLICY": "active"}
    untold: dict[str, str] = {}
    prepare_model_environment(told)
    prepare_model_environment(untold)
    assert (told["OMP_WAIT_POLICY"], untold["OMP_WAIT_POLICY"]) == ("active", "passive")
