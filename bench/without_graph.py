"""Runs the recall service with its reads of the declared graph answering nothing: what it would be without a graph."""

import sys
from types import ModuleType
from typing import Any
from unittest.mock import AsyncMock

from rensou_recall.store import evidence_graph, expansion

_READS: tuple[tuple[ModuleType, str, Any], ...] = (
    (expansion, "find_question_aliases", []),
    (evidence_graph, "load_pool_links", ()),
    (evidence_graph, "load_pool_mentions", {}),
)


def main() -> None:
    """Serves with the settings of the environment."""
    if "rensou_recall.pipelines.reconstruct" in sys.modules:
        raise AssertionError("the service took the reads before they could be replaced")
    for module, read, nothing in _READS:
        if not hasattr(module, read):
            raise AssertionError(f"{module.__name__} reads no {read}: the replacement is out of date")
        setattr(module, read, AsyncMock(return_value=nothing))
    from rensou_recall.__main__ import main as serve

    serve()


if __name__ == "__main__":
    main()
