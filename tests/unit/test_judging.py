"""Cases that rules left open: heard in a window, in order, and counted from their verdicts alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from scripted_judge import case, run

from mmeval.errors import JudgeError
from mmeval.judging import judge_all
from mmeval.params import Stage
from mmeval.pipeline import Open, decide, settle
from mmeval.tally import Tally
from mmeval.types import Call, Case, Failed, Judge, Outcome, Pass, Ruling, Score, Step, Verdict


class Heard:
    """A hearing whose judge says `ruling` about everything."""

    def __init__(self, court: Court) -> None:
        self._court = court
        self.calls: tuple[Call, ...] = ()

    async def ask(self, case: Case, prompt: str, params: dict[str, Any]) -> Ruling | Outcome:
        court = self._court
        court.inside += 1
        court.most = max(court.most, court.inside)
        await asyncio.sleep(0)
        ruling = court.says(case)
        court.inside -= 1
        self.calls = (Call(prompt, "m", "m-1", "reply", "label", prompt_tokens=3, completion_tokens=2),)
        return ruling


class Court:
    """Hears up to `window` cases at once."""

    def __init__(self, says: Callable[[Case], Ruling | Outcome], window: int = 4) -> None:
        self.says = says
        self.window = window
        self.stopped: str | None = None
        self.inside = self.most = 0

    def hearing(self, stage: str) -> Heard:
        return Heard(self)


async def _put(case: Case, judge: Judge) -> Outcome:
    ruling = await judge.ask(case, "p", {})
    return Score(ruling.score or 0.0, ruling.label) if isinstance(ruling, Ruling) else ruling


def stage(call: Callable[..., Outcome | Awaitable[Outcome]] = _put, name: str = "llm-judge") -> Stage:
    return Stage(name, 1, call, False, {}, asyncio.iscoroutinefunction(call))


def opened(prediction: str = "x", *stages: Stage) -> Open:
    asked = case(prediction)
    found = settle(asked.sample, prediction, stages or (stage(),))
    assert isinstance(found, Open)
    return found


def test_rules_come_first_and_their_trace_is_kept() -> None:
    rule = Stage("rule", 2, lambda case: Pass("no-option-found"), False, {})
    found = opened("x", rule, stage())
    assert [step.stage for step in found.trace] == ["rule"]
    verdict = run(decide(found, Court(lambda case: Ruling("correct", 1.0))))
    assert [step.stage for step in verdict.trace] == ["rule", "llm-judge"]
    assert verdict.decided_by == "llm-judge" and verdict.score == 1.0
    assert verdict.trace[0].judge == () and verdict.trace[1].judge[0].model == "m-1"


def test_what_a_judge_passes_on_goes_to_the_stages_after_it() -> None:
    async def extract(case: Case, judge: Judge) -> Outcome:
        await judge.ask(case, "p", {})
        return Pass("extracted-by-judge", "5")

    def grade(case: Case) -> Outcome:
        last = case.previous[-1]
        return Score(float(isinstance(last, Pass) and last.extracted == "5"))

    stages = (stage(extract, "llm-extract"), Stage("grade", 1, grade, True, {}))
    verdict = run(decide(opened("x", *stages), Court(lambda case: Ruling("5"))))
    assert (verdict.score, verdict.decided_by) == (1.0, "grade")
    again = (stage(extract, "llm-extract"), stage())
    verdict = run(decide(opened("x", *again), Court(lambda case: Ruling("correct", 1.0))))
    assert [len(step.judge) for step in verdict.trace] == [1, 1]


def test_a_failed_judge_stops_the_sample() -> None:
    never = Stage("never", 1, lambda case: Score(1.0), False, {})
    failed = Failed("judge-failed: timeout", "llm_error")
    verdict = run(decide(opened("x", stage(), never), Court(lambda case: failed)))
    assert (verdict.status, verdict.score, verdict.decided_by) == ("llm_error", 0.0, None)


def test_a_judged_stage_that_raises_fails_its_row_alone(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(case: Case, judge: Judge) -> Outcome:
        raise ValueError("no")

    verdict = run(decide(opened("x", stage(broken)), Court(lambda case: Ruling("correct", 1.0))))
    assert (verdict.status, verdict.reason) == ("error", "llm-judge raised ValueError")
    assert "failed on sample" in caplog.text


@pytest.mark.parametrize("window", [1, 3, 50])
def test_the_window_is_never_exceeded_and_the_order_kept(window: int) -> None:
    cases = [opened(str(number)) for number in range(20)]
    court = Court(lambda case: Ruling(case.prediction, 1.0), window)
    told: list[int] = []
    verdicts = run(judge_all(cases, court, told.append))
    assert [verdict.extracted for verdict in verdicts] == [str(number) for number in range(20)]
    assert court.most == min(window, 20) and sum(told) == 20


def test_a_court_that_stops_finishes_what_is_in_hand() -> None:
    court = Court(lambda case: Ruling("correct", 1.0), window=2)

    def says(case: Case) -> Ruling:
        if case.prediction == "5":
            court.stopped = "interrupted"
        return Ruling("correct", 1.0)

    court.says = says
    verdicts = run(judge_all([opened(str(number)) for number in range(20)], court, lambda rows: None))
    done = [verdict for verdict in verdicts if verdict.status == "ok"]
    assert 6 <= len(done) <= 8
    assert {verdict.reason for verdict in verdicts if verdict.status != "ok"} == {"interrupted"}
    assert verdicts[-1].trace[-1].outcome == Failed("interrupted", "llm_error")


def test_a_judge_that_nobody_can_ask_ends_it_with_one_error() -> None:
    def says(case: Case) -> Ruling:
        raise JudgeError("no key")

    with pytest.raises(JudgeError, match="no key"):
        run(judge_all([opened(str(number)) for number in range(9)], Court(says), lambda rows: None))


def call(asked: str = "m", model: str | None = "m-1", **more: Any) -> Call:
    return Call("p", asked, model, "reply", "correct", **more)


def verdict(status: Any, reason: str | None, decided_by: str | None, *calls: Call) -> Verdict:
    step = Step("llm-judge", 1, Pass(reason or "x"), calls)
    return Verdict(0.0, status, decided_by, reason, None, None, None, (step,))


def test_the_tally_is_made_of_the_verdicts() -> None:
    tally = Tally()
    tally.add(verdict("ok", None, "llm-judge", call(prompt_tokens=10, completion_tokens=2)))
    tally.add(verdict("ok", None, "llm-judge", call(asked="n", model=None, prompt_tokens=7)))
    tally.add(verdict("llm_error", "judge-failed: timeout", None))
    tally.add(verdict("ok", "rules-only", None))
    assert tally.summary(0.5) == {
        "asked": 4,
        "replies": 2,
        "failures": {"judge-failed: timeout": 1},
        "prompt_tokens": 17,
        "completion_tokens": 2,
        "cost_usd": 0.5,
    }
    assert tally.answered == ["m-1", "n"]
    assert tally.tokens == {"m": [10, 2], "n": [7, 0]}
    assert (tally.undecided, tally.unasked) == (1, 1)


def test_a_row_counts_once_however_many_of_its_predictions_were_judged() -> None:
    tally = Tally()
    tally.add(verdict("ok", None, "llm-judge", call()), verdict("ok", None, "llm-judge", call()))
    tally.add(verdict("ok", "empty-prediction", "llm-judge"), verdict("llm_error", "dry-run", None))
    tally.add(verdict("ok", "empty-prediction", "llm-judge"), verdict("invalid", "missing-image", None))
    assert (tally.asked, tally.replies, tally.failures, tally.unasked) == (3, 2, {"dry-run": 1}, 1)
