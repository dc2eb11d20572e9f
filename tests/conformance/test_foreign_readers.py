"""Our exports, read by those for whom they are written: Inspect, pandas, the library of the Hub."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mmeval import Job, score
from mmeval.exports import csv_table, huggingface, inspect_log, parquet_table
from mmeval.exports.options import Exporter, Options
from mmeval.exports.runs import gather

HERE = Path(__file__).resolve().parent
ABSENT = 77
HOSTILE = [
    "A",
    "=cmd|' /C calc'!A0",
    'a "b",\nc\r\nd',
    "",
    "NA",
    "\u6a21\u578b \U0001f600",
    "A\x00\u2028B",
    "-1+1",
]


def run(script: str, *words: str) -> str:
    """What a script says with the peers' Python; skips where there is none, or not that package."""
    python = os.environ.get("MMEVAL_PEERS_PYTHON")
    if not python:
        pytest.skip("MMEVAL_PEERS_PYTHON does not name a Python with the peers")
    ran = subprocess.run([python, str(HERE / script), *words], capture_output=True, text=True, check=False)
    if ran.returncode == ABSENT:
        pytest.skip(ran.stdout.strip().splitlines()[-1])
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def read(reader: str, *files: Path) -> Any:
    return json.loads(run("foreign_readers.py", reader, *map(str, files)).splitlines()[-1])


def exported(exporter: Exporter, scored: Path, target: Path, **options: Any) -> Path:
    target.write_bytes(b"".join(exporter(gather([f"org/m={scored}"]), Options(**options), str)))
    return target


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """A run whose answers are hostile, scored."""
    rows = [
        {
            "eval-id": number,
            "messages": [
                {"role": "user", "question": f"Which {number}?", "options": {"A": "cat", "B": "dog"}},
                {"role": "assistant", "response": text},
            ],
            "answer": "A",
        }
        for number, text in enumerate(HOSTILE, 1)
    ]
    (tmp_path / "result.json").write_text(json.dumps(rows), encoding="utf-8")
    return score(str(tmp_path / "result.json"), Job()).score


def test_inspect_reads_the_log(scored: Path, tmp_path: Path) -> None:
    told = read("inspect", exported(inspect_log.export, scored, tmp_path / "log.json"))
    assert (told["model"], told["total"]) == ("org/m", len(HOSTILE))
    assert told["metrics"]["accuracy"] == pytest.approx(1 / len(HOSTILE))
    assert told["samples"][0] == [1, 1, "Which 1?", "A", "A", 1.0]
    assert [row[4] for row in told["samples"]] == HOSTILE


def test_inspect_puts_our_scores_onto_its_own_log(tmp_path: Path) -> None:
    run("foreign_writers.py", "inspect", str(tmp_path))
    for name, expected in (
        ("mcq", [["cat-1", 1, 1.0], [2, 1, 0.0]]),
        # The first answer alone was scored: nothing is said of the second epoch.
        ("twice", [[1, 1, 1.0], [1, 2, None], [2, 1, 0.0], [2, 2, None]]),
    ):
        (log,) = (tmp_path / "eval" / name).glob("*.eval")
        made = score(str(log), Job()).score
        records = exported(inspect_log.scores, made, tmp_path / f"{name}.json")
        assert sorted(read("inspect-scores", log, records), key=str) == sorted(expected, key=str)


def test_pandas_reads_the_tables(scored: Path, tmp_path: Path) -> None:
    told = read(
        "tables",
        exported(csv_table.export, scored, tmp_path / "t.csv", rows=True),
        exported(parquet_table.export, scored, tmp_path / "t.parquet", rows=True),
    )
    assert told["columns"] and told["pred"]
    assert told["rows"] == HOSTILE
    assert told["score"] == [1.0, *[0.0] * (len(HOSTILE) - 1)]


def test_the_hub_reads_the_results(scored: Path, tmp_path: Path) -> None:
    told = read(
        "hub",
        exported(huggingface.export, scored, tmp_path / "r.yaml", dataset_id="a/b", date="2025-01-15"),
    )
    assert told == [["a/b", "default", pytest.approx(1 / len(HOSTILE)), "2025-01-15"]]
