"""Judges' replies from public bug reports: what the contracts read in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mmeval.judge.contracts import build_contract
from mmeval.judge.contracts.base import Contract, Unreadable

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "reported-cases.jsonl"

AB = {"correct": ["A"], "incorrect": ["B"]}
ABC = {"correct": ["A"], "incorrect": ["B"], "not-attempted": ["C"]}
GRADE = {"correct": ["C"], "incorrect": ["I"]}
# What a report calls its scheme, as a contract.
SCHEMES: dict[str, Contract] = {
    "CORRECT / INCORRECT": build_contract("binary", {}),
    "GRADE: C (correct) / I (incorrect)": build_contract("binary", {"words": GRADE}),
    "A = correct, B = incorrect": build_contract("binary", {"words": AB}),
    "A = correct, B = incorrect, C = not attempted": build_contract("three-way", {"words": ABC}),
    "json score 0|1": build_contract(
        "binary", {"key": "score", "words": {"correct": ["1"], "incorrect": ["0"]}}
    ),
    "json pass/score": build_contract(
        "binary", {"key": "pass", "words": {"correct": ["true"], "incorrect": ["false"]}}
    ),
    "[[score]] 0..1": build_contract("scale", {"lo": 0, "hi": 1}),
    "first integer": build_contract("scale", {"lo": 0, "hi": 10, "integer": True}),
    "single letter of A..E": build_contract("extract-option", {"labels": list("ABCDE")}),
    "json id->0|1": build_contract("binary", {"key": "s2", "words": {"correct": ["1"], "incorrect": ["0"]}}),
}
# A pass beside a score of 0: the one field that the contract asks for is read, what else there is is not.
FIRST_FIELD = {"I188": "correct"}
MEANS = {"correct": {"correct"}, "wrong": {"incorrect"}, "undecided": set(), "not correct": {"incorrect"}}


def cases() -> list[dict[str, object]]:
    if not CASES.exists():
        return []
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["extra"] and isinstance(row["extra"].get("judge_reply"), str)]


@pytest.mark.skipif(not CASES.exists(), reason="the collected cases are not beside this repository")
def test_there_are_cases() -> None:
    assert len(cases()) >= 12


@pytest.mark.parametrize("case", cases(), ids=lambda case: str(case["id"]))
def test_the_reply_is_read_as_a_careful_reader_does(case) -> None:
    contract = SCHEMES[case["extra"]["scheme"]]
    parsed = contract.parse(case["extra"]["judge_reply"], (case["prediction"],))
    read = None if isinstance(parsed, Unreadable) else parsed.ruling.label
    allowed = MEANS[case["expected"]] | {FIRST_FIELD.get(case["id"])}
    assert read is None or read in allowed, case["why"]
    if case["id"] in ("I173", "I175", "I181", "I185"):
        assert read is not None
