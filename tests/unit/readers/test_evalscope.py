"""Predictions and reviews of evalscope, joined. Layout: evalscope 1.14.1, `api/evaluator/cache.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import ResultError, UsageError
from mmeval.readers.evalscope import read
from mmeval.readers.foreign import Choice, Foreign


def prediction(index: int, said: Any = "B", **columns: Any) -> dict[str, Any]:
    chat = [{"role": "user", "content": "Which?"}, {"role": "assistant", "content": said}]
    output = {"choices": [{"message": {"role": "assistant", "content": said}}]}
    return {
        "index": index,
        "model": "m",
        "model_output": output,
        "messages": chat,
        "metadata": {"topic": "pets"},
    } | columns


def review(index: int, value: Any, **score: Any) -> dict[str, Any]:
    group = {name: score.pop(name) for name in ("group_id", "generation_index") if name in score}
    said = {"value": value, "extracted_prediction": "b", "prediction": "B", **score}
    return {"index": index, "target": ["B"], "messages": [], "sample_score": {"score": said, **group}}


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def made(folder: Path, predictions: Any, reviews: Any, choice: Choice | None = None) -> Foreign:
    written(folder / "reviews" / "m" / "bench_main.jsonl", reviews)
    return read(written(folder / "predictions" / "m" / "bench_main.jsonl", predictions), choice or Choice())


def test_joined_by_index(tmp_path: Path) -> None:
    found = made(tmp_path, [prediction(0), prediction(1)], [review(1, {"acc": 0.0}), review(0, {"acc": 1.0})])
    assert found.rows[0] == {
        "eval-id": 0,
        "messages": [{"role": "user", "question": "Which?"}, {"role": "assistant", "response": "B"}],
        "answer": "B",
        "dataset_meta": {"dataset_name": "bench_main"},
        "topic": "pets",
        "recorded": {"score": 1, "extracted": "b", "by": "evalscope", "metric": "acc"},
    }
    assert found.rows[1]["recorded"]["score"] == 0  # type: ignore[index,call-overload]
    assert [part.rows for part in found.parts] == [2, 2]


def test_the_report_tells_where_the_subset_begins(tmp_path: Path) -> None:
    written(tmp_path / "reports" / "m" / "bench.json", [])
    about = made(tmp_path, [prediction(0)], [review(0, {"acc": 1})]).about
    assert (about["task"], about["subset"], about["model"]) == ("bench", "main", "m")


SCORES: list[tuple[str, dict[str, Any], Choice, tuple[Any, Any]]] = [
    ("first", {"value": {"acc": 1, "f1": 0.5}}, Choice(), ("acc", 1)),
    ("named", {"value": {"acc": 1, "f1": 0.5}, "main_score_name": "f1"}, Choice(), ("f1", 0.5)),
    ("chosen", {"value": {"acc": 1, "f1": 0.5}}, Choice(metric="f1"), ("f1", 0.5)),
    ("failed", {"value": {}, "status": "error"}, Choice(), (None, None)),
]


@pytest.mark.parametrize(("score", "choice", "wanted"), [s[1:] for s in SCORES], ids=[s[0] for s in SCORES])
def test_which_score_is_recorded(tmp_path: Path, score: Any, choice: Choice, wanted: Any) -> None:
    value = score.pop("value")
    found = made(tmp_path, [prediction(0)], [review(0, value, **score)], choice)
    recorded = found.rows[0]["recorded"]
    assert (recorded["metric"], recorded["score"]) == wanted  # type: ignore[index,call-overload]


def test_generations_of_a_sample_are_its_predictions(tmp_path: Path) -> None:
    reviews = [review(n, {"acc": n % 2}, group_id=7, generation_index=1 - n) for n in range(2)]
    (row,) = made(tmp_path, [prediction(0, "second"), prediction(1, "first")], reviews).rows
    assert (row["eval-id"], row["messages"][1]["response"]) == (7, ["first", "second"])  # type: ignore[index,call-overload]
    assert row["recorded"]["score"] == 0.5  # type: ignore[index,call-overload]


def test_a_prediction_without_a_review(tmp_path: Path) -> None:
    found = made(tmp_path, [prediction(0), prediction(1)], [review(0, {"acc": 1})])
    assert "answer" not in found.rows[1]
    assert any("no review belongs to the prediction" in text for text in found.warnings)


def test_reviews_alone_and_predictions_alone(tmp_path: Path) -> None:
    reviews = written(tmp_path / "reviews" / "m" / "bench_main.jsonl", [review(0, {"acc": 1})])
    assert read(reviews, Choice()).rows[0]["messages"][1]["response"] == "B"  # type: ignore[index,call-overload]
    alone = written(tmp_path / "other" / "bench_main.jsonl", [prediction(0)])
    with pytest.raises(ResultError, match="these stand in the reviews"):
        read(alone, Choice())
    with pytest.raises(UsageError, match="evalscope has none"):
        read(reviews, Choice(filter="x"))
