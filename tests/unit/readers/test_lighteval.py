"""Details of lighteval, in the layouts of 3fd1526 and ed08481; pyarrow writes them, as `datasets` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mmeval.errors import ResultError, UsageError
from mmeval.readers.foreign import Choice, Foreign
from mmeval.readers.opening import read_foreign

NAME = "details_community|pets|0_2025-01-02T03-04-05.678901.parquet"


def detail(number: int = 0, **parts: Any) -> dict[str, Any]:
    doc = {
        "id": str(number),
        "task_name": "community|pets|0",
        "query": "Which?",
        "choices": [" cat", " dog"],
        "gold_index": [1],
        "specific": {"topic": "pets"},
        **parts.get("doc", {}),
    }
    response = {"text": ["B"], "text_post_processed": None, "logprobs": [], **parts.get("response", {})}
    return {"doc": doc, "model_response": response, "metric": parts.get("metric", {"acc": 1.0})}


def made(folder: Path, *rows: dict[str, Any], name: str = NAME, choice: Choice | None = None) -> Foreign:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), folder / name)
    found = read_foreign(folder / name, choice or Choice())
    assert found is not None
    return found


def test_details(tmp_path: Path) -> None:
    found = made(tmp_path / "details" / "org" / "model" / "2025-01-02T03-04-05.678901", detail(0), detail(1))
    assert (found.by, found.about["task"], found.about["model"]) == (
        "lighteval",
        "community|pets|0",
        "org/model",
    )
    assert found.rows[0] == {
        "eval-id": "0",
        "messages": [
            {"role": "user", "question": "Which?", "choices": ["cat", "dog"]},
            {"role": "assistant", "response": "B"},
        ],
        "answer": "dog",
        "topic": "pets",
        "dataset_meta": {"dataset_name": "community|pets|0"},
        "recorded": {"score": 1, "extracted": None, "by": "lighteval", "metric": "acc"},
    }
    assert "tokens, logits, reasonings and pictures were not carried" in found.warnings


def test_choices_that_are_all_gold_are_references(tmp_path: Path) -> None:
    row = made(tmp_path, detail(doc={"choices": ["4", "four"], "gold_index": [0, 1]})).rows[0]
    assert row["answer"] == ["4", "four"]
    assert row["messages"][0] == {"role": "user", "question": "Which?"}  # type: ignore[index,call-overload]


def test_what_was_read_and_several_answers(tmp_path: Path) -> None:
    response = {"text": ["<think>x</think>B", "C"], "text_post_processed": ["B", "C"]}
    row = made(tmp_path, detail(response=response)).rows[0]
    assert row["messages"][1]["response"] == ["<think>x</think>B", "C"]  # type: ignore[index,call-overload]
    assert row["recorded"]["extracted"] == "B"  # type: ignore[index,call-overload]


def test_metrics_are_chosen(tmp_path: Path) -> None:
    rows = [detail(metric={"em": 1.0, "f1": 0.5})]
    assert "recorded" not in made(tmp_path, *rows).rows[0]
    chosen = made(tmp_path, *rows, choice=Choice(metric="f1")).rows[0]["recorded"]
    assert chosen["score"] == 0.5  # type: ignore[index,call-overload]
    with pytest.raises(UsageError, match="has em, f1"):
        made(tmp_path, *rows, choice=Choice(metric="acc"))
    with pytest.raises(UsageError, match="lighteval has none"):
        made(tmp_path, *rows, choice=Choice(filter="x"))


def test_likelihoods_are_no_answers(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="log-likelihoods"):
        made(tmp_path, detail(response={"text": [], "logprobs": [-1.0, -2.0]}))


def test_the_layout_before(tmp_path: Path) -> None:
    row = {
        "example": "Which?",
        "full_prompt": "Shots... Which?",
        "predictions": ["B"],
        "gold": ["dog"],
        "choices": ["cat", "dog"],
        "gold_index": [1],
        "metrics": {"acc": 0.0},
        "specifics": {"topic": "pets"},
    }
    found = made(tmp_path, row)
    assert found.about["task"] == "community|pets|0"
    made_row = found.rows[0]
    assert (made_row["eval-id"], made_row["answer"], made_row["topic"]) == (0, "dog", "pets")
    assert made_row["recorded"]["score"] == 0  # type: ignore[index,call-overload]


def test_pictures_are_not_read(tmp_path: Path) -> None:
    found = made(tmp_path, {**detail(), "image": {"bytes": b"x" * 1000, "path": "a.png"}})
    assert "image" not in found.rows[0]
