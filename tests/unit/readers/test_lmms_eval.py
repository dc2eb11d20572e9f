"""Samples of lmms-eval and lm-eval. Layouts: lmms-eval 0.7.3; lm-eval @ 4e7e0d4, and as both were before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import ResultError, UsageError
from mmeval.readers.foreign import Choice, Foreign
from mmeval.readers.opening import read_foreign

LMMS = "20250102_030405_samples_pope.jsonl"
LM = "samples_gsm8k_2025-01-02T03-04-05.678901.jsonl"
ROW = {"doc_id": 0, "target": "a", "filtered_resps": "b", "input": "Which?", "doc_hash": "0"}


def made(folder: Path, *rows: dict[str, Any], name: str = LMMS, choice: Choice | None = None) -> Foreign:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = read_foreign(folder / name, choice or Choice())
    assert found is not None
    return found


def response(found: Foreign, position: int = 0) -> Any:
    return found.rows[position]["messages"][1]["response"]  # type: ignore[index,call-overload]


# How answers are written: what stands in the row, and the response that it is.
ANSWERS: list[tuple[str, dict[str, Any], Any]] = [
    ("lmms-flat", {"filtered_resps": "b"}, "b"),
    ("lmms-unfiltered", {"resps": ["It is b."], "filtered_resps": "b"}, ["It is b."]),
    ("lm-one", {"resps": [["It is b."]], "filtered_resps": ["b"]}, ["It is b."]),
    ("lm-repeats", {"resps": [["b", "c"]], "filtered_resps": [["b", "c"]]}, ["b", "c"]),
    ("number", {"filtered_resps": 5}, 5),
    ("empty", {"filtered_resps": ""}, ""),
    ("words-that-look-like-a-likelihood", {"resps": [["4", "True"]]}, ["4", "True"]),
]


@pytest.mark.parametrize(("columns", "wanted"), [a[1:] for a in ANSWERS], ids=[a[0] for a in ANSWERS])
def test_answers(tmp_path: Path, columns: Any, wanted: Any) -> None:
    assert response(made(tmp_path, {**ROW, **columns})) == wanted


LIKELIHOODS = [
    ("lm", [[["-1.5", "False"]], [["-2.5", "True"]]]),
    ("lm-one", [[["-1.5", "True"]]]),
    ("lmms", [[-1.5, False], [-2.5, True]]),
    ("infinite", [[["-inf", "False"]], [["-0.1", "True"]]]),
]


@pytest.mark.parametrize("resps", [each[1] for each in LIKELIHOODS], ids=[each[0] for each in LIKELIHOODS])
def test_likelihoods_are_no_answers(tmp_path: Path, resps: Any) -> None:
    with pytest.raises(ResultError, match="holds log-likelihoods of the choices and no answer"):
        made(tmp_path, {**ROW, "resps": resps})


def test_several_requests_cost_the_row(tmp_path: Path) -> None:
    found = made(tmp_path, {**ROW, "resps": [["a"], ["b"]]}, {**ROW, "doc_id": 1})
    assert {place: flaw.reason for place, flaw in found.flaws.items()} == {0: "prediction-not-a-text"}


GOLDS = [
    ("text", "b", "b"),
    ("listed", "['a', 'b']", ["a", "b"]),
    ("boxes", "[1, 2]", "[1, 2]"),
    ("odd", "[a", "[a"),
]


@pytest.mark.parametrize(("target", "gold"), [g[1:] for g in GOLDS], ids=[g[0] for g in GOLDS])
def test_golds(tmp_path: Path, target: str, gold: Any) -> None:
    assert made(tmp_path, {**ROW, "target": target}).rows[0]["answer"] == gold


# How metrics are written: the columns, and the score that is recorded.
METRICS: list[tuple[str, dict[str, Any], Any]] = [
    ("number", {"exact_match": 1.0}, 1),
    ("object", {"pope_accuracy": {"score": 0.5, "prediction": "b"}}, 0.5),
    ("object-without", {"mmmu_acc": {"parsed_pred": "B"}}, None),
    ("list", {"anls": [0.5]}, None),
    ("nan", {"anls": float("nan")}, None),
]


@pytest.mark.parametrize(("columns", "score"), [m[1:] for m in METRICS], ids=[m[0] for m in METRICS])
def test_metrics(tmp_path: Path, columns: Any, score: Any) -> None:
    (name,) = columns
    found = made(tmp_path, {**ROW, **columns})
    assert found.rows[0]["recorded"] == {"score": score, "extracted": "b", "by": "lmms-eval", "metric": name}


def test_of_several_metrics_one_is_chosen(tmp_path: Path) -> None:
    rows = [{**ROW, "acc": 1.0, "acc_norm": 0.0}]
    found = made(tmp_path, *rows)
    assert "recorded" not in found.rows[0]
    assert any("--metric acc" in text for text in found.warnings)
    chosen = made(tmp_path, *rows, choice=Choice(metric="acc_norm"))
    assert chosen.rows[0]["recorded"]["score"] == 0  # type: ignore[index,call-overload]
    with pytest.raises(UsageError, match=r"--metric f1: .* has acc, acc_norm"):
        made(tmp_path, *rows, choice=Choice(metric="f1"))


def lm(number: int, name: str, read: str, score: float, **more: Any) -> dict[str, Any]:
    return {
        "doc_id": number,
        "doc": {"question": "1+1?", "answer": "#### 2", "choices": ["1", "2"], "topic": "sums"},
        "target": "2",
        "arguments": {"gen_args_0": {"arg_0": "Q: 1+1?", "arg_1": {}}},
        "resps": [["two: 2"]],
        "filtered_resps": [read],
        "filter": name,
        "metrics": ["exact_match"],
        "exact_match": score,
        **more,
    }


def test_filters_are_one_run(tmp_path: Path) -> None:
    rows = [lm(n, name, "2", 1.0) for n in range(3) for name in ("strict", "loose")]
    found = made(tmp_path, *rows, name=LM)
    assert (found.by, len(found.rows), found.about["task"]) == ("lm-eval", 3, "gsm8k")
    assert any("several filters (strict, loose)" in text for text in found.warnings)
    assert not any("recorded" in row for row in found.rows)
    chosen = made(tmp_path, *rows, name=LM, choice=Choice(filter="loose"))
    assert chosen.about["filter"] == "loose"
    assert all(row["recorded"]["score"] == 1 for row in chosen.rows)  # type: ignore[index,call-overload]
    with pytest.raises(UsageError, match=r"--filter none: .* has strict, loose"):
        made(tmp_path, *rows, name=LM, choice=Choice(filter="none"))


def test_the_document_goes_along(tmp_path: Path) -> None:
    (row,) = made(tmp_path, lm(0, "none", "2", 1.0), name=LM).rows
    assert row["messages"][0] == {"role": "user", "options": {"A": "1", "B": "2"}, "question": "Q: 1+1?"}  # type: ignore[index,call-overload]
    assert (row["answer"], row["doc_answer"], row["topic"]) == ("2", "#### 2", "sums")


def test_a_document_twice_is_two_rows_of_one_name(tmp_path: Path) -> None:
    found = made(tmp_path, ROW, ROW)
    assert [row["eval-id"] for row in found.rows] == [0, 0]


NAMES = [
    ("lmms", LMMS, "pope"),
    ("lmms-underscores", "20250102_030405_samples_mmmu_val.jsonl", "mmmu_val"),
    ("lm", LM, "gsm8k"),
    ("lm-underscores", "samples_mmlu_flan_cot_2025-01-02T03-04-05.678901.jsonl", "mmlu_flan_cot"),
    ("other", "predictions.jsonl", None),
]


@pytest.mark.parametrize(("name", "task"), [n[1:] for n in NAMES], ids=[n[0] for n in NAMES])
def test_tasks(tmp_path: Path, name: str, task: str | None) -> None:
    found = made(tmp_path, ROW, name=name)
    assert found.about["task"] == task
    assert any("--protocol" in text for text in found.warnings) is (task is None)


def test_the_results_beside_it(tmp_path: Path) -> None:
    results = {"model_name": "org/model", "versions": {"pope": 0.1}, "results": {}}
    (tmp_path / "20250102_030405_results.json").write_text(json.dumps(results), encoding="utf-8")
    about = made(tmp_path, ROW).about
    assert (about["model"], about["task_version"]) == ("org/model", 0.1)


def test_broken_lines_name_their_line(tmp_path: Path) -> None:
    path = tmp_path / LMMS
    path.write_text(json.dumps(ROW) + "\n{broken}\n" + json.dumps(ROW) + "\n", encoding="utf-8")
    with pytest.raises(ResultError, match="line 2"):
        read_foreign(path, Choice())


def test_mixed_encodings_cost_the_row_alone(tmp_path: Path) -> None:
    path = tmp_path / LMMS
    rows = [{**ROW, "filtered_resps": "x"}, {**ROW, "doc_id": 1}, {**ROW, "doc_id": 2, "note": "x"}]
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    data = data.replace(b'"filtered_resps": "x"', b'"filtered_resps": "caf\xe9"').replace(b'"x"', b'"\xff"')
    path.write_bytes(data)
    found = read_foreign(path, Choice())
    assert found is not None
    assert {place: flaw.reason for place, flaw in found.flaws.items()} == {0: "unreadable-text"}


# Objects of metrics, and the columns of the document that are carried from them. Sources: lmms-eval 0.7.3
# `tasks/pope/utils.py`, `tasks/mme/utils.py`, `tasks/mmmu/utils.py`, `tasks/hallusion_bench/evaluate_hb.py`.
_POPE = {"question_id": 7, "score": 1.0, "prediction": "yes", "ground_truth": "yes", "category": "random"}
_HB = {"category": "VS", "set_id": "0", "figure_id": "1", "model_prediction": "Yes", "gt_answer": "1"}
TOLD: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("pope", {"pope_accuracy": _POPE, "pope_f1_score": _POPE}, {"question_id": 7, "category": "random"}),
    (
        "mme",
        {"mme_cognition_score": {"question_id": "a.png", "category": "ocr", "score": 1.0}},
        {"category": "ocr"},
    ),
    (
        "mmmu",
        {"mmmu_acc": {"id": "v_1", "question_type": "open", "answer": "a", "parsed_pred": ["a"]}},
        {"id": "v_1", "question_type": "open", "doc_answer": "a"},
    ),
    ("hallusionbench", {"aAcc": _HB, "fAcc": _HB}, {"category": "VS", "figure_id": "1", "gt_answer": "1"}),
    ("two-that-differ", {"a": {"category": "x"}, "b": {"category": "y"}}, {}),
    ("not-a-text", {"a": {"category": ["x"], "n": None}}, {}),
    ("document", {"doc": {"category": "theirs"}, "a": {"category": "x"}}, {"category": "theirs"}),
]


@pytest.mark.parametrize(("columns", "carried"), [each[1:] for each in TOLD], ids=[each[0] for each in TOLD])
def test_columns_that_metrics_repeat_are_carried(
    tmp_path: Path, columns: dict[str, Any], carried: dict[str, Any]
) -> None:
    row = made(tmp_path, {**ROW, **columns}).rows[0]
    known = {
        "category",
        "n",
        "model_prediction",
        "prediction",
        "ground_truth",
        "parsed_pred",
        "score",
        *carried,
    }
    assert {name: row[name] for name in known if name in row} == carried


def test_metrics_that_share_the_rows_leave_no_choice(tmp_path: Path) -> None:
    rows = [
        {**ROW, "mme_perception_score": {"category": "OCR", "score": 1.0}},
        {**ROW, "doc_id": 1, "mme_cognition_score": {"category": "code_reasoning", "score": 0.0}},
    ]
    found = made(tmp_path, *rows)
    assert [(row["recorded"]["metric"], row["recorded"]["score"]) for row in found.rows] == [  # type: ignore[index,call-overload]
        ("mme_perception_score", 1),
        ("mme_cognition_score", 0),
    ]
    assert not any("several metrics" in text for text in found.warnings)
