"""Runs of HELM. Layout: stanford-crfm/helm, `scenario_state.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import ResultError, UsageError
from mmeval.readers.foreign import Choice
from mmeval.readers.helm import read


def state(*requests: dict[str, Any]) -> dict[str, Any]:
    return {
        "adapter_spec": {"model": "org/m", "method": "multiple_choice_joint"},
        "request_states": list(requests),
    }


def request(**columns: Any) -> dict[str, Any]:
    references = [
        {"output": {"text": "cat"}, "tags": []},
        {"output": {"text": "dog"}, "tags": ["correct"]},
    ]
    instance = {"id": "id1", "split": "test", "input": {"text": "Which?"}, "references": references}
    said = {"completions": [{"text": " B"}]}
    return {"instance": instance, "output_mapping": {"A": "cat", "B": "dog"}, "result": said, **columns}


def written(folder: Path, content: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "scenario_state.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_a_run(tmp_path: Path) -> None:
    found = read(written(tmp_path / "pets:model=m", state(request(), request(train_trial_index=1))), Choice())
    assert found.rows[0] == {
        "eval-id": "id1",
        "messages": [
            {"role": "user", "question": "Which?", "options": {"A": "cat", "B": "dog"}},
            {"role": "assistant", "response": " B"},
        ],
        "answer": "B",
        "dataset_meta": {"dataset_name": "pets"},
        "split": "test",
    }
    assert found.rows[1]["eval-id"] == "id1-1"
    assert (found.about["task"], found.about["model"]) == ("pets", "org/m")
    assert any("were not carried" in text for text in found.warnings)


def test_pictures_in_the_input_and_no_mapping(tmp_path: Path) -> None:
    media = [
        {"content_type": "image/png", "location": "a.png"},
        {"content_type": "text/plain", "text": "Which?"},
    ]
    one = request(output_mapping=None)
    one["instance"]["input"] = {"text": "", "multimedia_content": {"media_objects": media}}
    row = read(written(tmp_path, state(one)), Choice()).rows[0]
    assert row["messages"][0] == {"role": "user", "question": "Which?"}  # type: ignore[index,call-overload]
    assert row["answer"] == "dog"


@pytest.mark.parametrize(
    "content", [state(), '{"adapter_spec": {}, "request_states": ['], ids=["empty", "torn"]
)
def test_refused(tmp_path: Path, content: Any) -> None:
    with pytest.raises(ResultError, match=r"holds no requests|broken JSON"):
        read(written(tmp_path, content), Choice())


def test_nothing_to_choose(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leave them out"):
        read(written(tmp_path, state(request())), Choice(metric="em"))
