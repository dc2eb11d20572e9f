"""The table per image and category beside a score of boxes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from mmeval import Job, score
from mmeval.errors import UsageError
from mmeval.readers import discover

PROTOCOL: dict[str, Any] = {
    "score_pipeline": ["box-ap"],
    "score_params": {"grid": "pixels", "form": "xywh"},
    "score_resources": {"tool_detections": {"kind": "rows", "path": "tool_detections", "optional": True}},
    "score_aggregates": [{"name": "counts", "reduce": "box-counts", "headline": True}],
}


def row(name: int, answer: Any, reply: Any) -> dict[str, Any]:
    text = None if reply is None else json.dumps(reply)
    messages = [{"question": "?"}, {"response": text}]
    return {"eval-id": name, "answer": answer, "messages": messages, "dataset_meta": PROTOCOL}


def box(x: float, label: str) -> dict[str, Any]:
    return {"bbox": [x, 0, 10, 10], "label": label}


ROWS = [
    row(1, [box(0, "cat"), box(50, "=dog")], [box(0, "cat"), box(20, "cat")]),
    row(2, [box(0, "cat")], [box(0, "cat")]),
    row(3, [box(0, "cat")], None),
    row(4, [], []),
]


def run(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "result.json"
    path.write_text(json.dumps(rows))
    return path


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_worst_first_and_no_row_without_a_reply_is_lost(tmp_path: Path) -> None:
    scored = score(run(tmp_path, ROWS))
    found = table(tmp_path / "score_per_row.csv")
    assert [(each["image"], each["category"], each["f1"]) for each in found] == [
        ("1", "=dog", "0.0"),
        ("3", "cat", "0.0"),
        ("1", "cat", "0.6666666666666666"),
        ("2", "cat", "1.0"),
    ]
    assert found[2] == {
        **{"image": "1", "category": "cat", "tp": "1", "fp": "1", "fn": "0"},
        **{"mean_iou": "1.0", "precision": "0.5", "recall": "1.0", "f1": "0.6666666666666666"},
    }
    assert scored.summary["invalid"] == 1
    assert not (tmp_path / "score_constant_per_row.csv").exists()


def test_the_second_score_mode_has_a_table_of_its_own(tmp_path: Path) -> None:
    tools = tmp_path / "tool_detections"
    tools.mkdir()
    (tools / "1.json").write_text(json.dumps([{"bbox": [4, 0, 14, 10], "score": 0.9, "label": "cat"}]))
    path = run(tmp_path, [row(1, [box(5, "cat")], [box(1, "cat")])])
    score(path)
    assert [each["tp"] for each in table(tmp_path / "score_per_row.csv")] == ["1"]
    assert [each["tp"] for each in table(tmp_path / "score_constant_per_row.csv")] == ["0"]
    (tools / "1.json").unlink()
    tools.rmdir()
    score(path)
    assert [each["tp"] for each in table(tmp_path / "score_per_row.csv")] == ["0"]
    assert not (tmp_path / "score_constant_per_row.csv").exists()


def test_no_table_without_boxes(tmp_path: Path) -> None:
    text = {"eval-id": 1, "answer": "B", "messages": [{"question": "?"}, {"response": "B"}]}
    score(run(tmp_path, [text]))
    assert [path.name for path in tmp_path.glob("*.csv")] == []


def test_a_table_is_no_run(tmp_path: Path) -> None:
    score(run(tmp_path, ROWS), Job(out=tmp_path / "a.score.json"))
    found = tmp_path / "a.score_per_row.csv"
    assert found.is_file()
    assert discover(tmp_path, None, (".csv", ".json")) == [tmp_path / "result.json"]
    with pytest.raises(UsageError, match="is a file that mmeval wrote"):
        discover(found, None)


def test_a_table_that_is_missing_is_made_again(tmp_path: Path) -> None:
    """Deleted, or lost with a process that ended between the two files: the score is not up to date."""
    path = run(tmp_path, ROWS)
    score(path)
    assert score(path).up_to_date
    table_path = tmp_path / "score_per_row.csv"
    before = table_path.read_bytes()
    table_path.unlink()
    assert not score(path).up_to_date
    assert table_path.read_bytes() == before


def test_no_score_stands_without_its_table(tmp_path: Path) -> None:
    path = run(tmp_path, ROWS)
    (tmp_path / "score_per_row.csv").mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        score(path)
    assert not (tmp_path / "score.json").exists()


def test_the_table_of_an_earlier_score_goes(tmp_path: Path) -> None:
    score(run(tmp_path, ROWS))
    plain = [
        {
            **row(1, "cat", "cat"),
            "dataset_meta": {"score_pipeline": ["exact-match"]},
            "messages": [{"question": "?"}, {"response": "cat"}],
        }
    ]
    score(run(tmp_path, plain))
    assert not list(tmp_path.glob("*.csv"))
