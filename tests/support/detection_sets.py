"""Generated sets of boxes, and what the official evaluators, called as they document it, say of them."""

from __future__ import annotations

import contextlib
import copy
import io
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

Truth = dict[str, Any]
Results = list[dict[str, Any]]

# No area, negative sizes, an area beyond the floats, coordinates that no image has.
ODD = (
    (10.0, 10.0, 0.0, 0.0),
    (10.0, 10.0, -50.0, 40.0),
    (300.0, 300.0, -200.0, -200.0),
    (0.0, 0.0, 1e200, 1e200),
    (1e300, -1e300, 30.0, 1e5),
    (-1e5, -1e5, 3e5, 3e5),
)
COCO_NAMES = ("AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl")


class Generated(NamedTuple):
    """A set: an annotation file and a list of results."""

    truth: Truth
    results: Results


def generated(seed: int) -> Generated:
    """One random set.

    Few or many images, some without anything; categories without golds or detections; tiny, huge and
    zero-size boxes; crowds; tied scores; now and then more than a hundred detections of a category, or more
    than three hundred of an image.
    """
    rng = random.Random(seed)
    categories = rng.sample(range(1, 60), rng.randint(1, 6))
    images = [_image(rng, number, categories) for number in rng.sample(range(1, 400), rng.randint(1, 9))]
    levels = rng.choice([1, 2, 5, 1000])
    golds, results = [], []
    for image in images:
        boxes = [] if rng.random() < 0.2 else list(_golds(rng, image["id"], categories))
        golds += boxes
        many = rng.choice([0, 3, 12]) if rng.random() < 0.9 else 330
        results += _results(rng, image["id"], categories, boxes, many, levels)
    rng.shuffle(results)
    for number, gold in enumerate(golds, 1):
        gold["id"] = number
    known = [{"id": each, "name": f"c{each}", "frequency": rng.choice("rcf")} for each in categories]
    return Generated({"images": images, "annotations": golds, "categories": known}, results)


def _image(rng: random.Random, number: int, categories: list[int]) -> dict[str, Any]:
    return {
        "id": number,
        "width": 640,
        "height": 480,
        "neg_category_ids": [each for each in categories if rng.random() < 0.3],
        "not_exhaustive_category_ids": [each for each in categories if rng.random() < 0.2],
    }


def _box(rng: random.Random) -> list[float]:
    side = rng.choice([2.0, 30.0, 32.0, 96.0, 200.0, 900.0])
    return [
        round(rng.uniform(-5, 500), 2),
        round(rng.uniform(-5, 400), 2),
        round(side * rng.uniform(0.5, 1.5), 2),
        round(side * rng.uniform(0.5, 1.5), 2),
    ]


def _golds(rng: random.Random, image: int, categories: list[int]) -> Iterator[dict[str, Any]]:
    for _ in range(rng.randint(0, 6)):
        box = _box(rng)
        yield {
            "image_id": image,
            "category_id": rng.choice(categories[: max(1, len(categories) - 1)]),
            "bbox": box,
            "area": round(box[2] * box[3] * rng.choice([1.0, 0.6]), 2),
            "iscrowd": int(rng.random() < 0.15),
        }


def _results(
    rng: random.Random,
    image: int,
    categories: list[int],
    golds: list[dict[str, Any]],
    many: int,
    levels: int,
) -> Iterator[dict[str, Any]]:
    for gold in golds:
        for _ in range(rng.choice([0, 1, 1, 2])):
            wobble = rng.choice([0.0, 0.02, 0.1, 0.3])
            moved = [round(each + rng.uniform(-wobble, wobble) * gold["bbox"][2], 2) for each in gold["bbox"]]
            yield _result(image, gold["category_id"], moved, rng, levels)
    first = categories[0] if rng.random() < 0.5 else None
    for _ in range(many):
        box = _box(rng) if rng.random() < 0.95 else list(rng.choice(ODD))
        yield _result(image, first or rng.choice(categories), box, rng, levels)


def _result(image: int, category: int, box: list[float], rng: random.Random, levels: int) -> dict[str, Any]:
    return {
        "image_id": image,
        "category_id": category,
        "bbox": box,
        "score": rng.randint(1, levels) / levels,
    }


def coco_official(truth: Truth, results: Results) -> dict[str, float]:
    """The summary of pycocotools, called as its demo does. Where it fails for want of detections: none."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        golds = COCO()
        golds.dataset = copy.deepcopy(truth)
        golds.createIndex()
        made = COCOeval(golds, golds.loadRes(copy.deepcopy(results)), "bbox")
        made.evaluate()
        made.accumulate()
        made.summarize()
    return dict(zip(COCO_NAMES, map(float, made.stats), strict=True))
