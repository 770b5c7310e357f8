"""Holds the contract against main's previous commit; the first commit has none."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def git(*arguments: str) -> str:
    """What git prints, or '' when it fails."""
    finished = subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False)
    return finished.stdout.strip() if finished.returncode == 0 else ""


def previous_commit() -> str:
    """The commit that the contract is held against: main's last when this tree is ahead of it, else the one before."""
    head, main = git("rev-parse", "HEAD"), git("rev-parse", "--verify", "--quiet", "origin/main")
    if main and main != head:
        return main
    return git("rev-parse", "--verify", "--quiet", "HEAD~1")


def main() -> int:
    """0 when nothing breaks."""
    against = previous_commit()
    if not against or not git("ls-tree", "--name-only", against, "buf.yaml"):
        print("buf breaking: there is no earlier contract")
        return 0
    folder = Path(tempfile.mkdtemp(prefix="rensou-buf-"))
    try:
        archive = subprocess.run(
            ("git", "archive", against, "proto", "buf.yaml"), cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(("tar", "-x", "-C", str(folder)), input=archive.stdout, check=True)
        return subprocess.run(("buf", "breaking", "--against", str(folder)), cwd=ROOT, check=False).returncode
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
