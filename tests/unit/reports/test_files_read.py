"""The files of a protocol in words."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.metadata import Block
from mmeval.reports.files_read import asked_for, files_section
from mmeval.stages.box_ap import BoxAp
from mmeval.stages.mra import Mra

FILES: list[Any] = [
    pytest.param({"path": "a.json"}, "* x: a.json.", id="beside-the-run"),
    pytest.param(
        {"path": "a.json", "env": ["ONE", "TWO/in"], "kind": "coco"},
        "* x: a.json below $ONE or $TWO/in, else beside the run, annotations as COCO and LVIS have them.",
        id="variables",
    ),
    pytest.param(
        {"path": "tools", "kind": "rows", "optional": True},
        "* x: tools, a file for each row; the run is scored without it where it is absent.",
        id="folder",
    ),
    pytest.param(
        {"by": "domain", "paths": {"a": "1", "b": "2"}, "env": ["ONE"]},
        "* x: 2 files, one for each domain below $ONE, else beside the run.",
        id="several",
    ),
    pytest.param({"env": ["ONE"]}, "* x: a file below $ONE, else beside the run.", id="variable-alone"),
]


@pytest.mark.parametrize(("resource", "line"), FILES)
def test_a_file_in_words(resource: dict[str, Any], line: str) -> None:
    assert files_section(Block(score_resources={"x": resource})) == [line]


def test_what_a_stage_asks_for() -> None:
    assert asked_for(BoxAp) == {
        "resources": ["annotations", "categories", "tool_detections"],
        "environment": ["SCORE_MODE for score_mode"],
    }
    assert asked_for(Mra) == {"resources": [], "environment": []}
