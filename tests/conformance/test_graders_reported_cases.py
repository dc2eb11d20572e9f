"""Cases from public bug reports about reading answers, read where they lie beside the repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.reading import Knobs, rule_set
from mmeval.stages.anls import Anls
from mmeval.stages.count_parse import CountParse
from mmeval.stages.vqa_accuracy import VqaAccuracy
from mmeval.types import Case, Invalid, Options, Outcome, Sample, Score

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "reported-cases.jsonl"
PACKAGES = {"yes_no": "mmeval.yes_no", "numeric": "mmeval.numbers", "open": "mmeval.answers"}
GRADERS = {"count-parse", "anls", "vqa-accuracy"}
ELSEWHERE = {"I210"}
"""A list as the prediction of an ANLS question: the reader's affair."""
NAMED = {"I118": {"numeric_rel_tol": 0.05}, "I120": {}, "I144": {}, "I145": {}, "I202": {}}
"""Contested cases, whose choice is a declared parameter; tested by name below."""


def _cases() -> dict[str, dict[str, Any]]:
    if not CASES.is_file():
        return {}
    read = (json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines() if line.strip())
    return {
        case["id"]: case
        for case in read
        if case["stage"] in GRADERS
        or (case["stage"] in ("rule-match", "exact-match") and case["question_type"] in PACKAGES)
    }


FOUND = _cases()
PLAIN = sorted(FOUND.keys() - ELSEWHERE - (NAMED.keys() - {"I118"}))


def _case(reported: dict[str, Any]) -> Case:
    golds = reported["answer"] if isinstance(reported["answer"], list) else [reported["answer"]]
    kind = reported["question_type"] if reported["question_type"] in PACKAGES else "numeric"
    references = tuple(map(str, golds))
    prediction = reported["prediction"]
    sample = Sample(reported["id"], reported["question"], Options(()), golds, references, (prediction,), kind)
    return Case(sample, prediction)


def _matched(reported: dict[str, Any], knobs: Knobs, rules: str = "robust") -> str:
    """exact-match, then rule-match, by the rule set of the question's type."""
    case = _case(reported)
    chosen = rule_set(PACKAGES[case.sample.question_type], rules)
    for grade in (chosen.exact, chosen.rule):
        reading = grade(case.prediction, case.sample, knobs)
        if reading.hit:
            return "correct"
    return "undecided" if reading.hit is None else "wrong"


def _graded(reported: dict[str, Any]) -> str:
    stages = {
        "anls": Anls(),
        "vqa-accuracy": VqaAccuracy(),
        "count-parse": CountParse(number_words=reported.get("protocol") == "robust-count"),
    }
    outcome: Outcome = stages[reported["stage"]](_case(reported))
    if isinstance(outcome, Invalid):
        return "invalid"
    assert isinstance(outcome, Score)
    return {1.0: "correct", 0.0: "wrong"}.get(round(outcome.value, 9), str(round(outcome.value, 9)))


def _agrees(got: str, expected: object) -> bool:
    wanted = str(expected)
    if wanted == "not correct" or wanted == "wrong":
        return got != "correct"
    if wanted.replace(".", "", 1).isdigit():
        return {"correct": 1.0, "wrong": 0.0}.get(got, -1.0 if got.isalpha() else got) in (
            float(wanted),
            str(float(wanted)),
        )
    return got in wanted.split(" or ")


@pytest.mark.skipif(not FOUND, reason="the reported cases are not beside the repository")
@pytest.mark.parametrize("name", PLAIN)
def test_case(name: str) -> None:
    reported = FOUND[name]
    if reported["stage"] in GRADERS:
        got = _graded(reported)
    else:
        got = _matched(reported, Knobs(**NAMED.get(name, {})))
    assert _agrees(got, reported["expected"]), got


@pytest.mark.skipif(not FOUND, reason="the reported cases are not beside the repository")
def test_contested_cases_by_the_name_of_their_mode() -> None:
    year, sign, digit, half = (FOUND[name] for name in ("I120", "I144", "I145", "I202"))
    assert _matched(year, Knobs()) == "wrong"
    assert _matched(year, Knobs(), "chartqa") == "correct"
    assert _matched(sign, Knobs()) == "wrong"
    assert _matched(sign, Knobs(string_match="contains")) == "correct"
    assert _matched(digit, Knobs()) == "wrong"
    case = _case(digit)
    assert rule_set("mmeval.answers", "ocrbench").rule(case.prediction, case.sample, Knobs()).hit is True
    for boundary, value in (("keep", 0.5), ("zero", 0.0)):
        outcome = Anls(at_threshold=boundary)(_case(half))  # type: ignore[arg-type]
        assert isinstance(outcome, Score) and outcome.value == value
