"""What the person at the terminal sees: a live line for each thing that takes time, plain lines elsewhere."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console as RichConsole
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


class Console:
    """Progress and notices on standard error, so that standard output stays the command's result."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._out = RichConsole(file=sys.stderr, quiet=quiet, highlight=False, markup=False, soft_wrap=True)
        self._progress: Progress | None = None
        self._running = 0

    def say(self, text: str) -> None:
        """Print one line."""
        self._out.print(text)

    def warn(self, text: str) -> None:
        """Print one line that asks for attention."""
        self._out.print(f"warning: {text}", style="yellow")

    @contextmanager
    def step(self, text: str) -> Generator[None]:
        """Show `text` while the block runs, and how long it took. Steps may run at the same time."""
        started = time.monotonic()
        if not self._out.is_terminal:
            self.say(f"{text} …")
            yield
        else:
            with self._live(text):
                yield
        self.say(f"{text}: {time.monotonic() - started:.1f} s")

    @contextmanager
    def _live(self, text: str) -> Generator[None]:
        progress = self._progress
        if progress is None:
            columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
            progress = self._progress = Progress(*columns, console=self._out, transient=True)
            progress.start()
        self._running += 1
        line = progress.add_task(text, total=None)
        try:
            yield
        finally:
            progress.remove_task(line)
            self._running -= 1
            if self._running == 0:
                progress.stop()
                self._progress = None
