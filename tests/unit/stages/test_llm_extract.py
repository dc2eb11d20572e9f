"""llm-extract: passes on what the judge reads, and never decides."""

from __future__ import annotations

import pytest
from scripted_judge import Scripted, case, run

from mmeval.stages.llm_extract import LlmExtract
from mmeval.types import Failed, Outcome, Pass, Ruling

CASES = [
    pytest.param(Ruling("3.5"), Pass("extracted-by-judge", "3.5"), id="value"),
    pytest.param(Ruling("  3.5 "), Pass("extracted-by-judge", "3.5"), id="trimmed"),
    pytest.param(Ruling(""), Pass("nothing-extracted"), id="none"),
    pytest.param(
        Ruling("correct", 1.0, {"extracted": "12"}), Pass("extracted-by-judge", "12"), id="of-a-grader"
    ),
    pytest.param(
        Ruling("invalid", 0.0, {"extracted": ""}), Pass("nothing-extracted"), id="a-grader-read-nothing"
    ),
    pytest.param(
        Ruling("invalid", 0.0, {"extracted": "3"}), Pass("nothing-extracted"), id="a-grader-calls-it-invalid"
    ),
    pytest.param(Failed("judge-unreadable: empty", "llm_error"), None, id="failed"),
]


@pytest.mark.parametrize(("said", "outcome"), CASES)
def test_what_was_extracted_goes_on(said: Ruling | Outcome, outcome: Outcome | None) -> None:
    judge = Scripted(said)
    assert run(LlmExtract()(case("so 3.5"), judge)) == (outcome or said)
    assert judge.asked == [("default-extract", {})]


def test_an_empty_prediction_costs_nothing() -> None:
    judge = Scripted(Ruling("3"))
    assert run(LlmExtract()(case("  \n"), judge)) == Pass("nothing-extracted")
    assert judge.asked == []


def test_the_prompt_is_the_declared_one() -> None:
    judge = Scripted(Ruling("3"))
    run(LlmExtract("mathvista-extract")(case("so 3"), judge))
    assert judge.asked == [("mathvista-extract", {})]
