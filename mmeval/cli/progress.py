"""Progress on standard error: a bar on a terminal, a line per run otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from mmeval.cli.output import say
from mmeval.text.terminal_cells import visible

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


class Progress:
    """How far the scoring is; also the place where errors of single runs are told."""

    def __init__(self, runs: int) -> None:
        self._runs = runs
        self._done = 0
        self._bar: Bar | None = None

    def __enter__(self) -> Progress:
        """Start the bar, if somebody can see it."""
        if sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
            )
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
        return self

    def run(self, path: Path) -> Callable[[int], None]:
        """Announce a run; what is returned is told how many more rows are settled."""
        self._done += 1
        if self._bar is None:
            say(f"[{self._done}/{self._runs}] {path}", err=True)
            return lambda rows: None
        bar = self._bar
        task = bar.add_task(
            f"[{self._done}/{self._runs}] {visible(path.parent.name or path.name)}", total=None
        )
        return lambda rows: bar.update(task, advance=rows)

    def error(self, message: str) -> None:
        """Tell an error without tearing the bar."""
        if self._bar is not None:
            self._bar.console.print(f"error: {visible(message)}", markup=False, highlight=False)
        else:
            say(f"error: {message}", err=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
