"""Which prompt a judged stage puts."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.errors import UsageError
from mmeval.metadata import Block
from mmeval.params import declared
from mmeval.prompting import with_prompt

JUDGE = {"contract": "binary", "prompt": "judge-vdr", "prompts": ["judge-vdr", "hle"]}
MATCH = {
    "contract": "extract-option",
    "prompt": "option-match",
    "prompts": ["option-match", "option-match-cn"],
}


def prompts(
    block: dict[str, Any], wanted: str | None = None, pipeline: list[str] | None = None
) -> dict[str, str]:
    made = Block.model_validate(block)
    given = with_prompt(declared(made.score_params, "here"), made, pipeline, wanted, "here")
    return {stage: own["prompt"] for stage, own in given.stages.items() if "prompt" in own}


@pytest.mark.parametrize(
    ("block", "wanted", "pipeline", "expected"),
    [
        pytest.param({"score_pipeline": ["llm-judge"]}, None, None, {}, id="nobody-says"),
        pytest.param(
            {"score_pipeline": ["llm-judge"], "score_judge": JUDGE},
            None,
            None,
            {"llm-judge": "judge-vdr"},
            id="the-benchmark",
        ),
        pytest.param(
            {"score_pipeline": ["llm-judge"], "score_judge": JUDGE},
            "hle",
            None,
            {"llm-judge": "hle"},
            id="the-user",
        ),
        pytest.param(
            {
                "score_pipeline": ["llm-extract", "llm-judge"],
                "score_judge": JUDGE,
                "score_params": {"stages": {"llm-extract": {"prompt": "mathverse-extract"}}},
            },
            "hle",
            None,
            {"llm-extract": "mathverse-extract", "llm-judge": "hle"},
            id="a-stages-own-prompt-stays",
        ),
        pytest.param(
            {"score_pipeline": ["rule-match", "llm-match"], "score_judge": MATCH},
            None,
            None,
            {},
            id="llm-match-chooses-by-question",
        ),
        pytest.param(
            {"score_pipeline": ["rule-match", "llm-match"], "score_judge": MATCH},
            "option-match-cn",
            None,
            {"llm-match": "option-match-cn"},
            id="unless-the-user-chooses",
        ),
        pytest.param(
            {"score_pipeline": ["rule-match", "llm-match"], "score_judge": MATCH},
            None,
            ["llm-judge"],
            {},
            id="another-pipeline-has-another-judge",
        ),
        pytest.param(
            {"score_pipeline": ["rule-match"]}, "hle", ["llm-judge"], {"llm-judge": "hle"}, id="forced"
        ),
    ],
)
def test_who_names_the_prompt(
    block: dict[str, Any], wanted: str | None, pipeline: list[str] | None, expected: dict[str, str]
) -> None:
    assert prompts(block, wanted, pipeline) == expected


def test_a_prompt_that_the_benchmark_does_not_take_is_refused() -> None:
    with pytest.raises(UsageError, match="--judge_prompt vbb: here takes judge-vdr or hle"):
        prompts({"score_pipeline": ["llm-judge"], "score_judge": JUDGE}, "vbb")
