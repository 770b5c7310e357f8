"""arq is in maintenance: it stays behind a small port, and can be replaced there."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

_PACKAGES = ("rensou_shared", "rensou_nodeworker", "rensou_recall", "rensou_embedded")


def test_only_the_queues_own_modules_know_arq() -> None:
    knowing = {
        path.name
        for package in _PACKAGES
        for path in Path(str(files(package))).rglob("*.py")
        if re.search(r"^\s*(?:from|import) arq\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert knowing == {"listener.py", "redis_client.py"}


@pytest.mark.parametrize("setting", ["max_tries=1", "keep_result=0", "queue_read_limit=_QUEUE_READ_LIMIT"])
def test_arq_repeats_nothing_keeps_nothing_and_sees_past_what_others_hold(setting: str) -> None:
    source = files("rensou_nodeworker").joinpath("listener.py").read_text(encoding="utf-8")
    assert source.count(f"{setting},") == 1
