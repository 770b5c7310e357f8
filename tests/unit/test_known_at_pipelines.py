"""What answers under known_at opens its transactions in one way: another would read the present beside the past."""

from importlib.resources import files

import pytest

_PIPELINES = files("rensou_recall.pipelines")


@pytest.mark.parametrize("name", ["recall", "retrieve", "reconstruct", "traverse"])
def test_a_pipeline_that_takes_known_at_opens_no_transaction_of_the_present(name: str) -> None:
    source = _PIPELINES.joinpath(f"{name}.py").read_text(encoding="utf-8")
    assert "database.transaction(" not in source
    assert name == "recall" or "reading(deps.database, scope," in source
