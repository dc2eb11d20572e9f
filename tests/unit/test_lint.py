"""What `mmeval check` finds without a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import MetadataError
from mmeval.lint import lint

ROUTE = {
    "route": ["task"],
    "cases": [{"when": {"task": ["a"]}, "pipeline": ["mra"]}],
    "default": ["exact-match", "rule-match"],
}
AGGREGATES = [{"name": "score", "reduce": "mean", "headline": True}]


def check(tmp_path: Path, block: dict[str, Any], **top: Any) -> list[str]:
    path = tmp_path / "metadata.json"
    path.write_text(json.dumps({"subsets": {"main": block}, **top}))
    return lint(path)


@pytest.mark.parametrize(
    ("block", "says"),
    [
        pytest.param({"score_pipeline": ["anls"]}, "main: anls -> mean_score", id="grader"),
        pytest.param(
            {"score_pipeline": ["exact-match", "rule-match"], "score_aggregates": AGGREGATES},
            "main: exact-match,rule-match -> score",
            id="aggregates",
        ),
        pytest.param(
            {"score_pipeline": ROUTE}, "main: mra | exact-match,rule-match -> mean_score", id="route"
        ),
        pytest.param({"score_pipeline": []}, "main: exact-match,rule-match -> accuracy", id="none-official"),
        pytest.param(
            {}, "main: declares no pipeline; the library or the default pipeline decides", id="bare"
        ),
        pytest.param(
            {"score_pipeline": {"unsupported": "boxes"}}, "main: unsupported (boxes)", id="unsupported"
        ),
        pytest.param(
            {"score_pipeline": ["anls"], "score_params": {"numeric_rel_tol": 0.1, "rubric": "r"}},
            "main: anls -> mean_score; unused parameters: numeric_rel_tol, rubric",
            id="unused",
        ),
    ],
)
def test_what_a_block_declares(tmp_path: Path, block: dict[str, Any], says: str) -> None:
    assert check(tmp_path, block) == [says]


def test_variants_and_subsets_are_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "metadata.json"
    block = {"score_pipeline": ["anls"], "variants": {"v": {"score_pipeline": ["mra"]}}}
    path.write_text(json.dumps({"subsets": {"a": block, "b": {"score_pipeline": ["count-parse"]}}}))
    assert [line.partition(":")[0] for line in lint(path)] == ["a", "a@v", "b"]


@pytest.mark.parametrize(
    ("block", "where", "says"),
    [
        pytest.param({"score_pipeline": ["anl"]}, "$.subsets.main", "did you mean 'anls'?", id="stage"),
        pytest.param(
            {"score_pipeline": ["anls"], "score_params": {"treshold": 1}},
            "$.subsets.main",
            "did you mean 'threshold'?",
            id="parameter",
        ),
        pytest.param(
            {"score_params": {"stages": {"anl": {}}}}, "$.subsets.main", "did you mean 'anls'?", id="stages"
        ),
        pytest.param(
            {"score_pipeline": ["anls"], "score_aggregates": [{**AGGREGATES[0], "reduce": "maen"}]},
            "$.subsets.main",
            "did you mean 'mean'?",
            id="reducer",
        ),
        pytest.param(
            {"score_aggregates": [{**AGGREGATES[0], "reduce": "maen"}]},
            "$.subsets.main",
            "did you mean 'mean'?",
            id="reducer-without-pipeline",
        ),
        pytest.param(
            {"variants": {"v": {"score_pipeline": ["anl"]}}},
            "$.subsets.main.variants.v",
            "did you mean 'anls'?",
            id="variant",
        ),
        pytest.param({"score_pipelines": []}, "$.subsets.main", "did you mean 'score_pipeline'?", id="key"),
        pytest.param({"score_type": "x"}, "$.subsets.main", "retired", id="retired"),
    ],
)
def test_the_first_mistake_is_told_with_its_place(
    tmp_path: Path, block: dict[str, Any], where: str, says: str
) -> None:
    with pytest.raises(MetadataError) as caught:
        check(tmp_path, block)
    assert f"{tmp_path / 'metadata.json'} at {where}" in str(caught.value)
    assert says in str(caught.value)
