"""Ends the processes that a process started by multiprocessing, should that one be killed itself.

Run as a script, with the number of the process to watch, and with a pipe from it as standard input: a byte
in the pipe means that all is in order, its end that the process is gone. vLLM's engine does not notice that,
and would keep the memory of its device.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

_EACH = 0.5
_GRACE = 15.0
_MARKS = (b"spawn_main", b"VLLM::")


class Watcher:
    """A process that watches this one."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-E", __file__, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def close(self) -> None:
        """Nothing is left to be ended."""
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate(b".", timeout=_GRACE)


def watch(parent: int) -> set[int]:
    """Wait for the end of a process.

    Returns:
        The processes that it had started and left behind; none where all was in order.
    """
    seen: set[int] = set()
    while not select.select([0], [], [], _EACH)[0]:
        seen |= _children(parent)
    return set() if os.read(0, 1) else seen - {os.getpid()}


def end(left: set[int]) -> None:
    """End processes, first kindly."""
    until = time.monotonic() + _GRACE
    for number in filter(_ours, left):
        _send(number, signal.SIGTERM)
    while time.monotonic() < until and any(map(_ours, left)):
        time.sleep(_EACH)
    for number in filter(_ours, left):
        _send(number, signal.SIGKILL)


def _children(parent: int) -> set[int]:
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{parent}/task").iterdir():
            with contextlib.suppress(OSError):
                found |= {int(number) for number in (thread / "children").read_text().split()}
    return found


def _ours(number: int) -> bool:
    """Whether it is still what multiprocessing started, and no other process that got its number."""
    try:
        command = Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return False
    return any(mark in command for mark in _MARKS)


def _send(number: int, what: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.kill(number, what)


if __name__ == "__main__":
    end(watch(int(sys.argv[1])))
