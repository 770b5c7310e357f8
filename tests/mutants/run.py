"""Applies each named mutation to a copy of the tree and runs the tests that must notice: `make mutants`.

Why not mutmut or cosmic-ray: both make mutations of Python by rule, thousands of them, and ask whether any test at all
notices. Here a mutation is a fault that somebody could really commit, in SQL as in Python, written by hand beside the
promise that it breaks and the test that is named after the promise; neither takes such a patch.

A mutant is killed when each of its tests fails by what it asserts: one that ends in another exception has not noticed
the fault but stumbled over it. The last line is JSON: how many mutants were tried, and how many were killed.

Exit codes: 0 every mutant is killed; 1 one survived, or a test is red without a mutation; 2 the run itself is at fault.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tests.mutants import raised
from tests.mutants.mutant import ROOT, Mutant, MutantError, load_mutants
from tests.mutants.raised import ASSERTION, RAISED

TIMEOUT_S = 300
# What pytest leaves with when tests ran: all green, or some not.
_RAN = (0, 1)


class Verdict(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    STUMBLED = "STUMBLED"
    BROKEN = "BROKEN"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A mutant's end; `detail` says which test did not notice, or what went wrong."""

    mutant: Mutant
    verdict: Verdict
    seconds: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TestRun:
    """What pytest said of each test id.

    Attributes:
        failed: Whether it failed in its own body, by whatever.
        stumbled: Which exceptions other than an assertion it ended in; tests without one are left out.
        fault: What kept pytest from saying so.
    """

    failed: dict[str, bool]
    stumbled: dict[str, str]
    fault: str


def copy_tree(target: Path) -> None:
    """Copies the files that git knows, as they stand now, and those that are new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        source, copy = ROOT / name, target / name
        if source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)


def _environ(tree: Path) -> dict[str, str]:
    """Ours, with the packages of `tree` before any installed ones."""
    build = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    paths = [str(tree / folder) for folder in (*build["dev-mode-dirs"], ".")]
    return dict(os.environ) | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}


def run_tests(tree: Path, tests: Sequence[str], timeout_s: float = TIMEOUT_S) -> TestRun:
    """Runs the tests on the sources of `tree`; the same seed each time, so that a mutant does not live by luck."""
    report = tree / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", raised.__name__]
    try:
        done = subprocess.run(
            [*command, "--hypothesis-seed=0", f"--junit-xml={report}", *tests],
            cwd=tree,
            env=_environ(tree),
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired:
        return TestRun({}, {}, f"no end after {timeout_s:.0f} s")
    if done.returncode not in _RAN:
        return TestRun({}, {}, _tail(done.stdout + done.stderr))
    return _read(report, tests, done.stdout)


def _read(report: Path, tests: Sequence[str], output: str) -> TestRun:
    failed = dict.fromkeys(tests, False)
    stumbled: dict[str, str] = {}
    seen: set[str] = set()
    # The file is pytest's own, written a moment ago.
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
        test = next((one for one in tests if name == one or name.startswith(f"{one}[")), None)
        if test is None:
            continue
        seen.add(test)
        if case.find("error") is not None:
            return TestRun(failed, stumbled, f"{name}: an error around the test:\n{_tail(output)}")
        if case.find("failure") is not None:
            failed[test] = True
            properties = {one.get("name"): one.get("value", "") for one in case.iter("property")}
            if properties.get(ASSERTION) != "True":
                stumbled[test] = properties.get(RAISED, "an exception")
    missing = sorted(set(tests) - seen)
    return TestRun(failed, stumbled, f"did not run: {missing}" if missing else "")


def _tail(output: str) -> str:
    return "\n".join(output.strip().splitlines()[-15:])


def try_mutant(mutant: Mutant) -> Outcome:
    """The mutant in a copy of its own. It is killed when each of its tests fails by what it asserts."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rensou-mutant-") as folder:
        tree = Path(folder)
        # PostgreSQL's own account may have to pass through.
        tree.chmod(0o755)
        copy_tree(tree)
        try:
            mutant.apply(tree)
        except MutantError as error:
            return Outcome(mutant, Verdict.BROKEN, time.monotonic() - started, str(error))
        run = run_tests(tree, mutant.tests)
    seconds = time.monotonic() - started
    if run.fault:
        return Outcome(mutant, Verdict.BROKEN, seconds, run.fault)
    blind = [test for test, failed in run.failed.items() if not failed]
    if blind:
        return Outcome(mutant, Verdict.SURVIVED, seconds, "did not notice: " + ", ".join(blind))
    if run.stumbled:
        ends = ", ".join(f"{test} ({names})" for test, names in run.stumbled.items())
        return Outcome(mutant, Verdict.STUMBLED, seconds, "failed, and not by an assertion: " + ends)
    return Outcome(mutant, Verdict.KILLED, seconds)


def _are_green(mutants: Sequence[Mutant]) -> bool:
    """Whether the named tests pass on the source as it is."""
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    print(f"{len(tests)} named tests without a mutation ... ", end="", flush=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rensou-mutant-") as folder:
        tree = Path(folder)
        tree.chmod(0o755)
        copy_tree(tree)
        run = run_tests(tree, tests, timeout_s=2 * TIMEOUT_S)
    red = sorted(test for test, failed in run.failed.items() if failed)
    print("green" if not red and not run.fault else "RED", f"({time.monotonic() - started:.0f} s)")
    for line in (*red, *filter(None, [run.fault])):
        print(f"  {line}")
    return not red and not run.fault


def _show(outcome: Outcome) -> None:
    mutant = outcome.mutant
    print(f"{outcome.verdict.value:<9}{outcome.seconds:>5.0f} s  {mutant.name:<36} {mutant.breaks}", flush=True)
    for line in outcome.detail.splitlines():
        print(f"           {line}")


def _chosen(only: Sequence[str]) -> list[Mutant]:
    mutants = load_mutants()
    unknown = set(only) - {mutant.name for mutant in mutants}
    if unknown:
        raise MutantError(f"no such mutant: {', '.join(sorted(unknown))}")
    return [mutant for mutant in mutants if not only or mutant.name in only]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="make mutants", description="Does a named test notice each named fault?")
    parser.add_argument("only", nargs="*", help="names of mutants (default: all)")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 4), help="how many at once")
    chosen = parser.parse_args(arguments)
    try:
        mutants = _chosen(chosen.only)
    except MutantError as error:
        print(error, file=sys.stderr)
        return 2
    if not _are_green(mutants):
        _conclude(len(mutants), 0)
        return 1
    outcomes = _try_all(mutants, chosen.jobs)
    count = Counter(one.verdict for one in outcomes)
    _conclude(len(outcomes), count[Verdict.KILLED])
    return 2 if count[Verdict.BROKEN] else int(count[Verdict.KILLED] < len(outcomes))


def _try_all(mutants: Sequence[Mutant], jobs: int) -> list[Outcome]:
    """What became of each mutant, shown as it comes."""
    started = time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        outcomes: list[Outcome] = []
        for outcome in pool.map(try_mutant, mutants):
            _show(outcome)
            outcomes.append(outcome)
    count = Counter(one.verdict for one in outcomes)
    summary = ", ".join(f"{count[verdict]} {verdict.value.lower()}" for verdict in Verdict)
    print(f"{len(outcomes)} mutants: {summary} ({time.monotonic() - started:.0f} s)")
    return outcomes


def _conclude(mutants: int, killed: int) -> None:
    """The last line, for programs."""
    print(json.dumps({"mutants": mutants, "killed": killed}))


if __name__ == "__main__":
    sys.exit(main())
