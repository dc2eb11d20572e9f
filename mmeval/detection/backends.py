"""Which code evaluates: hotcoco (fast), or the reference, pycocotools and LVISEval; both to the same bit."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from importlib.metadata import version
from typing import Literal, NamedTuple, TypeAlias

from mmeval.detection.columns import Columns
from mmeval.detection.protocol import Caps, Evaluator, Tables
from mmeval.errors import UsageError

Choice: TypeAlias = Literal["auto", "hotcoco", "reference"]
Evaluate: TypeAlias = Callable[[Columns, Caps], Tables]

REMEDY = "pip install 'mmeval-score[boxes]'"
LVIS_REMEDY = "pip install pycocotools and pip install --no-deps lvis==0.5.3"


class Backend(NamedTuple):
    """An evaluator that can be asked, and its name and version."""

    evaluate: Evaluate
    name: str


def backend(choice: Choice, evaluator: Evaluator) -> Backend:
    """The backend of this name; `auto` is hotcoco, and the reference where hotcoco is not installed.

    Raises:
        UsageError: it is not installed; says how to get it.
    """
    if choice != "reference" and _installed("hotcoco"):
        from mmeval.detection._hotcoco import evaluate as fast

        return Backend(fast, f"hotcoco {version('hotcoco')}")
    if choice == "hotcoco":
        raise UsageError(f"hotcoco is not installed: {REMEDY}")
    instead = " (hotcoco is not installed)" if choice == "auto" else ""
    if evaluator == "coco":
        return _coco_reference(instead)
    return _lvis_reference(instead)


def _coco_reference(instead: str) -> Backend:
    if not _installed("pycocotools"):
        raise UsageError(f"boxes need hotcoco or pycocotools, and neither is installed: {REMEDY}")
    from mmeval.detection._pycocotools import evaluate

    return Backend(evaluate, f"pycocotools {version('pycocotools')}{instead}")


def _lvis_reference(instead: str) -> Backend:
    if not (_installed("pycocotools") and _installed("lvis")):
        either = "; or take hotcoco: " + REMEDY if instead else ""
        raise UsageError(f"LVISEval is not installed: {LVIS_REMEDY}{either}")
    from mmeval.detection._lvis import evaluate

    return Backend(evaluate, f"lvis {version('lvis')}{instead}")


def _installed(module: str) -> bool:
    """Whether a package is there at all; one that is there and broken says so itself."""
    return importlib.util.find_spec(module) is not None
