"""What differs between two scores, and whether it can change a verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmeval.compare.knobs import differing, same_predictions
from mmeval.reports.scorefile_reader import Document, _File

CONFIG: dict[str, Any] = {
    "dataset_name": "x",
    "score_pipeline": ["rule-match"],
    "params_effective": {"rule-match": {"option_rules": "robust"}},
    "score_aggregates": [{"name": "accuracy", "reduce": "mean"}],
    "judge_model": "m",
    "judge_model_answered": "m",
    "judge_prompts": {"p": "1"},
}
PROVENANCE: dict[str, Any] = {
    "mmeval": "1",
    "stages": {"rule-match": 1},
    "libraries": {"numpy": "2"},
    "resources": {"boxes": {"sha256": "a"}},
    "result": {"sha256": "r"},
}


def document(config: dict[str, Any] | None = None, provenance: dict[str, Any] | None = None) -> Document:
    told = {**CONFIG, **(config or {})}, {}, {**PROVENANCE, **(provenance or {})}
    return Document(Path("score.json"), *told, _File({}, {}))


@pytest.mark.parametrize(
    ("config", "provenance", "says", "decides"),
    [
        ({"score_pipeline": ["llm-judge"]}, {}, 'score_pipeline: ["rule-match"] -> ["llm-judge"]', True),
        (
            {"params_effective": {"rule-match": {"option_rules": "mmmu"}}},
            {},
            "rule-match.option_rules: robust -> mmmu",
            True,
        ),
        ({"judge_model": "other"}, {}, "judge_model: m -> other", True),
        ({"judge_prompts": {"p": "2"}}, {}, "judge prompt p: 1 -> 2", True),
        ({"judge_provider": "none"}, {}, "judge_provider: not set -> none", True),
        ({"judge_revision": "w"}, {}, "judge_revision: not set -> w", False),
        ({"dataset_name": "y"}, {}, "dataset_name: x -> y", True),
        ({"score_filter": [{"field": "a"}]}, {}, 'score_filter: not set -> [{"field":"a"}]', True),
        (
            {"score_aggregates": [{"name": "accuracy", "reduce": "sum"}]},
            {},
            'aggregate accuracy: {"reduce":"mean"} -> {"reduce":"sum"}',
            True,
        ),
        (
            {"score_aggregates": [{"name": "accuracy", "reduce": "mean", "scale": 100.0}]},
            {},
            'aggregate accuracy: {} -> {"scale":100.0}',
            True,
        ),
        ({}, {"mmeval": "2"}, "version of mmeval: 1 -> 2", False),
        ({}, {"libraries": {"numpy": "3"}}, "version of library numpy: 2 -> 3", False),
        ({}, {"stages": {"rule-match": 2}}, "version of stage rule-match: 1 -> 2", True),
        ({}, {"resources": {"boxes": {"sha256": "b"}}}, "resource boxes: a -> b", True),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_knob_that_differs(
    config: dict[str, Any], provenance: dict[str, Any], says: str, decides: bool
) -> None:
    (knob,) = differing(document(), document(config, provenance))
    assert (str(knob), knob.decides) == (says, decides)


def test_a_stage_of_one_pipeline_alone_is_told_by_the_pipelines() -> None:
    other = document({"score_pipeline": ["anls"], "params_effective": {"anls": {"threshold": 0.5}}})
    assert [knob.name for knob in differing(document(), other)] == ["score_pipeline"]


def test_a_judge_of_one_side_alone_is_one_knob() -> None:
    judged = document({"judge_provider": "none", "judge_temperature": 0.0, "judge_prompt": "p"})
    assert [str(knob) for knob in differing(document(), judged)] == ["judge_provider: not set -> none"]
    (knob, *_) = differing(judged, document({"judge_provider": "none", "judge_temperature": 1.0}))
    assert str(knob) == "judge_temperature: 0.0 -> 1.0"


def test_a_judge_that_nobody_heard_is_no_other_judge() -> None:
    assert differing(document(), document({"judge_model_answered": None})) == []


def test_the_same_predictions() -> None:
    assert same_predictions(document(), document())
    assert not same_predictions(document(), document(None, {"result": {"sha256": "s"}}))
    assert not same_predictions(document(None, {"result": {}}), document(None, {"result": {}}))
