"""Same inputs, same bytes: twice, from another folder, under any hash seed, and as written here before."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mmeval import score
from mmeval.runner import Job

HERE = Path(__file__).resolve().parent
RUNS = HERE.parent / "fixtures" / "runs"
NAMES = ("sampled", "spatial_route")
CODE = "import sys; from mmeval import score; score(sys.argv[1])"


def scored(path: Path) -> bytes:
    return score(path, Job(force=True)).score.read_bytes()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    shutil.copytree(RUNS, tmp_path / "runs", ignore=shutil.ignore_patterns("*score.json"))
    return tmp_path / "runs"


def libraries(document: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(document)["provenance"]["libraries"]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_bytes_are_the_golden_ones(copied: Path, name: str) -> None:
    """But for library versions; `tests/fixtures/write_fixtures.py --golden` writes wanted changes."""
    made = scored(copied / name / "result.json")
    golden = (HERE / f"{name}.score.json").read_bytes()
    now = libraries(made)
    for library, version in libraries(golden).items():
        golden = golden.replace(
            f'"{library}": "{version}"'.encode(), f'"{library}": "{now[library]}"'.encode()
        )
    assert made.decode().splitlines() == golden.decode().splitlines()
    assert made == golden


@pytest.mark.parametrize("name", NAMES)
def test_scoring_twice_gives_the_same_bytes(copied: Path, name: str) -> None:
    path = copied / name / "result.json"
    assert scored(path) == scored(path)


@pytest.mark.parametrize("name", NAMES)
def test_the_folder_leaves_no_trace(copied: Path, tmp_path: Path, name: str) -> None:
    other = tmp_path / "elsewhere" / "deeper"
    shutil.copytree(copied / name, other)
    assert scored(copied / name / "result.json") == scored(other / "result.json")


def test_the_hash_seed_leaves_no_trace(copied: Path, tmp_path: Path) -> None:
    made = set()
    for seed in ("0", "1", "4242"):
        folder = tmp_path / seed
        shutil.copytree(copied / "mmbench_circular", folder)
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", CODE, "result.json"], cwd=folder, env=environment, check=True)
        made.add((folder / "score.json").read_bytes())
    assert len(made) == 1


def test_rows_in_another_order_give_the_same_verdicts(copied: Path) -> None:
    path = copied / "mmbench_circular" / "result.json"
    before = json.loads(scored(path))
    path.write_text(json.dumps(json.loads(path.read_text())[::-1]))
    after = json.loads(scored(path))
    assert after["samples"] == before["samples"][::-1]
    assert after["summary"] == before["summary"]
