"""VLMEvalKit's files: families of verdicts, spreadsheet traps, names. Layout: `vlmeval` 0.0.20."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from mmeval.errors import ResultError
from mmeval.readers.foreign import Choice, Foreign
from mmeval.readers.vlmevalkit import read

ROW = {"index": 1, "question": "q", "A": "cat", "B": "dog", "answer": "A", "prediction": "A"}


def file_of(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".json":
        path.write_text(json.dumps(rows), encoding="utf-8")
        return path
    columns = list(dict.fromkeys(name for row in rows for name in row))
    if path.suffix == ".tsv":
        lines = [columns, *([row.get(name, "") for name in columns] for row in rows)]
        path.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines), encoding="utf-8")
        return path
    book = openpyxl.Workbook()
    book.active.append(columns)
    for row in rows:
        book.active.append([row.get(name) for name in columns])
    book.save(path)
    return path


def made(path: Path, *rows: dict[str, Any]) -> Foreign:
    return read(file_of(path, *rows), Choice())


# The family, its columns, and what is recorded of them; columns from the official code of each family.
FAMILIES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("mcq", {"hit": 1, "log": "matched", "GT": "A"}, {"score": 1, "extracted": None, "metric": "hit"}),
    (
        "vqa",
        {"eval_gt": "cat", "eval_pred": "cat", "eval_match": [1.0], "eval_score": 0.9},
        {"score": 0.9, "extracted": "cat", "metric": "eval_score"},
    ),
    ("yes-no", {"extracted": "Yes", "score": True}, {"score": 1, "extracted": "Yes", "metric": "score"}),
    (
        "yes-no-unknown",
        {"extracted": "Unknown", "score": False},
        {"score": 0, "extracted": "Unknown", "metric": "score"},
    ),
    ("mathvista", {"res": "12.5", "log": "Succeed"}, {"score": None, "extracted": "12.5", "metric": None}),
    (
        "mathverse",
        {"extract": "D", "log_extract": "ok", "score": True, "log_score": "ok"},
        {"score": 1, "extracted": "D", "metric": "score"},
    ),
    ("mmvet", {"score": 0.4, "log": "Succeed"}, {"score": 0.4, "extracted": None, "metric": "score"}),
    (
        "verifier",
        {"verifier_score": 1.0, "verifier_match": "A"},
        {"score": 1, "extracted": None, "metric": "verifier_score"},
    ),
    ("no-number", {"hit": None, "log": "Failed"}, {"score": None, "extracted": None, "metric": "hit"}),
]


@pytest.mark.parametrize(("columns", "wanted"), [f[1:] for f in FAMILIES], ids=[f[0] for f in FAMILIES])
def test_families_in_the_file_itself_and_beside_it(tmp_path: Path, columns: Any, wanted: Any) -> None:
    inside = made(tmp_path / "alone" / "m_pets_gpt.json", {**ROW, **columns})
    assert inside.rows[0]["recorded"] == {**wanted, "by": "vlmevalkit"}
    assert not set(columns) & set(inside.rows[0]), "verdict columns are no columns of the sample"
    file_of(tmp_path / "m_pets_gpt.json", {**ROW, **columns})
    beside = made(tmp_path / "m_pets.json", ROW)
    assert beside.rows[0]["recorded"] == inside.rows[0]["recorded"]
    assert [part.file for part in beside.parts] == ["m_pets.json", "m_pets_gpt.json"]


def test_a_column_of_the_dataset_is_no_verdict(tmp_path: Path) -> None:
    found = made(tmp_path / "m_pets.json", {**ROW, "score": 3})
    assert "recorded" not in found.rows[0]
    assert found.rows[0]["score"] == 3


def test_verdicts_are_joined_by_index(tmp_path: Path) -> None:
    file_of(tmp_path / "m_pets_gpt.xlsx", {**ROW, "index": 2.0, "hit": 1}, {**ROW, "index": 9, "hit": 0})
    found = made(tmp_path / "m_pets.xlsx", ROW, {**ROW, "index": 2})
    assert [row.get("recorded", {}).get("score") for row in found.rows] == [None, 1]  # type: ignore[union-attr,attr-defined]
    assert "1 prediction has no verdict in m_pets_gpt.xlsx" in found.warnings


def test_of_several_judges_none_is_guessed(tmp_path: Path) -> None:
    for judge in ("gpt", "qwen"):
        file_of(tmp_path / f"m_pets_{judge}.json", {**ROW, "hit": 1})
    found = made(tmp_path / "m_pets.json", ROW)
    assert "recorded" not in found.rows[0]
    assert any("m_pets_gpt.json, m_pets_qwen.json" in text for text in found.warnings)
    status = {"model_name": "m", "datasets": {"pets": {"judge_model": "qwen"}}}
    (tmp_path / "status.json").write_text(json.dumps(status), encoding="utf-8")
    found = read(tmp_path / "m_pets.json", Choice())
    assert [part.file for part in found.parts] == ["m_pets.json", "m_pets_qwen.json"]
    assert found.about["judge"] == "qwen"


# What a spreadsheet does to the prediction, and what becomes of the row.
TRAPS = [
    ("cut", "x" * 32_767, "cell-truncated"),
    ("formula", "=1+1", "cell-formula"),
    ("whole", "x" * 32_766, None),
]


@pytest.mark.parametrize(("text", "reason"), [trap[1:] for trap in TRAPS], ids=[trap[0] for trap in TRAPS])
def test_spreadsheet_traps(tmp_path: Path, text: str, reason: str | None) -> None:
    found = made(tmp_path / "m_pets.xlsx", {**ROW, "prediction": text}, {**ROW, "index": 2})
    assert {position: flaw.reason for position, flaw in found.flaws.items()} == (
        {0: reason} if reason else {}
    )
    assert any("prediction is not carried" in text for text in found.warnings) is bool(reason)


def test_a_gold_and_a_question_that_were_cut(tmp_path: Path) -> None:
    long = "x" * 32_767
    found = made(tmp_path / "m_pets.xlsx", {**ROW, "question": long}, {**ROW, "index": 2, "answer": long})
    assert {position: flaw.reason for position, flaw in found.flaws.items()} == {1: "gold-not-usable"}
    assert any(text.startswith("1 row: question is not carried") for text in found.warnings)


@pytest.mark.parametrize("suffix", [".xlsx", ".tsv", ".json"])
def test_empty_and_number_cells(tmp_path: Path, suffix: str) -> None:
    empty = None if suffix != ".tsv" else ""
    found = made(
        tmp_path / f"m_pets{suffix}",
        {**ROW, "prediction": empty},
        {**ROW, "index": 2, "prediction": 3, "answer": 3},
        {**ROW, "index": 3, "prediction": "NA", "A": "None"},
    )
    assert [row["messages"][1]["response"] for row in found.rows] == [None, "3", "NA"]  # type: ignore[index,call-overload]
    assert found.rows[2]["messages"][0]["options"]["A"] == "None"  # type: ignore[index,call-overload]
    assert any("2,079" in text for text in found.warnings) is (suffix == ".xlsx")


def test_nan_is_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m_pets.json"
    path.write_text(json.dumps([{**ROW, "C": float("nan"), "prediction": float("nan")}]), encoding="utf-8")
    (row,) = read(path, Choice()).rows
    assert row["messages"][1]["response"] is None  # type: ignore[index,call-overload]
    assert row["messages"][0]["options"] == {"A": "cat", "B": "dog"}  # type: ignore[index,call-overload]


def test_whole_numbers_that_became_fractions_are_told(tmp_path: Path) -> None:
    rows = [{**ROW, "answer": "3.0"}, {**ROW, "index": 2, "answer": ""}]
    assert any("ends in .0" in text for text in made(tmp_path / "m_pets.tsv", *rows).warnings)


def test_a_failed_inference_keeps_its_text(tmp_path: Path) -> None:
    text = "Failed to obtain answer via API. status 400"
    found = made(tmp_path / "m_pets.json", {**ROW, "prediction": text})
    assert found.rows[0]["messages"][1]["response"] == text  # type: ignore[index,call-overload]
    assert any("failed inference" in warning and "(1)" in warning for warning in found.warnings)


def test_without_golds_the_table_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="name the benchmark's table with --data"):
        made(tmp_path / "m_pets.json", {"index": 1, "prediction": "A"})


def test_columns_that_are_ours(tmp_path: Path) -> None:
    (row,) = made(tmp_path / "m_pets.json", {**ROW, "recorded": "2024", "media": "x", "eval-id": 7}).rows
    assert (row["eval-id"], row["source_recorded"], row["source_media"]) == (1, "2024", "x")
