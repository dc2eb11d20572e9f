"""Verdict files whose names go on: they belong to one file of predictions, and to its very answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.readers import discover
from mmeval.readers.alike import same_answer, same_text
from mmeval.readers.decoding import Flaw
from mmeval.readers.foreign import Choice
from mmeval.readers.vlmevalkit import read

ROW = {"index": 1, "question": "q", "A": "cat", "B": "dog", "answer": "A", "prediction": "A"}
JUDGED = {**ROW, "hit": 1, "log": "matched"}


def put(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


# What the prediction says, what the verdict file says, and whether that may be one answer.
ANSWERS: list[tuple[str, Any, Any, bool]] = [
    ("same", "It is A.", "It is A.", True),
    ("space", "It is\n A.", "It is A.", True),
    ("behind-its-reasoning", "<think>hm</think> A", "A", True),
    ("number-of-a-spreadsheet", "5.0", 5, True),
    ("missing-there", "None", None, True),
    ("cut-there", "x", Flaw("cell-truncated", ""), True),
    ("another", "It is A.", "It is B.", False),
    ("longer-there", "A", "A and B", False),
]


@pytest.mark.parametrize(("ours", "theirs", "same"), [a[1:] for a in ANSWERS], ids=[a[0] for a in ANSWERS])
def test_same_answer(ours: Any, theirs: Any, same: bool) -> None:
    assert same_answer(ours, theirs) == same


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("Yes", "yes", True),
        ("7", 7.0, True),
        (None, "A", True),
        ("A", "B", False),
        ("Is it?", "Is it so?", False),
    ],
)
def test_same_text(ours: Any, theirs: Any, same: bool) -> None:
    assert same_text(ours, theirs) == same


@pytest.mark.parametrize("changed", [{"prediction": "B"}, {"question": "another"}, {"answer": "B"}])
def test_a_verdict_on_something_else_is_not_recorded(tmp_path: Path, changed: dict[str, Any]) -> None:
    path = put(tmp_path / "m_pets.json", ROW, {**ROW, "index": 2})
    put(tmp_path / "m_pets_gpt.json", JUDGED, {**JUDGED, "index": 2, **changed})
    found = read(path, Choice())
    assert ["recorded" in row for row in found.rows] == [True, False]
    said = "1 row: the verdict beside it is of another question or answer, and was not recorded (2)"
    assert said in found.warnings


def test_verdicts_belong_to_the_longest_name(tmp_path: Path) -> None:
    short = put(tmp_path / "m_pets.json", ROW)
    long = put(tmp_path / "m_pets_big.json", ROW)
    put(tmp_path / "m_pets_big_gpt.json", JUDGED)
    assert discover(tmp_path, None) == [short, long]
    assert "recorded" not in read(short, Choice()).rows[0]
    assert "recorded" in read(long, Choice()).rows[0]


def test_verdicts_of_another_dataset_are_a_run_of_their_own(tmp_path: Path) -> None:
    short = put(tmp_path / "m" / "m_MMBench_DEV_EN.json", ROW)
    other = put(tmp_path / "m" / "m_MMBench_DEV_EN_V11_gpt.json", JUDGED)
    assert discover(tmp_path, None) == [short, other]
    assert "recorded" not in read(short, Choice()).rows[0]
