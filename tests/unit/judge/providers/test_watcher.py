"""Processes that multiprocessing started end with a process that is killed, and with no other."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

PARENT = """
import multiprocessing, subprocess, sys, time
from mmeval.judge.providers._watcher import Watcher

def sleep(stubborn):
    if stubborn:
        import signal
        signal.signal(signal.SIGTERM, lambda *_: None)
    time.sleep(300)

if __name__ == "__main__":
    watcher = Watcher()
    spawn = multiprocessing.get_context("spawn")
    child = spawn.Process(target=sleep, args=(False,), daemon=True)
    child.start()
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    time.sleep(2)
    print(child.pid, other.pid, flush=True)
    if sys.stdin.readline().strip() == "close":
        watcher.close()
    print("closed", flush=True)
    sys.stdin.readline()
"""


def running(number: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize("ending", ["killed", "closed"])
def test_what_is_left_of_a_process(tmp_path: Path, ending: str) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdin is not None and parent.stdout is not None
        child, other = map(int, parent.stdout.readline().split())
        if ending == "closed":
            parent.stdin.write("close\n")
            parent.stdin.flush()
            assert parent.stdout.readline() == "closed\n"
        parent.kill()
    until = time.monotonic() + (20 if ending == "killed" else 2)
    while running(child) and time.monotonic() < until:
        time.sleep(0.1)
    left = running(child), running(other)
    for number in (child, other):
        subprocess.run(["kill", "-9", str(number)], capture_output=True)
    assert left == (ending == "closed", True)
