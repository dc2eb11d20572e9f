"""Settling one case: order, borders, and what is never decided."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

import pytest

from mmeval.errors import MetadataError
from mmeval.params import Stage
from mmeval.pipeline import settle
from mmeval.types import (
    Case,
    Failed,
    Invalid,
    Json,
    Measured,
    Options,
    Outcome,
    Pass,
    Sample,
    Score,
    Verdict,
)


def sample(answer: Json = "B", **more: Any) -> Sample:
    references = (str(answer),) if answer is not None else ()
    return Sample(7, "q", Options(()), answer, more.pop("references", references), ("B",), "open", **more)


def stage(name: str, call: Callable[[Case], Outcome], grader: bool = False) -> Stage:
    return Stage(name, 3, call, grader, {})


def says(name: str, outcome: Any) -> Stage:
    return stage(name, lambda case: outcome)


def never(name: str = "never") -> Stage:
    def call(case: Case) -> Outcome:
        raise AssertionError("this stage must not be asked")

    return stage(name, call)


@pytest.mark.parametrize(
    ("outcome", "score", "status", "decided_by", "reason"),
    [
        pytest.param(Score(1.0, "B", (0, 1), "boxed"), 1.0, "ok", "one", "boxed", id="right"),
        pytest.param(Score(0.0, "C", None, "cue"), 0.0, "ok", "one", "cue", id="wrong"),
        pytest.param(Score(0.4, "B"), 0.4, "ok", "one", None, id="partly"),
        pytest.param(Score(True, "B"), 1.0, "ok", "one", None, id="bool"),
        pytest.param(Measured({"iou": [0.5]}, "box"), None, "ok", "one", None, id="measured"),
        pytest.param(Invalid("unparsable-gold"), 0.0, "invalid", None, "unparsable-gold", id="invalid"),
        pytest.param(Failed("no judge", "llm_error"), 0.0, "llm_error", None, "no judge", id="llm-error"),
        pytest.param(Failed("broke"), 0.0, "error", None, "broke", id="error"),
    ],
)
def test_the_first_outcome_that_is_no_pass_settles(
    outcome: Outcome, score: float | None, status: str, decided_by: str | None, reason: str | None
) -> None:
    verdict = settle(sample(), "B", [says("zero", Pass("nothing")), says("one", outcome), never()])
    assert (verdict.score, verdict.status) == (score, status)
    assert (verdict.decided_by, verdict.reason) == (decided_by, reason)
    assert [step.stage for step in verdict.trace] == ["zero", "one"]
    assert {step.version for step in verdict.trace} == {3}


def test_what_was_read_stands_in_the_verdict() -> None:
    verdict = settle(sample(), "so: B", [says("one", Score(1.0, "B", (4, 5), "cue", {"k": 1}))])
    assert (verdict.extracted, verdict.span, verdict.evidence) == ("B", (4, 5), {"k": 1})


@pytest.mark.parametrize(
    ("answer", "references", "prediction", "reason"),
    [
        pytest.param("B", ("B",), None, "missing-prediction", id="no-prediction"),
        pytest.param(None, (), "B", "missing-reference", id="no-gold"),
        pytest.param("", ("",), "B", "blank-reference", id="empty-gold"),
        pytest.param(" \t\n", (" \t\n",), "B", "blank-reference", id="blank-gold"),
        pytest.param([], (), "B", "missing-reference", id="empty-list"),
        pytest.param(["", " "], ("", " "), "B", "blank-reference", id="blank-list"),
        pytest.param(" ", (), "B", "blank-reference", id="blank-gold-as-read"),
        pytest.param(["", " "], (), "B", "blank-reference", id="blank-list-as-read"),
    ],
)
def test_without_a_prediction_or_a_gold_no_stage_is_asked(
    answer: Json, references: tuple[str, ...], prediction: str | None, reason: str
) -> None:
    verdict = settle(sample(answer, references=references), prediction, [never()])
    assert (verdict.status, verdict.reason, verdict.score) == ("invalid", reason, 0.0)
    assert verdict.trace == ()


@pytest.mark.parametrize("prediction", ["", " ", "\x00"])
def test_an_empty_prediction_is_an_answer(prediction: str) -> None:
    verdict = settle(sample(), prediction, [says("one", Pass("no-option-found"))])
    assert (verdict.status, verdict.decided_by, verdict.score) == ("ok", None, 0.0)
    assert verdict.reason == "no-option-found"


@pytest.mark.parametrize("answer", [[[0, 0, 1, 1]], [{"box": [0, 0, 1, 1]}], {"box": []}])
def test_a_gold_that_is_no_text_is_left_to_the_stages(answer: Json) -> None:
    boxes = sample(answer, references=())
    assert settle(boxes, "[0, 0, 1, 1]", [says("one", Score(1.0))]).score == 1.0


@pytest.mark.parametrize("answer", [0, 0.0, False, "0"])
def test_a_gold_that_is_falsy_is_a_gold(answer: Json) -> None:
    assert settle(sample(answer), "0", [says("one", Score(1.0))]).score == 1.0


def test_undecided_tells_what_was_read_last() -> None:
    stages = [says("a", Pass("first", "C", (0, 1))), says("b", Pass("last"))]
    verdict = settle(sample(), "C", stages)
    assert (verdict.decided_by, verdict.reason, verdict.extracted) == (None, "first", "C")
    assert verdict.span == (0, 1)


def test_undecided_and_nothing_read_tells_the_last_reason() -> None:
    verdict = settle(sample(), "C", [says("a", Pass("first")), says("b", Pass("last"))])
    assert (verdict.reason, verdict.extracted) == ("last", None)


def test_a_stage_sees_the_outcomes_before_it() -> None:
    seen: list[tuple[Outcome, ...]] = []

    def look(case: Case) -> Outcome:
        seen.append(case.previous)
        return Score(1.0, case.previous[0].extracted if isinstance(case.previous[0], Pass) else None)

    stages = [says("a", Pass("read", "12")), says("b", Pass("no")), stage("c", look)]
    verdict = settle(sample(), "12", stages)
    assert seen == [(Pass("read", "12"), Pass("no"))]
    assert verdict.extracted == "12"


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("k"), RecursionError(), MemoryError()])
def test_a_stage_that_raises_is_a_failed_row(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    def broken(case: Case) -> Outcome:
        raise error

    with caplog.at_level(logging.ERROR, "mmeval"):
        verdict = settle(sample(), "B", [stage("broken", broken), never()])
    assert verdict.status == "error"
    assert verdict.reason == f"broken raised {type(error).__name__}"
    assert verdict.decided_by is None
    assert isinstance(verdict.trace[-1].outcome, Failed)
    assert "broken" in caplog.text
    assert "7" in caplog.text


def test_an_interrupt_is_not_a_failed_row() -> None:
    def interrupted(case: Case) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        settle(sample(), "B", [stage("slow", interrupted)])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.1, 1.0000001, 2, "1", None, [1]])
def test_a_score_that_is_no_share_is_refused(value: Any, caplog: pytest.LogCaptureFixture) -> None:
    verdict = settle(sample(), "B", [says("loose", Score(value)), never()])
    assert verdict.status == "error"
    assert verdict.reason == "loose gave a score outside 0..1"
    assert "loose" in caplog.text


@pytest.mark.parametrize("answer", [None, 1.0, "pass", True])
def test_what_is_no_outcome_is_a_failed_row(answer: Any) -> None:
    verdict: Verdict = settle(sample(), "B", [says("odd", answer), never()])
    assert (verdict.status, verdict.reason) == ("error", "odd returned no outcome")
    assert isinstance(verdict.trace[-1].outcome, Failed)


def looks_itself(outcome: Outcome) -> Stage:
    return stage("boxes", lambda case: outcome, grader=True)._replace(own_gold=True)


@pytest.mark.parametrize("answer", [None, [], "", " "])
def test_a_stage_that_looks_for_the_gold_itself_is_asked_without_one(answer: Json) -> None:
    verdict = settle(sample(answer, references=()), "[]", [looks_itself(Measured({"fn": 0}))])
    assert (verdict.status, verdict.score, verdict.evidence) == ("ok", None, {"fn": 0})


@pytest.mark.parametrize(
    ("outcome", "evidence"),
    [
        pytest.param(Measured({"fn": 3}), {"fn": 3}, id="measured"),
        pytest.param(Invalid("unparsable-gold"), None, id="invalid"),
        pytest.param(Score(1.0, evidence={"iou": 1}), None, id="scored"),
        pytest.param(Failed("broke"), None, id="failed"),
    ],
)
def test_without_a_reply_the_golds_stay_to_be_found(outcome: Outcome, evidence: Json) -> None:
    verdict = settle(sample(), None, [looks_itself(outcome)])
    assert (verdict.status, verdict.reason, verdict.score) == ("invalid", "missing-prediction", 0.0)
    assert (verdict.decided_by, verdict.evidence, verdict.trace) == (None, evidence, ())


def test_resources_reach_every_stage() -> None:
    seen: list[object] = []

    def call(case: Case) -> Outcome:
        seen.append(case.resources["names"])
        return Pass("not-applicable")

    settle(sample(), "B", [stage("one", call), stage("two", call)], {"names": 5})
    assert seen == [5, 5]
    assert Case(sample(), "B").resources == {}


def test_a_broken_file_of_the_run_is_no_flaw_of_a_row() -> None:
    def broken(case: Case) -> Outcome:
        raise MetadataError("resource 'x': a.json: truncated; fetch the file again")

    with pytest.raises(MetadataError, match="truncated"):
        settle(sample(), "B", [stage("broken", broken), never()])
