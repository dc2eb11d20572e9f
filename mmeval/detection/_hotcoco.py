"""COCOeval and LVISEval as hotcoco computes them, from columns without an object per box."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hotcoco
import numpy as np

from mmeval.detection.columns import Columns
from mmeval.detection.protocol import Caps, Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray


def evaluate(columns: Columns, caps: Caps) -> Tables:
    """The tables of an evaluation."""
    federated = caps.evaluator == "lvis"
    truth, found = _truth(columns, federated), _results(columns, federated)
    if federated:
        results = hotcoco.LVISResults(truth, found, max_dets=caps.numbers[0])
        made = hotcoco.COCOeval(truth, results, "bbox", lvis_style=True)
    else:
        made = hotcoco.COCOeval(truth, truth.load_res(found), "bbox")
        made.params.max_dets = list(caps.numbers)
    made.evaluate()
    made.accumulate()
    tables = made.eval
    if tables is None:
        raise RuntimeError("hotcoco accumulated nothing")
    known = len(columns.categories)
    return Tables(tables["precision"][:, :, :known], tables["recall"][:, :known])


def _truth(columns: Columns, federated: bool) -> hotcoco.COCO:
    images: list[dict[str, Any]] = [{"id": number} for number in range(1, len(columns.images) + 1)]
    names = [*columns.categories, "no gold anywhere"] if federated else columns.categories
    categories = [{"id": number, "name": name, "frequency": "f"} for number, name in enumerate(names, 1)]
    if federated:
        for image, lists in zip(images, columns.federated, strict=True):
            image["neg_category_ids"] = list(lists.negative)
            image["not_exhaustive_category_ids"] = list(lists.not_exhaustive)
    golds = columns.golds
    return hotcoco.COCO.from_arrays(
        images,
        categories,
        golds.image,
        golds.category,
        golds.box,
        ids=np.arange(1, len(golds.image) + 1),
        area=golds.area,
        iscrowd=np.zeros_like(golds.crowd) if federated else golds.crowd,
    )


def _results(columns: Columns, federated: bool) -> NDArray[np.float64]:
    """Rows of image, x, y, width, height, score, category.

    Detections of a category without golds change nothing in COCOeval. In LVISEval they take places below the
    cap, so they stay, as one category beyond the others, whose row of the tables is dropped.
    """
    found = columns.detections
    beyond = len(columns.categories) + 1
    category = np.where(found.category == 0, beyond, found.category)
    rows = np.column_stack([found.image, found.box, found.score, category])
    return rows if federated else rows[found.category > 0]
