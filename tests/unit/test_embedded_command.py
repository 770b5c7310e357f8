"""What the `rensou` command refuses at once, by the name of the option."""

import sys

import pytest

from rensou_embedded.__main__ import main

_URL = "--next-embedding-url"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (_URL, ""),
        (_URL, "localhost:8080/embed"),
        (_URL, "http://localhost:port/embed"),
        (_URL, "http://localhost:8080/vectors"),
        ("--port", "0"),
        ("--port", "65536"),
        ("--port", "http"),
        ("--data-dir", ""),
        ("--data-dir", __file__),
    ],
)
def test_an_unusable_value_of_up_is_refused_before_anything_starts_and_names_its_option(
    option: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["rensou", "up", option, value])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert f"argument {option}: " in capsys.readouterr().err
