"""COCOeval as pycocotools computes it: the reference."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any

from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from mmeval.detection.columns import Columns
from mmeval.detection.protocol import Caps, Tables


def evaluate(columns: Columns, caps: Caps) -> Tables:
    """The tables of an evaluation. What pycocotools prints is dropped."""
    frame = {
        "images": [{"id": number} for number in range(1, len(columns.images) + 1)],
        "categories": [{"id": number} for number in range(1, len(columns.categories) + 1)],
    }
    with contextlib.redirect_stdout(io.StringIO()):
        made = COCOeval(
            _indexed({**frame, "annotations": list(gold_entries(columns))}),
            _indexed({**frame, "annotations": list(result_entries(columns))}),
            "bbox",
        )
        made.params.maxDets = list(caps.numbers)
        made.evaluate()
        made.accumulate()
    return Tables(made.eval["precision"], made.eval["recall"])


def _indexed(dataset: dict[str, Any]) -> COCO:
    """A dataset as `loadRes` leaves it, which itself fails where there is no detection."""
    made = COCO()
    made.dataset = dataset
    made.createIndex()
    return made


def gold_entries(columns: Columns) -> Iterator[dict[str, Any]]:
    """The annotations, with ids from 1."""
    golds = columns.golds
    listed = zip(*(column.tolist() for column in golds), strict=True)
    for number, (image, category, box, area, crowd) in enumerate(listed, 1):
        yield {
            "id": number,
            "image_id": image,
            "category_id": category,
            "bbox": box,
            "area": area,
            "iscrowd": crowd,
        }


def result_entries(columns: Columns, beyond: int | None = None) -> Iterator[dict[str, Any]]:
    """The detections with ids from 1 and the area of their boxes.

    Those of a category without golds are left out, or get the category `beyond`.
    """
    listed = zip(*(column.tolist() for column in columns.detections), strict=True)
    kept = ((*each, category or beyond) for each, category in ((e, e[1]) for e in listed))
    numbered = enumerate((each for each in kept if each[-1]), 1)
    for number, (image, _, box, score, category) in numbered:
        yield {
            "id": number,
            "image_id": image,
            "category_id": category,
            "bbox": box,
            "score": score,
            "area": box[2] * box[3],
            "iscrowd": 0,
        }
