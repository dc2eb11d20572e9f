"""A run that is killed, or scored twice at once: the old score stays whole, and so does the new one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.runner import Job, score_run

Rows = list[dict[str, Any]]
Write = Callable[..., Path]
META = {"dataset_name": "T", "score_pipeline": ["exact-match"], "score_protocol": {"status": "official"}}


@pytest.fixture
def rows(sample_row: Callable[..., dict[str, Any]]) -> Rows:
    options = {"A": "red", "B": "blue"}
    return [sample_row(number, "B", "B" if number % 2 else "A", options=options) for number in range(1, 9)]


SLOW = """
import sys, time
from mmeval import score
from mmeval.runner import Job
from mmeval.stages.exact_match import ExactMatch

real = ExactMatch.__call__

def slowly(self, case):
    print("row", flush=True)
    time.sleep(0.2)
    return real(self, case)

ExactMatch.__call__ = slowly
score(sys.argv[1], Job(force=True))
"""


def test_a_kill_leaves_the_old_score(write_run: Write, rows: Rows) -> None:
    path = write_run(rows, META)
    old = score_run(path, Job()).score.read_bytes()
    with subprocess.Popen([sys.executable, "-c", SLOW, path], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"row\n"
        process.send_signal(signal.SIGKILL)
        process.stdout.read()
    assert process.returncode == -signal.SIGKILL
    assert path.with_name("score.json").read_bytes() == old
    assert sorted(each.name for each in path.parent.iterdir()) == ["result.json", "score.json"]
    assert score_run(path, Job()).up_to_date is True


def test_two_processes_leave_a_whole_file(write_run: Write, rows: Rows) -> None:
    many = [{**rows[number % 8], "eval-id": number} for number in range(2000)]
    path = write_run(many, META)
    code = (
        "import sys\nfrom mmeval import score\nfrom mmeval.runner import Job\n"
        "for _ in range(4): score(sys.argv[1], Job(force=True))"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, path]) for _ in range(2)]
    target = path.with_name("score.json")
    while any(process.poll() is None for process in running):
        if target.exists():
            assert json.loads(target.read_bytes())["summary"]["total"] == 2000
        time.sleep(0.02)
    assert [process.returncode for process in running] == [0, 0]
    assert sorted(os.listdir(path.parent)) == ["result.json", "score.json"]
