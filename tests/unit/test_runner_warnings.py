"""What a score tells of the file it was made from, and of what was missing for it."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import ResultError, UsageError
from mmeval.readers import layout
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
    assert warnings(path) == ["1 id occurs more than once (2); their rows are invalid"]
    rows = json.loads(path.with_name("score.json").read_bytes())["samples"]
    assert [row["status"] for row in rows] == ["ok", "invalid", "invalid", "ok"]
    assert rows[1]["reason"].startswith("duplicate-id")


def test_rows_without_an_id_are_named_by_their_position(write_run: Write, sample_row: Make) -> None:
    rows = [sample_row(number, "3", "3") for number in range(3)]
    del rows[1]["eval-id"]
    path = write_run(rows)
    assert warnings(path) == ["1 row has no eval-id; their position stands in for it"]
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


def test_a_headline_over_no_row_is_told(write_run: Write, sample_row: Make) -> None:
    counts = {"name": "a", "reduce": "mean", "over": ["nowhere"], "headline": True}
    path = write_run(
        [sample_row(1, "3", "3")], {"score_pipeline": ["exact-match"], "score_aggregates": [counts]}
    )
    assert warnings(path) == ["no row counts for the headline a; check its over and where"]


@pytest.mark.parametrize(
    ("rows", "remedy"),
    [
        pytest.param([1, 1], "give every row an eval-id of its own", id="duplicate-ids"),
        pytest.param([None, "deep"], "write the file again", id="no-rows-at-all"),
        pytest.param(["no-gold"], "check the fields that hold gold and prediction", id="no-gold"),
    ],
)
def test_what_to_do_about_a_run_of_invalid_rows(
    write_run: Write, sample_row: Make, rows: list[Any], remedy: str
) -> None:
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    made = {1: sample_row(1, "3", "3"), None: None, "deep": {"eval-id": 2, "x": deep}}
    made["no-gold"] = sample_row(3, None, "3")
    path = write_run([])
    path.write_text(json.dumps([made[row] for row in rows]))
    with pytest.raises(ResultError, match=remedy):
        score_run(path, Job())


def test_a_file_that_is_written_to_meanwhile_has_no_score(
    write_run: Write, sample_row: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "MAP_FROM", 1)
    path = write_run([sample_row(number, "3", "3") for number in range(600)])
    content = path.read_bytes()

    def write_into(rows: int) -> None:
        path.write_bytes(content)
        os.utime(path, (1, 1))

    with pytest.raises(ResultError, match="was written to while it was read; score it when it is complete"):
        score_run(path, Job(), write_into)
    assert not path.with_name("score.json").exists()


def test_a_file_that_is_replaced_meanwhile_was_read_whole(
    write_run: Write, sample_row: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "MAP_FROM", 1)
    path = write_run([sample_row(number, "3", "3") for number in range(600)])
    before = hashlib.sha256(path.read_bytes()).hexdigest()

    def replace(rows: int) -> None:
        path.with_name("new").write_text("[]")
        path.with_name("new").replace(path)

    score_run(path, Job(), replace)
    made = json.loads(path.with_name("score.json").read_bytes())
    assert made["provenance"]["result"]["sha256"] == before
    assert made["summary"]["correct"] == 600


def test_a_headline_over_no_row_tells_why(tmp_path: Path) -> None:
    """AP has to know one reply of each row; several of them have none that counts."""
    box = '[{"bbox": [1, 1, 2, 2], "label": "dog"}]'
    meta = {
        "score_pipeline": ["box-ap"],
        "score_predictions": "all",
        "score_params": {"grid": "pixels", "form": "xywh"},
        "score_aggregates": [{"name": "AP", "reduce": "box-ap", "headline": True}],
    }
    path = tmp_path / "result.json"
    messages = [{"question": "?"}, {"response": [box, box]}]
    answer = [{"bbox": [1, 1, 2, 2], "label": "dog"}]
    path.write_text(
        json.dumps([{"eval-id": 1, "answer": answer, "messages": messages, "dataset_meta": meta}])
    )
    (said,) = warnings(path)
    assert said.startswith("no row counts for the headline AP: 1 of 1 rows carry no boxes (first: sample 1)")
    assert said.endswith("of several predictions one counts (--score_predictions first)")
