"""What `show` says first: rows by stage, the worst groups."""

from __future__ import annotations

from typing import Any

from mmeval.compare.causes import Kind
from mmeval.reports import outlook
from mmeval.reports.outlook import Bucket

FOUND = [
    Bucket(Kind("undecided", None, "no-option-found"), 20, 0, 20, "3"),
    Bucket(Kind("decided", "rule-match", "cue"), 10, 8, 0, "1"),
    Bucket(Kind("llm_error", None, "judge-unreadable"), 6, 0, 6, "5"),
    Bucket(Kind("decided", "rule-match", "boxed"), 4, 4, 0, "2"),
]


def test_rows_that_no_stage_decided_are_called_what_they_are() -> None:
    lines = outlook.stage_bars(FOUND).splitlines()[2:]
    assert [line.split() for line in lines] == [
        ["rule-match", "#" * 12 + "--", "14", "12"],
        ["undecided", "-" * 20, "20", "0"],
        ["failed", "(llm_error)", "-" * 6, "6", "0"],
    ]


def test_no_rows_no_bars() -> None:
    assert outlook.stage_bars([]) == ""


def worst(reduce: str, parts: dict[str, float]) -> list[str]:
    config: dict[str, Any] = {"score_aggregates": [{"name": "h", "reduce": reduce, "headline": True}]}
    text = outlook.worst_groups(config, {"headline": {"name": "h"}, "groups": {"h": parts}})
    return [line.split()[0] for line in text.splitlines()[2:]]


def test_the_worst_groups_leave_other_figures_out() -> None:
    parts = {f"{name}.f1": 0.9 - place / 10 for place, name in enumerate("abcdef")}
    assert worst("prf1", {"yes_ratio": 0.1, "a.yes_ratio": 0.0, **parts}) == [
        "f.f1",
        "e.f1",
        "d.f1",
        "c.f1",
        "b.f1",
    ]


def test_few_groups_are_read_at_a_glance() -> None:
    assert worst("macro-mean", dict.fromkeys("abcde", 0.5)) == []


def test_a_reading_that_is_right_throughout_is_nothing_to_look_at() -> None:
    found = [
        Bucket(Kind("decided", "exact-match", "whole-answer"), 6, 6, 0, "1"),
        Bucket(Kind("decided", "rule-match", "whole-answer"), 14, 0, 0, "2"),
        Bucket(Kind("decided", "exact-match", "bare-label"), 20, 20, 0, "3"),
    ]
    assert [str(each.kind) for each in outlook.notable(found)] == ["rule-match: whole-answer"]


MEASURED = [
    Bucket(Kind("decided", "box-ap", "boxes-by-json"), 30, 0, 0, "1", 30),
    Bucket(Kind("decided", "box-ap", "no-box-read"), 10, 0, 0, "7", 10),
]


def test_measured_rows_are_neither_right_nor_wrong() -> None:
    lines = outlook.stage_bars(MEASURED).splitlines()
    assert lines[0] == "by stage (# right, - not, = measured over the run)"
    assert lines[2].split() == ["box-ap", "=" * 40, "40", "-"]
    assert [line.split()[-2:] for line in outlook.readings(MEASURED).splitlines()[2:]] == [
        ["30", "-"],
        ["10", "-"],
    ]
    assert [str(each.kind) for each in outlook.notable(MEASURED)] == ["box-ap: no-box-read"]
    assert "--why" not in outlook.next_commands("score.json", MEASURED)


def test_what_was_read_and_left_open_is_not_shown_as_settled() -> None:
    found = [
        Bucket(Kind("decided", "rule-match", "cue"), 10, 8, 2, "1"),
        Bucket(Kind("undecided", None, "no-option-found"), 5, 0, 5, "3"),
    ]
    lines = outlook.readings(found).splitlines()
    assert lines[1].split() == ["stage:", "reason", "rows", "correct", "not", "settled"]
    assert [line.split()[-1] for line in lines[2:]] == ["2", "0"]
    assert lines[2].split() == ["rule-match:", "cue", "10", "8", "2"]
    assert lines[3].split() == ["undecided:", "no-option-found", "5", "0"]
