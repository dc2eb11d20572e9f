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


@pytest.mark.parametrize("choice", [Choice(metric="em"), Choice(filter="strict")])
def test_nothing_to_choose(tmp_path: Path, choice: Choice) -> None:
    with pytest.raises(UsageError, match=r"has none"):
        read(written(tmp_path, state(request())), choice)


def test_likelihoods_of_references_are_no_answers(tmp_path: Path) -> None:
    asked = [request(reference_index=number) for number in (0, 1)]
    with pytest.raises(ResultError, match="likelihood of each reference"):
        read(written(tmp_path, state(*asked)), Choice())


def test_perturbed_copies_bear_names_of_their_own(tmp_path: Path) -> None:
    copy = request()
    copy["instance"]["perturbation"] = {"name": "typos", "seed": 3}
    found = read(written(tmp_path, state(request(), copy)), Choice())
    assert [row["eval-id"] for row in found.rows] == ["id1", "id1-typos"]
    assert any("perturbed copy" in text for text in found.warnings)


def test_a_failed_request_has_no_answer(tmp_path: Path) -> None:
    failed = request(result={"success": False, "completions": [], "error": "timeout"})
    found = read(written(tmp_path, state(failed)), Choice())
    assert found.rows[0]["messages"][1] == {"role": "assistant", "response": None}  # type: ignore[index,call-overload]
    assert any("the request failed" in text for text in found.warnings)


def stat(name: str, mean: Any) -> dict[str, Any]:
    return {"name": {"name": name, "split": "test"}, "count": 1, "mean": mean}


STATISTICS = [
    {"instance_id": "id1", "train_trial_index": 0, "stats": [stat("num_bytes", 1), stat("em", 0.0)]},
    {"instance_id": "id1", "train_trial_index": 1, "stats": [stat("num_bytes", 1), stat("em", 1.0)]},
]


def test_statistics_are_verdicts_where_one_is_chosen(tmp_path: Path) -> None:
    path = written(tmp_path, state(request(), request(train_trial_index=1), request(train_trial_index=2)))
    (tmp_path / "per_instance_stats.json").write_text(json.dumps(STATISTICS), encoding="utf-8")
    assert any("several metrics (em, num_bytes)" in text for text in read(path, Choice()).warnings)
    found = read(path, Choice(metric="em"))
    assert [row["recorded"]["score"] for row in found.rows] == [0, 1, None]  # type: ignore[index,call-overload]
    assert found.about["metric"] == "em"


@pytest.mark.parametrize("content", ["[{", "{}", "[1]"])
def test_statistics_that_are_none(tmp_path: Path, content: str) -> None:
    path = written(tmp_path, state(request()))
    (tmp_path / "per_instance_stats.json").write_text(content, encoding="utf-8")
    assert "recorded" not in read(path, Choice()).rows[0]
