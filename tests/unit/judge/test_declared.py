"""What a benchmark declares of its judge: wrong names, other contracts, prompts that no stage can use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import MetadataError
from mmeval.lint import lint

BINARY = {"contract": "binary", "prompt": "default-binary"}
SHA = {"official_prompt_sha256": 64 * "0"}
WRONG: list[Any] = [
    pytest.param(
        {"contract": "binry"},
        "score_judge.contract: no contract 'binry'; did you mean 'binary'",
        id="contract",
    ),
    pytest.param(
        {"prompt": "defalt-binary"},
        "score_judge.prompt: no judge prompt 'defalt-binary'; did you",
        id="prompt",
    ),
    pytest.param({"prompt": "hl", "prompts": ["hle"]}, "score_judge.prompt: no judge prompt 'hl'", id="main"),
    pytest.param(
        {"prompts": ["hle", "nosuch"]}, "score_judge.prompts[1]: no judge prompt 'nosuch'", id="prompts"
    ),
    pytest.param(
        {"contract": "scale"},
        "contract: that of prompt default-binary is binary, the declared one scale",
        id="other",
    ),
    pytest.param(
        {"inputs": {"refrence": "long"}},
        "inputs.refrence: no prompt shows 'refrence'; did you mean",
        id="input",
    ),
    pytest.param({"official_prompt_sha256": "abc"}, "score_judge.official_prompt_sha256", id="hash"),
    pytest.param(
        {"contract": "extract-value", "prompt": "default-extract"}, "asks for an answer", id="no-verdict"
    ),
]


def linted(folder: Path, judge: dict[str, Any], **more: Any) -> list[str]:
    path = folder / "metadata.json"
    block = {"score_pipeline": ["llm-judge"], "score_judge": {**BINARY, **judge}, **more}
    path.write_text(json.dumps({"dataset_name": "mine", "subsets": {"main": block}}))
    return lint(path)


@pytest.mark.parametrize(("judge", "says"), WRONG)
def test_what_cannot_hold_together_is_named_with_its_path(tmp_path: Path, judge: Any, says: str) -> None:
    with pytest.raises(MetadataError) as error:
        linted(tmp_path, judge)
    assert says in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'metadata.json'} at $.subsets.main")


@pytest.mark.parametrize(
    "judge",
    [
        pytest.param({}, id="plain"),
        pytest.param({"prompts": ["default-binary", "hle"], **SHA}, id="several"),
        pytest.param({"prompts": ["default-binary", "mmbrowsecomp"]}, id="of-several-contracts"),
        pytest.param({"inputs": {"reference": "long_answer"}}, id="input"),
        pytest.param({"inputs": {"caption": "gt_caption"}}, id="for-a-user's-text"),
        pytest.param({"prompt": "judge_vdr"}, id="another-name-of-it"),
    ],
)
def test_what_holds_together_passes(tmp_path: Path, judge: Any) -> None:
    assert linted(tmp_path, judge) == ["main: llm-judge -> accuracy"]


def test_a_stages_own_prompt_is_looked_at(tmp_path: Path) -> None:
    own = {"score_params": {"stages": {"llm-judge": {"prompt": "nosuch"}}}}
    with pytest.raises(MetadataError, match=r"\$\.subsets\.main: no judge prompt 'nosuch'"):
        linted(tmp_path, {}, **own)
