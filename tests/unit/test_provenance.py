"""What a score says of itself, and what its fingerprint is made of."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval import provenance
from mmeval.protocol import Overrides
from mmeval.runner import Job, score_run

Write = Callable[..., Path]
Make = Callable[..., dict[str, Any]]


@pytest.fixture
def scored(write_run: Write, sample_row: Make) -> Callable[..., dict[str, Any]]:
    rows = [sample_row(1, "12", "12"), sample_row(2, "12", "13")]

    def run(meta: dict[str, Any] | None = None, name: str = "run", **overrides: Any) -> dict[str, Any]:
        path = write_run(rows, meta, name)
        made: dict[str, Any] = json.loads(score_run(path, Job(Overrides(**overrides))).score.read_bytes())
        return made

    return run


def test_config_has_every_field_of_simple_mmeval(scored: Callable[..., dict[str, Any]]) -> None:
    config = scored()["config"]
    assert {
        "dataset_name",
        "subset",
        "split",
        "score_pipeline",
        "score_gt_field",
        "score_pred_field",
        "score_question_type",
        "judge_provider",
        "judge_model",
        "judge_temperature",
        "judge_max_tokens",
        "task_type",
        "official_protocol",
        "knob_sources",
        "protocol_notes",
    } <= config.keys()
    assert config["schema_version"] == 1
    assert config["score_gt_field"] == "answer"
    assert config["score_pred_field"] == "messages[-1].response"


def test_no_path_and_no_clock(scored: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    first, second = scored(name="one"), scored(name="two")
    assert first == second
    assert str(tmp_path) not in json.dumps(first)


def test_hashes_and_versions(scored: Callable[..., dict[str, Any]]) -> None:
    made = scored()["provenance"]
    assert made["stages"] == {"exact-match": 1, "rule-match": 1}
    assert set(made["libraries"]) == set(provenance.LIBRARIES)
    assert made["result"]["file"] == "result.json"
    assert len(made["result"]["sha256"]) == len(made["protocol_sha256"]) == 64


@pytest.mark.parametrize(
    ("meta", "overrides", "same"),
    [
        pytest.param(None, {}, True, id="same"),
        pytest.param({}, {}, False, id="the-file-differs"),
        pytest.param(None, {"params": {"numeric_rel_tol": 0.1}}, False, id="parameter"),
        pytest.param(None, {"params": {"threshold": 0.1}}, False, id="unused-parameter"),
        pytest.param(None, {"pipeline": ("exact-match",)}, False, id="pipeline"),
        pytest.param(None, {"question_type": "numeric"}, False, id="question-type"),
        pytest.param(None, {"gt_field": "answer"}, False, id="who-decided"),
    ],
)
def test_the_fingerprint_covers(
    scored: Callable[..., dict[str, Any]], meta: Any, overrides: dict[str, Any], same: bool
) -> None:
    base = scored(name="base")["config"]["fingerprint"]
    other = scored(meta, name="other", **overrides)["config"]["fingerprint"]
    assert (base == other) is same


@pytest.mark.parametrize(
    ("values", "said"),
    [((), None), ((None,), None), (("a",), "a"), (("a", "b"), ["a", "b"]), ((None, "b"), [None, "b"])],
)
def test_one_subset_or_all(values: tuple[str | None, ...], said: object) -> None:
    assert provenance.one_or_all(values) == said


def test_what_is_not_installed_has_no_version() -> None:
    assert provenance.version("no-such-distribution-anywhere") is None
    assert provenance.version("msgspec") is not None
