"""Where a score must not go, and what becomes of output that nobody can take."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]
Command = Callable[..., "subprocess.CompletedProcess[str]"]
OPTIONS = {"A": "red", "B": "blue"}


@pytest.fixture
def run(write_run: Write, sample_row: Callable[..., dict[str, Any]]) -> Path:
    return write_run([sample_row(number, "B", "B", options=OPTIONS) for number in range(1, 5)], None)


@pytest.fixture
def shell(run: Path) -> Command:
    """A command line of a shell in the run's folder, `mmeval` for the command."""

    def call(line: str) -> subprocess.CompletedProcess[str]:
        told = line.replace("mmeval", f"'{sys.executable}' -m mmeval", 1)
        return subprocess.run(
            ["sh", "-c", told], cwd=run.parent, capture_output=True, text=True, timeout=60, check=False
        )

    return call


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("result.json", None, id="the-predictions-themselves"),
        pytest.param("other.json", "[1, 2]", id="another-array"),
        pytest.param("metadata.json", '{"subsets": {}}', id="metadata"),
        pytest.param("notes.json", "no json", id="no-json"),
    ],
)
def test_a_score_never_replaces_anything_else(
    shell: Command, run: Path, name: str, content: str | None
) -> None:
    target = run.with_name(name)
    if content is not None:
        target.write_text(content)
    before = target.read_bytes()
    done = shell(f"mmeval score --results result.json --out {name}")
    assert done.returncode == 2
    assert f"--out {name}: holds something else than a score; give a name that is free" in done.stderr
    assert target.read_bytes() == before


def test_a_score_replaces_a_score(shell: Command, run: Path) -> None:
    assert shell("mmeval score --results result.json --out mine.json").returncode == 0
    assert shell("mmeval score --results result.json --out mine.json --force").returncode == 0
    assert json.loads(run.with_name("mine.json").read_bytes())["summary"]["total"] == 4
