"""The official numbers of three runs of boxes, from the file of predictions to the score, by both backends.

The runs lie outside the repository (`official_run` skips where they are absent).
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from mmeval import Job, score
from mmeval.overrides import Overrides

FEW = ("coco_val2014_100__fakebbox", "coco_crowd_one_image__detector", "lvis_val_100__synthetic")
BACKENDS = [
    pytest.param("hotcoco", ("hotcoco",), id="hotcoco"),
    pytest.param("reference", ("pycocotools", "lvis"), id="reference"),
]


def scored(folder: str, given: tuple[Any, Any], backend: str, tmp_path: Path) -> dict[str, Any]:
    rows, official = given
    (tmp_path / "result.json").write_text(json.dumps(rows))
    resources = {}
    if "lvis" in folder:
        resources["categories"] = tmp_path / "frequencies.json"
        resources["categories"].write_text(json.dumps(official["aggregate"]["categories"]))
    job = Job(Overrides(aggregate_params={"backend": backend}), resources=resources)
    document: dict[str, Any] = json.loads(score(tmp_path / "result.json", job).score.read_bytes())
    return document


@pytest.mark.parametrize("folder", FEW)
@pytest.mark.parametrize(("backend", "needs"), BACKENDS)
def test_every_official_number(
    official_run: Any, folder: str, backend: str, needs: tuple[str, ...], tmp_path: Path
) -> None:
    wanted = needs[-1:] if "lvis" in folder else needs[:1]
    if not all(importlib.util.find_spec(name) for name in wanted):
        pytest.skip(f"{wanted[0]} is not installed")
    rows, official = official_run(folder)
    document = scored(folder, (rows, official), backend, tmp_path)
    aggregates = document["summary"]["aggregates"]
    expected = next(iter(official["aggregate"].values()))
    assert document["summary"]["headline"]["value"] == pytest.approx(expected["AP"], abs=1e-12)
    for name, value in expected.items():
        # -1 is the official word for nothing to measure
        found = -1.0 if aggregates[name]["value"] is None else aggregates[name]["value"]
        assert found == pytest.approx(value, abs=1e-12), name
    assert any(wanted[0] in note for note in aggregates["AP"]["notes"])
    assert wanted[0] in document["provenance"]["libraries"]


@pytest.mark.parametrize("folder", FEW)
def test_every_image_has_its_boxes(official_run: Any, folder: str, tmp_path: Path) -> None:
    rows, official = official_run(folder)
    document = scored(folder, (rows, official), "hotcoco", tmp_path)
    for sample in document["samples"]:
        evidence, recorded = sample["evidence"], official["per_sample"][str(sample["eval-id"])]
        golds = [gold for gold in evidence["golds"] if not gold["crowd"]]
        assert len(golds) == recorded["n_gt"]
        assert len(evidence["boxes"]) == recorded["n_dt"]
        # the evaluator matches in order of scores, the evidence best overlap first: never fewer
        assert evidence["tp"] >= recorded.get("tp_at_iou50", 0)
        assert len(evidence["absorbed"]) >= recorded.get("dt_ignored_by_crowd", 0)
    assert document["provenance"]["resources"].keys() == ({"categories"} if "lvis" in folder else set())
