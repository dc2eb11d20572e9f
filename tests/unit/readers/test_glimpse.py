"""Which harness wrote a file, told from its head; names never decide alone."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from zip_files import zipped

from mmeval.readers.glimpse import HEAD, form_of, glimpse

VLM = {"index": 1, "question": "q", "answer": "A", "prediction": "A"}
LMMS = {"doc_id": 0, "target": "a", "filtered_resps": "a", "input": "q"}
INSPECT = {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": []}
OURS = {"eval-id": 1, "messages": [], "answer": "A", "index": 1, "prediction": "x"}

CASES: list[tuple[str, str, Any, str | None]] = [
    ("vlmevalkit-json", "x.json", [VLM], "vlmevalkit"),
    ("vlmevalkit-any-name", "result.json", [VLM], "vlmevalkit"),
    ("vlmevalkit-tsv", "x.tsv", "index\tquestion\tanswer\tprediction\n1\tq\tA\tA\n", "vlmevalkit"),
    ("vlmevalkit-csv-quoted", "x.csv", '"index","prediction"\n"1","a\nb"\n', "vlmevalkit"),
    ("lmms", "x.jsonl", LMMS, "lmms-eval"),
    ("lm", "x.jsonl", {**LMMS, "filter": "none"}, "lm-eval"),
    ("inspect-json", "x.json", INSPECT, "inspect"),
    ("helm", "x.json", {"adapter_spec": {}, "request_states": []}, "helm"),
    ("evalscope", "x.jsonl", {"index": 0, "model_output": {}, "messages": []}, "evalscope"),
    ("reviews", "x.jsonl", {"index": 0, "sample_score": {}, "messages": []}, "evalscope-reviews"),
    ("ours", "result.json", [OURS], None),
    ("ours-lines", "x.jsonl", OURS, None),
    ("a-list-of-numbers", "x.json", [1, 2], None),
    ("an-empty-array", "x.json", [], None),
    ("an-empty-file", "x.json", "", None),
    ("inspect-in-name-only", "inspect.eval", "no archive", None),
    ("lm-in-name-only", "samples_gsm8k_2025-01-01T00-00-00.000000.jsonl", {"question": "q"}, None),
    ("metadata", "metadata.json", {"subsets": {}}, None),
    ("broken", "x.json", '[{"index": 1, "prediction": }', "vlmevalkit"),
]


@pytest.mark.parametrize(("name", "content", "form"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_form(tmp_path: Path, name: str, content: Any, form: str | None) -> None:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    assert form_of(glimpse(path)) == form


@pytest.mark.parametrize("front", [b"\xef\xbb\xbf", b"\n\n  ", b""])
def test_marks_and_space_in_front(tmp_path: Path, front: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(front + json.dumps([VLM]).encode())
    assert form_of(glimpse(path)) == "vlmevalkit"


def test_a_first_row_larger_than_the_head(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{**VLM, "image": "x" * (HEAD + 10)}]), encoding="utf-8")
    assert form_of(glimpse(path)) == "vlmevalkit"


def test_archives_by_their_entries(tmp_path: Path) -> None:
    assert form_of(glimpse(zipped(tmp_path / "a.zip", {"header.json": b"{}"}))) == "inspect"
    assert form_of(glimpse(zipped(tmp_path / "b.eval", {"_journal/start.json": b"{}"}))) == "inspect"
    assert form_of(glimpse(zipped(tmp_path / "c.eval", {"other.json": b"{}"}))) is None


@pytest.mark.parametrize("protocol", range(2, 6))
def test_pickles_by_name_and_content(tmp_path: Path, protocol: int) -> None:
    (tmp_path / "x.json").write_bytes(pickle.dumps([VLM], protocol))
    (tmp_path / "x.pkl").write_bytes(pickle.dumps([VLM], 0))
    assert glimpse(tmp_path / "x.json").kind == "pickle"
    assert glimpse(tmp_path / "x.pkl").kind == "pickle"


def test_what_cannot_be_looked_at(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    assert glimpse(tmp_path / "pipe.json").kind == "other"
    assert glimpse(tmp_path / "absent.json").kind == "other"
    assert glimpse(tmp_path).kind == "other"


def test_hostile_heads_cost_no_time(tmp_path: Path) -> None:
    for number, text in enumerate(("[" * HEAD, '[{"' + "\\" * HEAD, "{" * HEAD, '{"a":' * (HEAD // 5))):
        path = tmp_path / f"{number}.json"
        path.write_text(text, encoding="utf-8")
        assert form_of(glimpse(path)) is None
