"""The judge in a methods section: prompts, contract, what else is taken, the official one."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.judge.templates import prompt
from mmeval.metadata import Block
from mmeval.params import declared
from mmeval.prompting import with_prompt
from mmeval.reports.judge_methods import ASKED, FAILURES, UNASKED, judge_section
from mmeval.reports.methods import methods, pipelines


def told(block: dict[str, Any]) -> list[str]:
    made = Block.model_validate(block)
    given = with_prompt(declared(made.score_params, "test"), made, None, None, "test")
    return judge_section(made, pipelines(made), given)


JUDGE = {"contract": "binary", "prompt": "judge-vdr", "official_model": "gpt-4o-2024-05-13"}


def test_nobody_is_asked_nothing_is_told() -> None:
    assert told({"score_pipeline": ["rule-match"]}) == []
    assert "Judge" not in methods(Block.model_validate({"score_pipeline": ["rule-match"]}), "", [])


def test_the_prompt_and_what_it_stands_for() -> None:
    first, *_, failures, last = told({"score_pipeline": ["llm-judge"], "score_judge": JUDGE})
    wanted = prompt("judge-vdr")
    assert first.startswith(f"* judge-vdr: {wanted.description} The reply is read by the contract binary.")
    assert all(each in first for each in wanted.official_sha256)
    assert (failures, last) == (FAILURES, UNASKED)


def test_whether_an_empty_prediction_is_asked_about() -> None:
    pair = {"contract": "pairwise", "prompt": "llava-bench"}
    assert told({"score_pipeline": ["llm-judge"], "score_judge": pair})[-1] == ASKED
    assert told({"score_pipeline": ["llm-extract", "mra"]})[-1] == UNASKED


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param({}, "Any prompt of the contract binary is taken.", id="free"),
        pytest.param({"prompts": ["judge-vdr"]}, "No other prompt of ours is taken.", id="fixed"),
        pytest.param(
            {"prompts": ["judge-vdr", "judge-rs", "hle"]},
            "--judge_prompt also takes judge-rs or hle.",
            id="listed",
        ),
        pytest.param({"inputs": {"context": "caption"}}, "Its context is the field caption.", id="inputs"),
        pytest.param({}, "The official judge is gpt-4o-2024-05-13 with the official text", id="official"),
    ],
)
def test_what_the_benchmark_says_of_it(changes: dict[str, Any], says: str) -> None:
    assert says in told({"score_pipeline": ["llm-judge"], "score_judge": {**JUDGE, **changes}})[1]


def test_every_prompt_that_may_be_put_is_told() -> None:
    ids = [line.split(":")[0] for line in told({"score_pipeline": ["rule-match", "llm-match"]})]
    assert ids[:3] == ["* option-match", "* option-match-cn", "* yes-no-match"]


def test_a_prompt_of_ours_alone_has_no_official_text() -> None:
    (line, *_) = told({"score_pipeline": ["llm-judge"]})
    assert line.endswith("No official text is known.")


def test_the_section_stands_behind_the_decision() -> None:
    block = Block.model_validate({"score_pipeline": ["llm-judge"], "score_judge": JUDGE})
    text = methods(block, "", [])
    assert text.index("\nDecision\n") < text.index("\nJudge\n") < text.index("\nHeadline\n")
