"""Boxes from the command line: resources, the backend, explanations of a row."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Mmeval = Callable[..., Any]
RUNS = Path(__file__).resolve().parents[2] / "fixtures" / "runs"


@pytest.fixture
def boxes(tmp_path: Path) -> Path:
    shutil.copytree(RUNS / "boxes", tmp_path / "boxes", ignore=shutil.ignore_patterns("*score.*"))
    return tmp_path / "boxes"


def config(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "score.json").read_bytes())
    return document["config"]


@pytest.mark.parametrize("backend", ["hotcoco", "auto", "reference"])
def test_a_backend_is_named(mmeval: Mmeval, boxes: Path, backend: str) -> None:
    pytest.importorskip("hotcoco" if backend != "reference" else "pycocotools")
    assert mmeval("score", "--results", boxes, "--box_backend", backend).code == 0
    said = config(boxes)
    assert said["score_aggregates"][0]["backend"] == backend
    assert said["knob_sources"]["score_aggregates.backend"] == "cli"
    assert not [text for text in said["deviations"] if "backend" in text]


def test_a_backend_says_nothing_where_there_are_no_boxes(mmeval: Mmeval, tmp_path: Path) -> None:
    shutil.copytree(RUNS / "pope", tmp_path / "pope", ignore=shutil.ignore_patterns("*score.*"))
    assert mmeval("score", "--results", tmp_path, "--box_backend", "reference").code == 0
    assert "score_aggregates.backend" not in config(tmp_path / "pope")["knob_sources"]


def test_a_resource_is_named(mmeval: Mmeval, boxes: Path, tmp_path: Path) -> None:
    given = tmp_path / "names.json"
    given.write_text('[{"id": 1, "name": "bird"}, {"id": 2, "name": "fish"}]')
    assert mmeval("score", "--results", boxes, "--resource", f"categories={given}").code == 0
    assert "--resource gives 'categories', which the protocol does not declare" in config(boxes)["deviations"]
    document = json.loads((boxes / "score.json").read_bytes())
    assert document["samples"][0]["evidence"]["golds"][0]["category"] == "1"
    assert document["provenance"]["resources"]["categories"]["file"] == "names.json"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--resource", "categories"], "write it as NAME=PATH"),
        (["--resource", "=x.json"], "write it as NAME=PATH"),
        (["--resource", "categories=a", "--resource", "categories=b"], "is given twice"),
        (["--resource", "categorys=a.json"], "did you mean 'categories'?"),
        (["--resource", "categories=/nowhere.json"], "no file /nowhere.json"),
    ],
)
def test_a_wrong_resource(mmeval: Mmeval, boxes: Path, flags: list[str], message: str) -> None:
    ran = mmeval("score", "--results", boxes, *flags)
    assert ran.code == 2
    assert message in ran.err


EXPLAINED = [
    pytest.param(1, ["2 found, 0 missed, 0 without a gold at IoU 0.5; F1 1.000", "found: bird"], id="right"),
    pytest.param(6, ["0 found, 2 missed, 1 without a gold", "missed: fish", "no gold: bird"], id="wrong"),
    pytest.param(9, ["dropped: 1 three-numbers"], id="dropped"),
    pytest.param(13, ["measured, read nothing", "missed: bird"], id="empty"),
    pytest.param(15, ["counts neither way: fish"], id="crowd"),
    pytest.param(18, ["invalid: the row has no prediction", "missed: bird"], id="no-reply"),
    pytest.param(19, ["does not tell width and height"], id="no-size"),
    pytest.param(20, ["the gold cannot be read: box 0 has no four numbers"], id="gold"),
]


@pytest.mark.parametrize(("sample", "says"), EXPLAINED)
def test_a_row_is_explained(mmeval: Mmeval, boxes: Path, sample: int, says: list[str]) -> None:
    pytest.importorskip("hotcoco")
    mmeval("score", "--results", boxes)
    ran = mmeval("explain", boxes, sample)
    assert [text for text in says if text not in ran.out] == []


def test_a_row_without_boxes_is_not_drawn(mmeval: Mmeval, boxes: Path) -> None:
    pytest.importorskip("hotcoco")
    mmeval("score", "--results", boxes)
    ran = mmeval("explain", boxes, 20, "--overlay", boxes / "o.svg")
    assert (ran.code, (boxes / "o.svg").exists()) == (2, False)
    assert "has no boxes" in ran.err
