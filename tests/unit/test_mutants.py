"""The named mutations still fit the source; whether the tests notice them is what `make mutants` tells."""

import ast
from pathlib import Path

import pytest

from tests.mutants.mutant import ROOT, Mutant, MutantError, load_mutants

MUTANTS = {mutant.name: mutant for mutant in load_mutants()}


def _named(test: str) -> bool:
    """Whether the file of the test id defines it."""
    file, _, name = test.partition("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name for node in tree.body)


def _mutant(before: str, after: str = "x = 2\n") -> Mutant:
    return Mutant("one", "it breaks", "**/*.py", before, after, ("tests/unit/test_mutants.py::test_it",))


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutation_fits_the_source_once_and_names_tests_that_exist(name: str) -> None:
    mutant = MUTANTS[name]
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob(mutant.file)]
    assert sum(text.count(mutant.before) for text in texts) == 1
    assert all(_named(test) for test in mutant.tests), mutant.tests
    assert mutant.breaks and not mutant.breaks.endswith(".")


def test_a_mutation_changes_one_place_of_one_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = 1\n")
    (tmp_path / "b.py").write_text("z = 1\n")
    assert _mutant("x = 1\n").apply(tmp_path) == tmp_path / "a.py"
    assert [(tmp_path / name).read_text() for name in ("a.py", "b.py")] == ["x = 2\ny = 1\n", "z = 1\n"]


@pytest.mark.parametrize("before", ["w = 1\n", " = 1\n"])
def test_a_text_that_does_not_stand_there_once_is_refused(tmp_path: Path, before: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").write_text("y = 1\n")
    with pytest.raises(MutantError, match="one: the text stands [02] times"):
        _mutant(before).apply(tmp_path)


GOOD = 'name = "a"\nbreaks = "b"\nfile = "f"\nbefore = "x"\nafter = "y"\ntests = ["t"]\n'


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (GOOD + 'more = "z"\n', "the fields are"),
        (GOOD.replace('breaks = "b"\n', ""), "the fields are"),
        (GOOD.replace('["t"]', "[]"), "tests is a list"),
        (GOOD.replace('["t"]', '"t"'), "tests is a list"),
        (GOOD.replace('"x"', '""'), "the others are texts"),
        (GOOD.replace('"y"', '"x"'), "nothing changes"),
        (GOOD + "\n[[mutant]]\n" + GOOD, "stands twice"),
    ],
)
def test_a_mutation_that_is_written_wrongly_is_refused(tmp_path: Path, entry: str, reason: str) -> None:
    (tmp_path / "some.toml").write_text("[[mutant]]\n" + entry)
    with pytest.raises(MutantError, match=reason):
        load_mutants(tmp_path)
