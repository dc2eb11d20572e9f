"""LVISEval as the lvis package computes it: the reference, made to run beside numpy 2 and without OpenCV."""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from mmeval.detection._pycocotools import gold_entries, result_entries
from mmeval.detection.columns import Columns
from mmeval.detection.protocol import Caps, Tables


def evaluate(columns: Columns, caps: Caps) -> Tables:
    """The tables of an evaluation."""
    lvis = _lvis()
    (cap,) = caps.numbers
    truth = _indexed(lvis.LVIS, _truth(columns))
    results = lvis.LVISResults.__new__(lvis.LVISResults)
    listed = list(result_entries(columns, beyond=len(columns.categories) + 1))
    capped = results.limit_dets_per_image(listed, cap)
    for number, each in enumerate(capped, 1):
        each["id"] = number
    _index(results, {**truth.dataset, "annotations": capped})
    made = lvis.LVISEval(truth, results, "bbox")
    made.params.max_dets = cap
    made.evaluate()
    made.accumulate()
    return Tables(made.eval["precision"][..., None], made.eval["recall"][..., None])


def _truth(columns: Columns) -> dict[str, Any]:
    images = [
        {
            "id": number,
            "neg_category_ids": lists.negative,
            "not_exhaustive_category_ids": lists.not_exhaustive,
        }
        for number, lists in enumerate(columns.federated, 1)
    ]
    # The groups of frequency are averaged in `figures`; LVISEval only wants each category to have one.
    categories = [{"id": number, "frequency": "f"} for number in range(1, len(columns.categories) + 1)]
    return {"images": images, "categories": categories, "annotations": list(gold_entries(columns))}


def _indexed(kind: Any, dataset: dict[str, Any]) -> Any:
    """A dataset of this class. Its constructor reads a file, and fails where there is no detection."""
    made = kind.__new__(kind)
    _index(made, dataset)
    return made


def _index(made: Any, dataset: dict[str, Any]) -> None:
    made.logger = logging.getLogger("lvis")
    made.dataset = dataset
    made._create_index()


@cache
def _lvis() -> ModuleType:
    """The lvis package.

    Version 0.5.3 draws with OpenCV, which nothing here does, configures the root logger on import, and names
    `numpy.float`, which numpy 2 no longer has. Only that module sees the name again.
    """
    with _no_drawing(), _log_as_before():
        lvis = importlib.import_module("lvis")
    evaluation: Any = importlib.import_module("lvis.eval")
    if not hasattr(np, "float"):
        evaluation.np = _Numpy()
    return lvis


class _Numpy:
    """numpy with the alias that it had before 1.24."""

    float = float

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


@contextmanager
def _no_drawing() -> Iterator[None]:
    """Let `lvis.vis` be an empty room while lvis is imported."""
    if "lvis" in sys.modules:
        yield
        return
    empty: Any = ModuleType("lvis.vis")
    empty.LVISVis = object
    sys.modules["lvis.vis"] = empty
    try:
        yield
    finally:
        del sys.modules["lvis.vis"]


@contextmanager
def _log_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
