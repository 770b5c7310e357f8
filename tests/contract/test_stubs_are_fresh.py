"""The committed stubs are what the contract gives."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "proto" / "gen"


def stubs(folder: Path) -> dict[str, bytes]:
    """Every generated file by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in {".py", ".pyi"} and path.name != "__init__.py"
    }


def test_the_committed_stubs_are_what_the_contract_gives(tmp_path: Path) -> None:
    target = tmp_path / "proto" / "gen"
    target.mkdir(parents=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    generated = subprocess.run(
        ["sh", "proto/generate.sh", str(target)],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert generated.returncode == 0, generated.stderr
    fresh, committed = stubs(target), stubs(COMMITTED)
    assert len(fresh) > 10
    assert fresh.keys() == committed.keys(), "run: make proto"
    assert [name for name in fresh if fresh[name] != committed[name]] == [], "run: make proto"
