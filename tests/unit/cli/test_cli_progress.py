"""Progress: a bar where somebody can see it, a line per run otherwise."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from mmeval.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(patch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal; within a test, for pytest sets its own before each."""
    made = Terminal()
    patch.setattr(sys, "stderr", made)
    patch.setenv("TERM", "xterm")
    return made


def test_a_line_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(2) as progress:
        progress.run(Path("a/result.json"))(512)
        progress.error("b is broken")
        progress.run(Path("c/result.json"))
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["[1/2] a/result.json", "error: b is broken", "[2/2] c/result.json"]


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    with Progress(1) as progress:
        told = progress.run(Path("a/result.json"))
        told(512)
        told(88)
        progress.error("[b] is broken, in [red]brackets[/red]")
    said = stderr.getvalue()
    assert "error: [b] is broken, in [red]brackets[/red]" in said
    assert "[1/1] a" in said
    assert "600/?" in said


def test_an_error_on_the_way_out_takes_the_bar_along(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    with pytest.raises(ValueError, match="x"), Progress(1) as progress:
        progress.run(Path("a/result.json"))(1)
        raise ValueError("x")
    hidden, shown = stderr.getvalue().rfind("\x1b[?25l"), stderr.getvalue().rfind("\x1b[?25h")
    assert 0 <= hidden < shown, "the cursor is back"
