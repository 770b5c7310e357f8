"""The named mutations: what each breaks, where, and which tests must notice."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


class MutantError(Exception):
    """A mutation that does not fit the source any more, or is written wrongly."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small change of the source that each of its tests must turn red on.

    Attributes:
        name: How it is called on the command line.
        breaks: The promise that no longer holds, as a sentence.
        file: A path from the root, or a pattern (`**` and `*`) where the text may move from one file to another.
        before: Text that stands exactly once in those files.
        after: What stands there instead.
        tests: Ids of pytest; each must fail, one with parameters for some of them.
    """

    name: str
    breaks: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]

    def apply(self, root: Path) -> Path:
        """Changes the file under `root` and returns it.

        Raises:
            MutantError: `before` stands there more or less than once.
        """
        found = [path for path in sorted(root.glob(self.file)) if self.before in path.read_text(encoding="utf-8")]
        times = sum(path.read_text(encoding="utf-8").count(self.before) for path in found)
        if times != 1:
            raise MutantError(f"{self.name}: the text stands {times} times in {self.file}, and must once")
        text = found[0].read_text(encoding="utf-8")
        found[0].write_text(text.replace(self.before, self.after), encoding="utf-8")
        return found[0]


def load_mutants(folder: Path = HERE) -> list[Mutant]:
    """Every mutation of `folder`, by file and in the order written.

    Raises:
        MutantError: A field is missing, unknown or empty, a change changes nothing, or a name stands twice.
    """
    mutants: list[Mutant] = []
    for path in sorted(folder.glob("*.toml")):
        mutants += [_parse(entry, path.name) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]]
    names = [mutant.name for mutant in mutants]
    for name in names:
        if names.count(name) > 1:
            raise MutantError(f"{name}: the name stands twice")
    return mutants


def _parse(entry: dict[str, str | list[str]], file: str) -> Mutant:
    name = entry.get("name", "?")
    if set(entry) != {"name", "breaks", "file", "before", "after", "tests"}:
        raise MutantError(f"{file}: {name}: the fields are name, breaks, file, before, after, tests")
    texts = {key: value for key, value in entry.items() if isinstance(value, str)}
    tests = entry["tests"]
    if not isinstance(tests, list) or not tests or len(texts) != len(entry) - 1 or not texts["before"]:
        raise MutantError(f"{file}: {name}: tests is a list that is not empty, and the others are texts")
    if texts["before"] == texts["after"]:
        raise MutantError(f"{file}: {name}: nothing changes")
    return Mutant(**texts, tests=tuple(tests))
