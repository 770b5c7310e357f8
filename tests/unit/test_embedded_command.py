"""What the `rensou` command refuses at once, by the name of the option."""

import sys
from pathlib import Path

import pytest

from rensou_embedded import command
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


def test_what_a_token_file_must_hold_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tokens = tmp_path / "tokens.json"
    tokens.write_text('{"tokens": [{"name": "ops", "token": "x"}]}', encoding="ascii")
    monkeypatch.setattr(sys, "argv", ["rensou", "models", "--token-file", str(tokens)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert 'what stands as "token" in the service\'s tokens file' in " ".join(capsys.readouterr().err.split())


def test_a_command_without_its_extra_says_how_to_install_it_from_a_checkout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "rensou_embedded.__main__", None)
    monkeypatch.setattr(command, "NEEDED", frozenset({"rensou_embedded.__main__"}))
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 2
    assert "pip install '.[embedded]'" in capsys.readouterr().err
