"""What a protocol changed of a stage's parameters, told beside what the stage read."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.reports.settings import changed, line


@pytest.mark.parametrize(
    ("params", "stage", "expected"),
    [
        pytest.param({"anls": {"threshold": 0.5, "length": "raw"}}, "anls", {"length": "raw"}, id="one"),
        pytest.param({"anls": {"threshold": 0.0}}, "anls", {"threshold": 0.0}, id="zero-is-a-value"),
        pytest.param({"anls": {"threshold": 0.5}}, "anls", {}, id="defaults"),
        pytest.param({"0.anls": {"threshold": 0.1}}, "anls", {}, id="several-arms"),
        pytest.param({"gone": {"x": 1}}, "gone", {}, id="not-installed"),
        pytest.param({}, "anls", {}, id="not-told"),
    ],
)
def test_changed(params: dict[str, Any], stage: str, expected: dict[str, Any]) -> None:
    assert changed({"params_effective": params}, stage) == expected


def test_line() -> None:
    config = {"params_effective": {"rule-match": {"option_rules": "mmmu", "settle_misses": True}}}
    assert line(config, "rule-match") == "option_rules=mmmu, settle_misses=True"
