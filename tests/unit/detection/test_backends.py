"""Which backend runs, and how LVISEval is made to run without OpenCV."""

from __future__ import annotations

import importlib.util
import logging
import sys
from typing import Any

import pytest

from mmeval.detection import backends
from mmeval.detection.backends import backend
from mmeval.detection.coco import from_coco
from mmeval.detection.measure import measure
from mmeval.detection.protocol import caps
from mmeval.errors import UsageError

BOTH = {"hotcoco", "pycocotools"}
NAMES = [
    ("auto", "coco", BOTH, "hotcoco "),
    ("hotcoco", "lvis", BOTH, "hotcoco "),
    ("reference", "coco", BOTH, "pycocotools "),
    ("auto", "coco", {"pycocotools"}, "(hotcoco is not installed)"),
]
REFUSED = [
    (
        "auto",
        "coco",
        set(),
        "boxes need hotcoco or pycocotools, and neither is installed: pip install 'mmeval",
    ),
    ("reference", "coco", {"hotcoco"}, r"pip install 'mmeval-score\[boxes\]'"),
    ("hotcoco", "coco", {"pycocotools"}, r"hotcoco is not installed: pip install 'mmeval-score\[boxes\]'"),
    ("reference", "lvis", BOTH, "LVISEval is not installed: .*pip install --no-deps lvis==0.5.3"),
    ("auto", "lvis", {"pycocotools"}, r"or take hotcoco: pip install 'mmeval-score\[boxes\]'"),
]


def _installed(monkeypatch: pytest.MonkeyPatch, names: set[str]) -> None:
    monkeypatch.setattr(backends, "_installed", names.__contains__)


@pytest.mark.parametrize(("choice", "evaluator", "there", "name"), NAMES)
def test_who_runs(
    monkeypatch: pytest.MonkeyPatch, choice: Any, evaluator: Any, there: set[str], name: str
) -> None:
    for module in there:
        pytest.importorskip(module)
    _installed(monkeypatch, there)
    assert name in backend(choice, evaluator).name


@pytest.mark.parametrize(("choice", "evaluator", "there", "message"), REFUSED)
def test_what_is_missing_is_said_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, choice: Any, evaluator: Any, there: set[str], message: str
) -> None:
    _installed(monkeypatch, there)
    with pytest.raises(UsageError, match=message):
        backend(choice, evaluator)


def test_the_reference_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pycocotools")
    pytest.importorskip("hotcoco")
    box = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9]}
    truth = {"images": [{"id": 1}], "categories": [{"id": 1}, {"id": 2}], "annotations": [{**box, "id": 0}]}
    found = [{**box, "score": 1.0}, {**box, "score": 0.5, "category_id": 2}]
    for choice in ("reference", "hotcoco"):
        for evaluator in ("coco", "lvis") if choice == "hotcoco" else ("coco",):
            asked: Any = evaluator
            made = measure(from_coco(truth, found), caps(asked, None), backend(choice, asked))  # type: ignore[arg-type]
            assert made.official["AP"] == pytest.approx(1.0)
    assert capfd.readouterr() == ("", "")


def test_lvis_comes_without_drawing_and_leaves_logging_alone() -> None:
    if importlib.util.find_spec("lvis") is None:
        pytest.skip("lvis is not installed")
    from mmeval.detection import _lvis

    handlers, level = list(logging.getLogger().handlers), logging.getLogger().level
    lvis = _lvis._lvis()
    assert hasattr(lvis, "LVISEval")
    assert (logging.getLogger().handlers, logging.getLogger().level) == (handlers, level)
    assert "cv2" not in sys.modules
    assert "lvis.vis" not in sys.modules
    import numpy as np

    assert not hasattr(np, "float")
