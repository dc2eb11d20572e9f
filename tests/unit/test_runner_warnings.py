"""What a score tells of the file it was made from, and of what was missing for it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import UsageError
from mmeval.reports import scorefile_reader
from mmeval.runner import Job, score_run

Write = Callable[..., Path]
Make = Callable[..., dict[str, Any]]


def warnings(path: Path) -> list[str]:
    found = score_run(path, Job(force=True)).summary["warnings"]
    assert isinstance(found, list)
    return found


def test_a_plain_run_has_no_warnings(write_run: Write, sample_row: Make) -> None:
    assert warnings(write_run([sample_row(1, "3", "3")])) == []


def test_ids_that_occur_twice_are_told_and_invalid(write_run: Write, sample_row: Make) -> None:
    path = write_run([sample_row(number, "3", "3") for number in (1, 2, 2, 3)])
    assert warnings(path) == ["1 ids occur more than once (2); their rows are invalid"]
    rows = json.loads(path.with_name("score.json").read_bytes())["samples"]
    assert [row["status"] for row in rows] == ["ok", "invalid", "invalid", "ok"]
    assert rows[1]["reason"].startswith("duplicate-id")


def test_rows_without_an_id_are_named_by_their_position(write_run: Write, sample_row: Make) -> None:
    rows = [sample_row(number, "3", "3") for number in range(3)]
    del rows[1]["eval-id"]
    path = write_run(rows)
    assert warnings(path) == ["1 rows have no eval-id; their position stands in for it"]
    made = json.loads(path.with_name("score.json").read_bytes())["samples"]
    assert [row["eval-id"] for row in made] == [0, 1, 2]


def test_rows_without_the_block_of_the_others_are_told(write_run: Write, sample_row: Make) -> None:
    rows = [sample_row(number, "3", "3") for number in range(3)]
    rows[0]["dataset_meta"] = {"score_pipeline": ["mra"]}
    (said,) = warnings(write_run(rows))
    assert "2 of 3 rows carry no dataset_meta" in said


def test_parquet_needs_a_library_and_says_so(
    write_run: Write, sample_row: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_run([sample_row(1, "3", "3")])
    scored = score_run(path, Job(rows="parquet"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'mmeval-score\[tables\]'"):
        score_run(path, Job(rows="parquet", force=True))
    with pytest.raises(UsageError, match=r"pip install 'mmeval-score\[tables\]'"):
        scorefile_reader.samples(scorefile_reader.load(scored.score))
