"""What LVISEval says of sets of boxes, called as its page documents it, and what the reference backend says.

In this process where the package lvis is installed, else in the Python with the peers, which has it: then
this file is the script, reads one JSON list of [truth, results, cap] and prints one of answers.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]

Numbers = dict[str, float]


class Answer(NamedTuple):
    """The official numbers (None where the loader fails for want of results), and the reference backend's."""

    official: Numbers | None
    reference: dict[str, float | None]


def can_ask() -> bool:
    """Whether LVISEval is to be had, here or among the peers."""
    return _here() or bool(os.environ.get("MMEVAL_PEERS_PYTHON"))


def ask(cases: Sequence[tuple[dict[str, Any], list[dict[str, Any]], int]]) -> list[Answer]:
    """The answers to sets of boxes, each with the largest number of detections per image."""
    if _here():
        return [_answer(*case) for case in cases]
    ran = subprocess.run(
        [os.environ["MMEVAL_PEERS_PYTHON"], "-W", "ignore", __file__],
        input=json.dumps(list(cases)),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [Answer(*each) for each in json.loads(ran.stdout)]


def _here() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("lvis", "pycocotools"))


def _answer(truth: dict[str, Any], results: list[dict[str, Any]], cap: int) -> Answer:
    from mmeval.detection.backends import backend
    from mmeval.detection.coco import from_coco
    from mmeval.detection.measure import measure
    from mmeval.detection.protocol import caps

    frequencies = {str(each["id"]): each["frequency"] for each in truth["categories"]}
    columns, asked = from_coco(truth, results), backend("reference", "lvis")
    reference = measure(columns, caps("lvis", cap), asked, frequencies).official
    return Answer(_official(truth, results, cap) if results else None, reference)


def _official(truth: dict[str, Any], results: list[dict[str, Any]], cap: int) -> Numbers:
    import logging

    from mmeval.detection._lvis import _lvis

    lvis = _lvis()
    golds = lvis.LVIS.__new__(lvis.LVIS)
    golds.logger, golds.dataset = logging.getLogger("lvis"), copy.deepcopy(truth)
    golds._create_index()
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        found = lvis.LVISResults(golds, copy.deepcopy(results), max_dets=cap)
    made = lvis.LVISEval(golds, found, "bbox")
    made.params.max_dets = cap
    made.run()
    return {
        name.split("@")[0] if name[2:3] in "sml" else name: float(value)
        for name, value in made.results.items()
    }


if __name__ == "__main__":
    print(json.dumps([_answer(*case) for case in json.load(sys.stdin)]))
