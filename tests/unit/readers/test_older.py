"""Files of simple-mmeval of older generations, and its scores as recorded verdicts (@ b10e70b, 0d2abcf)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import ResultError, UsageError
from mmeval.readers.foreign import Choice
from mmeval.readers.older import read

Make = Callable[..., dict[str, Any]]


def written(folder: Path, rows: list[Any], score: Any = None) -> Path:
    (folder / "result.json").write_text(json.dumps(rows), encoding="utf-8")
    if score is not None:
        (folder / "score.json").write_text(json.dumps(score), encoding="utf-8")
    return folder / "result.json"


def test_the_gold_moves_to_the_top(tmp_path: Path, make_row: Make) -> None:
    row = make_row(0)
    row["messages"][0]["answer"] = row.pop("answer")
    (made,) = read(written(tmp_path, [row]), Choice()).rows
    assert made["answer"] == "B"
    assert "answer" not in made["messages"][0]  # type: ignore[index,call-overload,operator]


def test_the_retired_score_type_is_left_out_and_named(tmp_path: Path, make_row: Make) -> None:
    row = make_row(0, dataset_meta={"dataset_name": "d", "score_type": "vqa"})
    found = read(written(tmp_path, [row]), Choice())
    assert found.rows[0]["dataset_meta"] == {"dataset_name": "d"}
    assert any("score_type is retired and was not carried" in text for text in found.warnings)


# Rows of their score files, by generation, and what is recorded of them.
SCORES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "today",
        {"decided_by": "rule-match", "matched": "B", "score": 1.0, "is_correct": 1, "status": "ok"},
        {"score": 1, "extracted": "B", "metric": "rule-match"},
    ),
    (
        "before",
        {"matcher_used": "template", "matched": "B", "is_correct": 1},
        {"score": 1, "extracted": "B", "metric": "template"},
    ),
    (
        "undecided",
        {"decided_by": None, "matched": None, "score": 0.0, "status": "ok"},
        {"score": 0, "extracted": None, "metric": None},
    ),
    (
        "failed",
        {"decided_by": None, "matched": None, "score": 0.0, "status": "ok", "reason": "llm_error: timeout"},
        {"score": None, "extracted": None, "metric": None},
    ),
    (
        "invalid",
        {"decided_by": None, "matched": None, "score": 0.0, "status": "invalid"},
        {"score": None, "extracted": None, "metric": None},
    ),
]


@pytest.mark.parametrize(("sample", "wanted"), [s[1:] for s in SCORES], ids=[s[0] for s in SCORES])
def test_their_verdicts(tmp_path: Path, make_row: Make, sample: Any, wanted: Any) -> None:
    score = {"summary": {}, "config": {"score_pipeline": []}, "samples": [{"eval-id": "0", **sample}]}
    found = read(written(tmp_path, [make_row(0), make_row(1)], score), Choice())
    assert found.rows[0]["recorded"] == {**wanted, "by": "simple-mmeval"}
    assert "recorded" not in found.rows[1]
    assert [part.file for part in found.parts] == ["result.json", "score.json"]


@pytest.mark.parametrize("score", [None, {"config": {"schema_version": 1}, "samples": [{"eval-id": 0}]}, []])
def test_nothing_to_import(tmp_path: Path, make_row: Make, score: Any) -> None:
    with pytest.raises(ResultError, match="there is nothing to import; score it as it is"):
        read(written(tmp_path, [make_row(0)], score), Choice())


def test_nothing_to_choose(tmp_path: Path, make_row: Make) -> None:
    with pytest.raises(UsageError, match="have none"):
        read(written(tmp_path, [make_row(0)]), Choice(filter="x"))
