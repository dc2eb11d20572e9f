"""What is printed: text that cannot command the terminal, whatever a model or a dataset put into it."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO

import typer

from mmeval.errors import UsageError
from mmeval.text.terminal_cells import visible


def say(text: str, err: bool = False) -> None:
    """Print a text, if anybody is there to take it.

    A closed stream, a reader that has left (`| head -1`) and a full disk behind standard error change nothing
    about the exit code.

    Raises:
        UsageError: standard output cannot be written, for another reason than that its reader left.
    """
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        return
    try:
        typer.echo(visible(text), file=stream)
    except BrokenPipeError:
        _discard(stream)
    except OSError as error:
        _discard(stream)
        if not err:
            raise UsageError(f"standard output cannot be written ({error.strerror})") from None


def put(data: bytes) -> None:
    """Print the bytes of a file as they are; to a terminal as text that cannot command it.

    Raises:
        UsageError: standard output cannot be written, for another reason than that its reader left.
    """
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None or sys.stdout.isatty():
        say(data.decode("utf-8", "replace").removesuffix("\n"))
        return
    try:
        sys.stdout.flush()
        buffer.write(data)
        buffer.flush()
    except BrokenPipeError:
        _discard(sys.stdout)
    except OSError as error:
        _discard(sys.stdout)
        raise UsageError(f"standard output cannot be written ({error.strerror})") from None


def _discard(stream: TextIO) -> None:
    """Let the stream write into nothing, so that what is still in its buffer cannot fail at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def tolerate() -> None:
    """Let standard output and error spell out what their encoding cannot write, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
