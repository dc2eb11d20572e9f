"""What the page draws: the flow through stages, means by field, curves, numbers against golds."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.reports.html.columns import Codes, Columns, cut, verdict
from mmeval.reports.html.curve import POINTS, Curve
from mmeval.reports.html.flow import Flow
from mmeval.reports.html.pairs import Pairs, number
from mmeval.reports.html.spread import Spread
from mmeval.stats import wilson


def line(**told: Any) -> dict[str, Any]:
    """A row of a score file."""
    row = {"eval-id": 1, "question_type": "mcq", "gt": "A", "pred": "A", "extracted": None, "score": 1.0}
    row |= {
        "decided_by": "exact-match",
        "status": "ok",
        "reason": None,
        "group": {},
        "evidence": None,
        "trace": [],
    }
    return {**row, **told}


def step(stage: str, outcome: str) -> dict[str, Any]:
    return {"stage": stage, "version": 1, "outcome": outcome, "extracted": None, "span": None, "reason": "x"}


@pytest.mark.parametrize(
    ("told", "word"),
    [
        ({}, "right"),
        ({"score": 0.5}, "partly"),
        ({"score": 0.0}, "wrong"),
        ({"score": 0.0, "decided_by": None}, "undecided"),
        ({"score": 0.25, "decided_by": None, "predictions": [{}]}, "partly"),
        ({"score": None, "decided_by": "box-ap"}, "measured"),
        ({"score": 0.0, "status": "invalid", "decided_by": None}, "invalid"),
        ({"score": 0.0, "status": "llm_error", "decided_by": None}, "llm_error"),
    ],
)
def test_what_became_of_a_row(told: dict[str, Any], word: str) -> None:
    assert verdict(line(**told)) == word


def test_texts_are_cut_to_a_line() -> None:
    assert cut(None) is None
    assert cut("a\n\n b") == "a b"
    assert cut([1, "x"]) == '[1,"x"]'
    assert cut("x" * 1000) == "x" * 89 + "…"


def test_repeated_texts_are_kept_once() -> None:
    codes = Codes()
    for text in ("b", None, "b", "a"):
        codes.add(text)
    assert codes.told() == {"values": ["b", None, "a"], "rows": [0, 1, 0, 2]}


def test_a_field_that_comes_late_or_stays_away() -> None:
    columns = Columns()
    for group in ({}, {"k": "x"}, {"k": ["x", "y"], "n": 3}, {}):
        columns.add(line(group=group))
    groups: Any = columns.told()["groups"]
    assert groups["k"] == {"values": [None, "x", "x, y"], "rows": [0, 1, 2, 0]}
    assert groups["n"]["rows"] == [0, 0, 1, 0]


def test_a_field_of_too_many_values_is_no_list() -> None:
    columns = Columns()
    for name in range(300):
        columns.add(line(group={"many": str(name), "few": "x"}))
    told: Any = columns.told()
    assert list(told["groups"]) == ["few"]


def test_the_flow_adds_up() -> None:
    flow = Flow()
    flow.add(line(trace=[step("exact", "score")]))
    flow.add(line(score=0.0, trace=[step("exact", "pass"), step("rule", "score")]))
    flow.add(line(score=0.0, decided_by=None, trace=[step("exact", "pass"), step("rule", "pass")]))
    flow.add(line(score=0.0, status="llm_error", trace=[step("exact", "pass"), step("judge", "failed")]))
    flow.add(line(score=0.0, status="invalid", trace=[]))
    told: Any = flow.told()
    nodes = {node["stage"]: node for node in told["nodes"]}
    assert told["total"] == 5
    assert told["unseen"] == {"invalid": 1}
    assert [node["stage"] for node in told["nodes"]] == ["exact", "rule", "judge"]
    assert (nodes["exact"]["right"], nodes["exact"]["passed"]) == (1, 3)
    assert (nodes["rule"]["wrong"], nodes["rule"]["passed"], nodes["judge"]["failed"]) == (1, 1, 1)
    assert sorted(map(tuple, told["links"])) == [
        ("", "exact", 4), ("exact", "judge", 1), ("exact", "rule", 2), ("rule", "undecided", 1)
    ]  # fmt: skip


def test_stages_stand_behind_those_before_them_and_circles_end() -> None:
    flow = Flow()
    flow.add(line(trace=[step("late", "score")]))
    flow.add(line(trace=[step("early", "pass"), step("late", "score")]))
    flow.add(line(trace=[step("a", "pass"), step("b", "pass"), step("a", "score")]))
    names = [node["stage"] for node in flow.told()["nodes"]]  # type: ignore[union-attr, index, call-overload]
    assert names.index("early") < names.index("late")
    assert sorted(names) == ["a", "b", "early", "late"]


def test_several_predictions_flow_each() -> None:
    flow = Flow()
    each = {"score": 0.0, "status": "ok", "trace": [step("exact", "pass")]}
    flow.add(line(trace=[], predictions=[each, {**each, "score": 1.0, "trace": [step("exact", "score")]}]))
    told = flow.told()
    assert (told["unit"], told["total"]) == ("predictions", 2)


def test_means_by_field_with_intervals() -> None:
    spread = Spread()
    for place in range(10):
        spread.add(line(score=float(place < 7), group={"k": "x"}, question_type="mcq"))
        spread.add(line(score=0.5 if place else 0.7, group={"k": "y"}, question_type="open"))
    spread.add(line(score=0.0, status="llm_error", group={"k": "x"}))
    spread.add(line(score=None, group={"k": "x"}))
    told: Any = spread.told()
    x, y = told["k"]
    assert (x["name"], x["n"], x["value"]) == ("x", 10, 0.7)
    assert x["ci95"] == pytest.approx(list(wilson(7, 10)))
    assert y["value"] == pytest.approx(0.52)
    assert y["ci95"][0] < 0.52 < y["ci95"][1]
    assert [bar["name"] for bar in told["question_type"]] == ["mcq", "open"]


def test_one_group_or_hundreds_are_not_drawn() -> None:
    spread = Spread()
    for place in range(300):
        spread.add(line(group={"one": "x", "many": str(place)}))
    assert spread.told() == {}


GOLD = {"box": [0, 0, 10, 10], "category": "a", "area": 100, "crowd": False}


def said(score: float, box: tuple[float, ...] = (0, 0, 10, 10), category: str = "a") -> dict[str, Any]:
    return {"box": list(box), "score": score, "category": category}


def boxed(golds: list[Any], boxes: list[Any], **more: Any) -> dict[str, Any]:
    return line(score=None, evidence={"image": "1", "boxes": boxes, "golds": golds, **more})


def points(*rows: dict[str, Any], federated: bool = False) -> Any:
    curve = Curve(federated)
    for row in rows:
        curve.add(row)
    told: Any = curve.told()
    return told and told["points"]


FAR = (50, 50, 10, 10)


def test_precision_and_recall_by_hand() -> None:
    # Two golds: a right box at 0.9, a wrong one at 0.8, a right one at 0.7.
    other = {**GOLD, "box": [20, 20, 10, 10]}
    row = boxed([GOLD, other], [said(0.7, (20, 20, 10, 10)), said(0.9), said(0.8, FAR)])
    assert points(row) == [[0.5, 1.0, 0.9], [0.5, 0.5, 0.8], [1.0, 0.66667, 0.7]]


def test_equal_scores_enter_together() -> None:
    rows = [boxed([GOLD], [said(1.0), said(1.0, FAR)]), boxed([GOLD], [])]
    assert points(*rows) == points(*reversed(rows)) == [[0.5, 0.5, 1.0]]


def test_a_gold_is_found_once_and_only_by_its_category() -> None:
    assert points(boxed([GOLD], [said(0.9), said(0.8)])) == [[1.0, 1.0, 0.9], [1.0, 0.5, 0.8]]
    assert points(boxed([GOLD], [said(0.9, category="b")])) == [[0.0, 0.0, 0.9]]


def test_crowds_and_what_nobody_checked_do_not_count() -> None:
    crowd = {**GOLD, "box": [50, 50, 100, 100], "crowd": True}
    assert points(boxed([GOLD, crowd], [said(0.9), said(0.8, FAR)])) == [[1.0, 1.0, 0.9]]
    stray = boxed([GOLD], [said(0.9), said(0.8, FAR, "b")])
    assert points(stray, federated=True) == [[1.0, 1.0, 0.9]]
    assert points({**stray, "evidence": {**stray["evidence"], "negative": ["b"]}}, federated=True)[-1] == [
        1.0, 0.5, 0.8
    ]  # fmt: skip
    partly = boxed([GOLD], [said(0.9), said(0.8, FAR)], not_exhaustive=["a"])
    assert points(partly, federated=True) == [[1.0, 1.0, 0.9]]


def test_lent_scores_and_boxes_count() -> None:
    lent = {"original": {"scores": [0.25], "boxes": [[0, 0, 10, 10]]}}
    assert points(boxed([GOLD], [said(1.0, FAR)], modes=lent)) == [[1.0, 1.0, 0.25]]


@pytest.mark.parametrize("evidence", [None, {"iou": 0.5}, {"image": 3}, [], "x"], ids=str)
def test_other_evidence_is_no_curve(evidence: Any) -> None:
    assert points(line(evidence=evidence)) is None


def test_a_long_curve_is_thinned() -> None:
    told = points(boxed([GOLD], [said(1 - place / 5000, FAR) for place in range(4000)] + [said(0.01)]))
    assert len(told) == POINTS
    assert told[-1][:2] == [1.0, pytest.approx(1 / 4001, abs=1e-5)]


def test_numbers_against_golds() -> None:
    pairs = Pairs()
    for gold, read in (("10", "10"), ("10", "10"), ("10", "14"), ("0", "0.5"), ("10", None), ("x", "1")):
        pairs.add(line(question_type="numeric", gt=gold, extracted=read))
    pairs.add(line(question_type="mcq", gt="1", extracted="1"))
    pairs.add(line(question_type="numeric", gt="1", extracted="1", status="error"))
    told: Any = pairs.told()
    assert told["dots"] == [[0.0, 0.5, 1], [10.0, 10.0, 2], [10.0, 14.0, 1]]
    assert (told["rows"], told["unread"], told["left_out"]) == (5, 1, 0)
    within = dict(map(tuple, told["within"]))
    assert (within[0.5], within[0.45], within[0.4], within[0.35]) == (0.8, 0.6, 0.6, 0.4)


def test_nothing_to_draw() -> None:
    assert Pairs().told() is None
    assert Curve(False).told() is None


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (3, 3.0),
        ("3.5", 3.5),
        ("x", None),
        (True, None),
        (None, None),
        ("nan", None),
        ("inf", None),
        ([1], None),
    ],
    ids=str,
)
def test_what_a_number_is(value: Any, told: float | None) -> None:
    assert number(value) == told
