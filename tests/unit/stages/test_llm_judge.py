"""llm-judge: what the judge rules is what the row gets."""

from __future__ import annotations

from typing import Any

import pytest
from scripted_judge import Scripted, case, run

from mmeval.errors import UsageError
from mmeval.stages.llm_judge import LlmJudge
from mmeval.types import Failed, Invalid, Measured, Outcome, Pass, Ruling, Score

RULINGS = [
    pytest.param(Ruling("correct", 1.0), Score(1.0, "correct", None, "judged"), id="correct"),
    pytest.param(Ruling("incorrect", 0.0), Score(0.0, "incorrect", None, "judged"), id="incorrect"),
    pytest.param(
        Ruling("not-attempted", 0.0), Score(0.0, "not-attempted", None, "judged"), id="not-attempted"
    ),
    pytest.param(
        Ruling("0.3", 0.3, {"rating": 0.3}), Score(0.3, "0.3", None, "judged", {"rating": 0.3}), id="partial"
    ),
    pytest.param(
        Ruling("8:10", None, {"reference": 8, "model": 10}),
        Measured({"reference": 8, "model": 10}, "8:10"),
        id="the-number-is-made-over-the-run",
    ),
    pytest.param(Failed("judge-failed: timeout", "llm_error"), None, id="failed-stays-failed"),
    pytest.param(Invalid("missing-image"), None, id="invalid-stays-invalid"),
    pytest.param(Pass("judges-tied"), None, id="tied-stays-open"),
]


@pytest.mark.parametrize(("said", "outcome"), RULINGS)
def test_the_ruling_is_the_outcome(said: Ruling | Outcome, outcome: Outcome | None) -> None:
    assert run(LlmJudge()(case("green", kind="open"), Scripted(said))) == (outcome or said)


@pytest.mark.parametrize(
    ("stage", "prompt", "params"),
    [
        (LlmJudge(), "default-binary", {}),
        (LlmJudge(prompt="judge-vdr"), "judge-vdr", {}),
        (LlmJudge(rubric="three_way"), "default-three-way", {}),
        (LlmJudge(rubric="scale", scale=(0, 6)), "default-scale", {"lo": 0, "hi": 6}),
        (
            LlmJudge(rubric="partial_credit", reference_syntax="and_or_composition"),
            "default-partial-credit",
            {"reference_syntax": "and_or_composition"},
        ),
        (LlmJudge(judge_inputs=("caption",)), "default-binary", {"judge_inputs": ["caption"]}),
    ],
)
def test_what_mm_eval_declares_is_put_to_the_judge(
    stage: LlmJudge, prompt: str, params: dict[str, Any]
) -> None:
    judge = Scripted(Ruling("correct", 1.0))
    run(stage(case("x", kind="open"), judge))
    assert judge.asked == [(prompt, params)]
    assert stage.prompts == (prompt,)


def test_where_an_earlier_judge_found_no_answer_nobody_is_asked_again() -> None:
    judge = Scripted(Ruling("correct", 1.0))
    outcome = run(LlmJudge()(case("hm", previous=[Pass("nothing-extracted")]), judge))
    assert outcome == Score(0.0, None, None, "nothing-extracted")
    assert judge.asked == []


@pytest.mark.parametrize("scale", [(5.0, 5.0), (6.0, 0.0)])
def test_a_scale_without_length_is_refused(scale: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match="scale must be"):
        LlmJudge(rubric="scale", scale=scale)


def test_settings_that_no_rubric_reads_are_refused() -> None:
    with pytest.raises(UsageError, match="scale is for rubric 'scale', not 'binary'"):
        LlmJudge(scale=(0.0, 10.0))
    assert LlmJudge(scale=(0.0, 10.0), prompt="scale-0-10").prompts == ("scale-0-10",)
    with pytest.raises(UsageError, match="reference_syntax must be 'and_or_composition', not 'xor'"):
        LlmJudge(rubric="partial_credit", reference_syntax="xor")
