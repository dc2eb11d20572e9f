"""Scores as text: one line a run with all that a reader must know, or one run in full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmeval.reports import terminal
from mmeval.runner import Scored

COUNTS: dict[str, Any] = {
    "total": 20,
    "filtered": 0,
    "valid": 20,
    "invalid": 0,
    "correct": 14,
    "decided": 16,
    "read": 18,
    "undecided": 4,
    "llm_errors": 0,
    "errors": 0,
    "accuracy": 0.7,
    "accuracy_valid": 0.7,
    "accuracy_decided": 0.875,
    "coverage": 0.8,
    "accuracy_bounds": [0.7, 0.7],
    "mean_score": 0.7,
    "by_stage": {"rule-match": {"total": 16, "correct": 14}, "undecided": {"total": 4, "correct": 0}},
    "by_question_type": {"mcq": {"total": 20, "correct": 14}},
    "by_reason": {"empty-answer": 1, "no-option-found": 3},
    "invalid_by_reason": {},
    "warnings": [],
    "headline": {
        "name": "accuracy",
        "value": 70.0,
        "scale": 100,
        "n": 20,
        "stderr": 10.0,
        "ci95": [48.1, 85.5],
        "bounds": [70.0, 70.0],
        "method": "wilson",
    },
    "aggregates": {},
    "groups": {"accuracy": {"object": 0.8, "colour": None}},
}
CONFIG: dict[str, Any] = {
    "protocol": "Bench",
    "protocol_source": "library",
    "score_pipeline": ["exact-match", "rule-match"],
    "official_protocol": True,
    "deviations": [],
    "protocol_notes": ["as published"],
}


def scored(root: Path, name: str = "run/result.json", up_to_date: bool = False, **changes: Any) -> Scored:
    summary = {**COUNTS, **{key: value for key, value in changes.items() if key in COUNTS}}
    config = {**CONFIG, **{key: value for key, value in changes.items() if key in CONFIG}}
    result = root / name
    return Scored(result, result.with_name("score.json"), config, summary, up_to_date)


def table(root: Path, **changes: Any) -> str:
    return terminal.scores_table([scored(root, **changes)], root)


def test_one_line_a_run(tmp_path: Path) -> None:
    head, _, line = table(tmp_path).splitlines()
    assert head.split()[:3] == ["run", "protocol", "headline"]
    assert line.split() == [
        "run",
        "Bench",
        "accuracy",
        "70.00",
        "48.10..85.50",
        "20",
        "90.0%",
        "80.0%",
        "yes",
    ]


def test_columns_stand_below_each_other(tmp_path: Path) -> None:
    runs = [scored(tmp_path), scored(tmp_path, "a/much/longer/name/result.json")]
    lines = terminal.scores_table(runs, tmp_path).splitlines()
    assert len({line.index("Bench") for line in lines[2:]}) == 1


NO_VALUE = {**COUNTS["headline"], "value": None, "ci95": None, "bounds": [60.0, 75.0]}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param({"up_to_date": True}, "up to date:", id="up-to-date"),
        pytest.param(
            {"errors": 2, "llm_errors": 1, "headline": NO_VALUE},
            "3 of 20 rows failed: the value lies in 60.00..75.00",
            id="failed",
        ),
        pytest.param({"invalid": 4}, "4 of 20 rows are invalid and count as wrong", id="invalid"),
        pytest.param(
            {"invalid": 9, "invalid_by_reason": {"a": 1, "b": 5, "c": 2, "d": 1}},
            "9 of 20 rows are invalid and count as wrong (5 b, 2 c, 1 a, ...; "
            "mmeval explain SCORE --why invalid lists them)",
            id="why-invalid",
        ),
        pytest.param({"invalid": 1}, "1 of 20 rows is invalid and counts as wrong", id="one-invalid"),
        pytest.param({"warnings": ["two ids"]}, "warning: two ids", id="warning"),
        pytest.param(
            {"official_protocol": False, "deviations": ["because"]}, "not official: because", id="deviation"
        ),
    ],
)
def test_what_a_reader_must_know_stands_below(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    assert says in table(tmp_path, **changes)


def test_what_is_not_known_is_a_dash(tmp_path: Path) -> None:
    line = table(tmp_path, headline=NO_VALUE, protocol=None, official_protocol=None, coverage=None)
    assert line.splitlines()[2].split() == ["run", "-", "accuracy", "-", "-", "20", "90.0%", "-", "-"]


def test_nothing_scored_is_said(tmp_path: Path) -> None:
    assert terminal.scores_table([], tmp_path) == "no run was scored"


@pytest.mark.parametrize(
    ("result", "root", "name"),
    [
        ("runs/a/result.json", "runs", "a"),
        ("runs/a/b/result.json", "runs", "a/b"),
        ("runs/result.json", "runs", "runs"),
        ("runs/a/preds.jsonl", "runs", "a/preds.jsonl"),
        ("runs/a/result.json", "runs/a/result.json", "a"),
    ],
)
def test_how_a_run_is_called(tmp_path: Path, result: str, root: str, name: str) -> None:
    (tmp_path / result).parent.mkdir(parents=True)
    (tmp_path / result).touch()
    assert terminal.run_name(tmp_path / result, tmp_path / root) == name


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0, "0.0000"),
        (0.12345, "0.1235"),
        (9.99, "9.9900"),
        (10.0, "10.00"),
        (1531.34, "1531.34"),
    ],
)
def test_figures(value: object, text: str) -> None:
    assert terminal.number(value) == text


def document(**config: Any) -> dict[str, Any]:
    return {"config": {**CONFIG, **config}, "summary": COUNTS, "provenance": {}}


def test_a_run_in_full() -> None:
    text = terminal.run_in_full(document(), "there/score.json")
    for part in (
        "there/score.json",
        "Bench (from library, official: yes)",
        "exact-match, rule-match",
        "accuracy = 70.00",
        "bounds 70.00..70.00",
        "undecided 4",
        "accuracy_decided 0.8750",
        "parts of accuracy",
        "object  0.8000",
        "why rows were not decided",
        "as published",
    ):
        assert part in text
    assert "warnings" not in text
    assert "deviations" not in text


def test_a_route_is_named_by_its_fields() -> None:
    route = {"route": ["task", "kind"], "cases": []}
    assert "by route: task, kind" in terminal.run_in_full(document(score_pipeline=route), "x")


def test_the_commonest_reason_comes_first() -> None:
    text = terminal.run_in_full(document(), "x")
    assert text.index("no-option-found") < text.index("empty-answer")
