"""The named mutations still fit the source; whether the tests notice them is what `make mutants` tells."""

import ast
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mutants import run
from tests.mutants.mutant import ROOT, Mutant, MutantError, load_mutants
from tests.mutants.raised import is_assertion

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


def _failure(work: Callable[[], object]) -> BaseException:
    with pytest.raises(BaseException) as caught:
        work()
    return caught.value


def _expects_an_error_that_does_not_come() -> None:
    with pytest.raises(KeyError):
        _ = {1: 2}[1]


def test_only_what_a_test_asserts_is_an_assertion() -> None:
    expected = _failure(_expects_an_error_that_does_not_come)
    asserted, stumbled = AssertionError("no"), TypeError("no")
    assert is_assertion(asserted) and is_assertion(expected) and is_assertion(_failure(lambda: pytest.fail("no")))
    assert not is_assertion(stumbled) and not is_assertion(_failure(lambda: pytest.fail("Timeout (>1.0s)")))
    assert is_assertion(BaseExceptionGroup("many", [asserted, BaseExceptionGroup("more", [expected])]))
    assert not is_assertion(BaseExceptionGroup("many", [asserted, BaseExceptionGroup("more", [stumbled])]))


BODIES = {
    "green": "pass",
    "asserts": "assert 1 == 2",
    "stumbles": "len(1)",
    "groups": "raise ExceptionGroup('found', [AssertionError(1), ValueError(2)])",
}


def test_a_run_tells_a_failed_assertion_from_a_stumble(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "tests/__init__.py", "tests/mutants/__init__.py", "tests/mutants/raised.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    written = "".join(f"def test_{name}():\n    {body}\n\n" for name, body in BODIES.items())
    (tmp_path / "tests" / "test_it.py").write_text(written)
    tests = {name: f"tests/test_it.py::test_{name}" for name in BODIES}
    found = run.run_tests(tmp_path, list(tests.values()))
    assert found.fault == ""
    assert [name for name, test in tests.items() if found.failed[test]] == ["asserts", "stumbles", "groups"]
    assert found.stumbled == {tests["stumbles"]: "TypeError", tests["groups"]: "AssertionError, ValueError"}


def _pretend(monkeypatch: pytest.MonkeyPatch, mutants: list[Mutant], *, green: bool) -> None:
    def are_green(_: object) -> bool:
        return green

    monkeypatch.setattr(run, "load_mutants", lambda: mutants)
    monkeypatch.setattr(run, "_are_green", are_green)


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [("KK", 0), ("KS", 1), ("KT", 1), ("KB", 2), ("", 0)],
)
def test_the_last_line_is_json_and_the_exit_code_says_the_same(
    verdicts: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    letters = {"K": run.Verdict.KILLED, "S": run.Verdict.SURVIVED, "T": run.Verdict.STUMBLED, "B": run.Verdict.BROKEN}
    given = iter(verdicts)

    def end(mutant: Mutant) -> run.Outcome:
        return run.Outcome(mutant, letters[next(given)], 0.0)

    _pretend(monkeypatch, [_mutant("x = 1\n") for _ in verdicts], green=True)
    monkeypatch.setattr(run, "try_mutant", end)
    assert run.main(["--jobs", "1"]) == code
    last = capsys.readouterr().out.splitlines()[-1]
    assert json.loads(last) == {"mutants": len(verdicts), "killed": verdicts.count("K")}


def test_where_a_test_is_red_by_itself_nothing_is_killed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _pretend(monkeypatch, [_mutant("x = 1\n")], green=False)
    assert run.main([]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {"mutants": 1, "killed": 0}
