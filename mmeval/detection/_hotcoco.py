"""COCOeval and LVISEval as hotcoco computes them, from columns without an object per box."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hotcoco
import numpy as np

from mmeval.detection.columns import Columns, Detections
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
    kept = _seen_by_lvis(golds.area) if federated else np.ones(len(golds.area), dtype=bool)
    return hotcoco.COCO.from_arrays(
        images,
        categories,
        golds.image[kept],
        golds.category[kept],
        golds.box[kept],
        ids=np.arange(1, int(kept.sum()) + 1),
        area=golds.area[kept],
        # LVIS has no crowds, and its evaluator does not look for them.
        iscrowd=np.zeros_like(golds.crowd[kept]) if federated else golds.crowd[kept],
    )


def _seen_by_lvis(area: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which areas LVISEval sees at all: `LVIS.get_ann_ids` passes over those of 0, below, and infinity."""
    return (area > 0) & np.isfinite(area)


def _results(columns: Columns, federated: bool) -> NDArray[np.float64]:
    """Rows of image, x, y, width, height, score, category.

    Detections of a category without golds change nothing in COCOeval. In LVISEval they take places below the
    cap, and so do those of no area; they stay, as one category beyond the others, whose row of the tables is
    dropped.
    """
    found = columns.detections
    if not federated:
        return _rows(found)[found.category > 0]
    with np.errstate(over="ignore"):
        seen = _seen_by_lvis(found.box[:, 2] * found.box[:, 3])
    counted = (found.category > 0) & seen
    return _rows(found._replace(category=np.where(counted, found.category, len(columns.categories) + 1)))


def _rows(found: Detections) -> NDArray[np.float64]:
    return np.column_stack([found.image, found.box, found.score, found.category])
