"""Runs of other harnesses below a folder, and what only belongs to one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mmeval.readers import discover

VLM = {"index": 1, "question": "q", "answer": "A", "prediction": "A"}
OURS = [{"eval-id": 1, "messages": [{"question": "q"}, {"response": "A"}], "answer": "A"}]


def put(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.suffix == ".jsonl"
    path.write_text(json.dumps(content) + ("\n" if lines else ""), encoding="utf-8")
    return path


def names(root: Path) -> list[str]:
    return [str(path.relative_to(root)) for path in discover(root, None)]


def test_runs_and_what_belongs_to_them(tmp_path: Path) -> None:
    put(tmp_path / "a" / "result.json", OURS)
    put(tmp_path / "a" / "metadata.json", {"subsets": {}})
    put(tmp_path / "a" / "score.json", {"samples": []})
    run = put(tmp_path / "m" / "T1" / "m_pets.json", [VLM])
    put(tmp_path / "m" / "T1" / "m_pets_gpt.json", [{**VLM, "hit": 1}])
    put(tmp_path / "m" / "T1" / "m_cars_gpt.json", [{**VLM, "hit": 1}])
    put(tmp_path / "m" / "T1" / "status.json", {"datasets": {}})
    (tmp_path / "m" / "m_pets.json").symlink_to(run)
    put(tmp_path / "e" / "predictions" / "m" / "b.jsonl", {"index": 0, "model_output": {}})
    put(tmp_path / "e" / "reviews" / "m" / "b.jsonl", {"index": 0, "sample_score": {}})
    put(tmp_path / "e" / "reviews" / "m" / "alone.jsonl", {"index": 0, "sample_score": {}})
    log = {"version": 2, "status": "success", "eval": {"packages": {"mmeval-score": "0.1"}}, "samples": []}
    put(tmp_path / "a" / "exported.json", log)
    put(tmp_path / "golds" / "only_predictions.json", [{"index": 1, "prediction": "A"}])
    put(
        tmp_path / "lm" / "samples_x_2025-01-02T03-04-05.6.jsonl",
        {"doc_id": 0, "target": "", "filtered_resps": ""},
    )
    assert names(tmp_path) == [
        "a/result.json",
        "e/predictions/m/b.jsonl",
        "e/reviews/m/alone.jsonl",
        "lm/samples_x_2025-01-02T03-04-05.6.jsonl",
        "m/T1/m_cars_gpt.json",
        "m/T1/m_pets.json",
    ]


def test_a_pattern_takes_what_it_says(tmp_path: Path) -> None:
    put(tmp_path / "m_pets.json", [VLM])
    put(tmp_path / "result.json", OURS)
    assert [path.name for path in discover(tmp_path, "m_*.json")] == ["m_pets.json"]
