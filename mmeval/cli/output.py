"""What is printed: text that cannot command the terminal, whatever a model or a dataset put into it."""

from __future__ import annotations

import io
import sys

import typer

# C0 and C1 controls but for the line feed: an answer may hold escape sequences. The form is also JSON's.
_CONTROLS = {code: f"\\u{code:04x}" for code in (*range(32), *range(127, 160)) if code != 10}


def visible(text: str) -> str:
    """The same text with every control character spelled out."""
    return text.translate(_CONTROLS)


def say(text: str, err: bool = False) -> None:
    """Print a text."""
    typer.echo(visible(text), err=err)


def tolerate() -> None:
    """Let standard output and error spell out what their encoding cannot write, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
