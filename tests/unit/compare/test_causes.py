"""Where a difference comes from: what is a cause, and what is none."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mmeval.compare.causes import Pair, causes, kind_of, statuses
from mmeval.compare.rows import Line


def line(name: int = 0, score: float = 1.0, **changes: Any) -> Line:
    told = {"decided_by": "rule-match", "reason": "cue", **changes}
    return Line(eval_id=name, score=score, **told)


UNDECIDED = {"decided_by": None, "reason": "no-option-found", "score": 0.0}
MISSED = {
    "decided_by": None,
    "reason": "cue-is-not-the-gold",
    "score": 0.0,
    "trace": msgspec.Raw(
        b'[{"stage":"exact-match","reason":"not-a-bare-answer"},{"stage":"rule-match","reason":"cue-is-not-the-gold"}]'
    ),
}


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (line(), "rule-match: cue"),
        (line(**UNDECIDED), "undecided: no-option-found"),
        (line(**MISSED), "rule-match: cue"),
        (
            line(decided_by=None, status="llm_error", reason="judge-failed: HTTP 500"),
            "llm_error: judge-failed",
        ),
        (line(decided_by=None, status="invalid", reason="blank-reference"), "invalid: blank-reference"),
        (line(reason=None), "rule-match: no-reason"),
        (line(extracted="2 boxes", reason=None, evidence={"how": "objects"}), "rule-match: boxes-by-objects"),
        (line(reason=None, evidence={"how": "none"}), "rule-match: no-box-read"),
        (line(reason=None, evidence={"how": "json"}), "rule-match: no-box-read"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_happened_to_a_row(made: Line, kind: str) -> None:
    assert str(kind_of(made)) == kind


def pairs(*sides: tuple[Line, Line]) -> list[Pair]:
    return [Pair(a, b, ((b.score or 0) - (a.score or 0)) / len(sides)) for a, b in sides]


def test_a_status_that_one_side_has_is_a_cause() -> None:
    found = causes(
        pairs(*[(line(n), line(n, **UNDECIDED)) for n in range(3)], (line(9), line(9))), "headline"
    )
    assert found.likely is not None
    assert (found.likely.kind, found.likely.side, found.likely.rows) == ("status", "b", 3)
    assert found.likely.share == pytest.approx(1)
    assert found.likely.other == {"rule-match: cue": 3}
    assert found.likely.ids == ("0", "1", "2")


def test_the_worse_side_is_the_one_that_is_named() -> None:
    found = causes(pairs(*[(line(n, **UNDECIDED), line(n)) for n in range(3)]), "headline")
    assert found.likely is not None
    assert (found.likely.name, found.likely.side) == ("undecided: no-option-found", "a")


def test_another_way_of_reading_is_a_cause() -> None:
    found = causes(pairs(*[(line(n), line(n, 0.0, reason="closing-label")) for n in range(3)]), "headline")
    assert found.likely is not None
    assert (found.likely.kind, found.likely.name) == ("reading", "rule-match: closing-label")


def test_other_answers_are_no_cause() -> None:
    assert causes(pairs(*[(line(n), line(n, **MISSED)) for n in range(3)]), "headline").likely is None


def test_rules_that_change_with_the_answers_to_and_fro_are_no_cause() -> None:
    yes, no = {"reason": "no-negation"}, {"reason": "negation"}
    sides = [(line(n, **yes), line(n, 0.0, **no)) for n in range(5)]
    sides += [(line(n, **no), line(n, 0.0, **yes)) for n in range(5, 10)]
    assert causes(pairs(*sides), "headline").causes == ()


def test_a_group_is_a_cause_where_nothing_else_is() -> None:
    sides = [
        (line(n, group={"scene": "river" if n < 2 else "hill"}), line(n, 0.0 if n < 2 else 1.0))
        for n in range(8)
    ]
    found = causes(pairs(*sides), "headline")
    assert found.likely is not None
    assert (found.likely.kind, found.likely.name, found.likely.rows) == ("group", "scene = river", 2)


def test_rows_that_are_not_decided_are_counted_on_both_sides() -> None:
    assert statuses(pairs((line(), line(**UNDECIDED)), (line(**UNDECIDED), line(**UNDECIDED)))) == {
        "undecided: no-option-found": (1, 2)
    }


def test_nothing_has_no_cause() -> None:
    found = causes([], "headline")
    assert (found.points, found.moves, found.likely) == (0.0, (), None)
