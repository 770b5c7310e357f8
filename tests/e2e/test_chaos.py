"""`make chaos` at a small size: everything fails at once, and nothing is lost."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).parents[2]
# Six parts, five deaths, a poisoned text and the leases that it takes: about a minute.
_SECONDS = 220


@pytest.mark.timeout(300)
async def test_nothing_is_lost_while_everything_fails(tmp_path: Path) -> None:
    """B28"""
    arguments = ("--records", "150", "--poisons", "1", "--kills", "5", "--seconds", str(_SECONDS), "--logs", tmp_path)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        _REPOSITORY / "bench" / "chaos.py",
        *map(str, arguments),
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        output, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()
    assert process.returncode == 0, said.decode()[-4_000:] + output.decode()
    figures = json.loads(output.splitlines()[-1])
    assert (figures["lost"], figures["wrong"], figures["dead"]) == (0, 0, 1)
    assert figures["complete"] == 149 - figures["forgotten"]
    assert figures["kills"] >= 5 and figures["fenced"] > 0
