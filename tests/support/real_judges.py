"""What tests of judges that really run share: a run that only a judge can settle, and the command on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SUPPORT = Path(__file__).resolve().parent
CITIES = ("Paris", "Rome", "Oslo", "Cairo", "Lima", "Quito")
# One gigabyte is enough for a model that is tiny, and nothing is looked for on the network.
QUIET = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}


def named_python(variable: str) -> str:
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"{variable} does not name a Python with a judge (scripts/judges makes one)")
    return python


def run_of(folder: Path) -> Path:
    """A run that only a judge can settle."""
    rows = [
        {
            "eval-id": number,
            "answer": city,
            "messages": [
                {"role": "user", "question": f"Which city is on picture {number}?"},
                {"role": "assistant", "response": f"That would be the town of {city[::-1]}."},
            ],
        }
        for number, city in enumerate(CITIES)
    ]
    folder.mkdir()
    (folder / "result.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


def command(run: Path, out: Path, cache: Path, *flags: str, python: str = sys.executable) -> list[str]:
    base = [python, "-m", "mmeval", "score", "--results", str(run), "--score_pipeline", "llm-judge"]
    return [*base, "--out", str(out), "--judge_cache", str(cache), "--force", *flags]


def score(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **QUIET}
    return subprocess.run(arguments, capture_output=True, text=True, timeout=600, env=environment)


def score_file(out: Path) -> bytes:
    (found,) = out.rglob("*score.json")
    return found.read_bytes()


def check_scored(out: Path, model: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(score_file(out))
    for sample in made["samples"]:
        assert sample["status"] == "ok"
        assert sample["score"] in (0.0, 1.0)
        assert sample["decided_by"] == "llm-judge"
    assert len(made["samples"]) == len(CITIES)
    assert model in json.dumps(made["config"])
    return made
