"""Made-up boxes in annotation files, replies that find some of them, and what COCOeval says of both."""

from __future__ import annotations

import contextlib
import io
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation_files import write

from mmeval.benchmarks.annotated.odinw import FILES

Truth = dict[str, Any]
KINDS = ("Crab", "CoW", "apple_juice")


def truth(rng: random.Random, images: int, kinds: Sequence[str] = KINDS, most: int = 6) -> Truth:
    """Images of different sizes with boxes of any size; the area is smaller than the box, as a mask's is."""
    made: Truth = {
        "images": [
            {
                "id": number,
                "file_name": f"{number}.jpg",
                "width": rng.randint(200, 900),
                "height": rng.randint(200, 900),
                "neg_category_ids": [],
                "not_exhaustive_category_ids": [],
            }
            for number in rng.sample(range(1, 10 * images), images)
        ],
        "annotations": [],
        "categories": [
            {"id": number, "name": kind, "frequency": "rcf"[number % 3]}
            for number, kind in enumerate(kinds, 1)
        ],
    }
    for image in made["images"]:
        for _ in range(rng.randint(1, most)):
            _add(made, image, rng)
        present = {each["category_id"] for each in made["annotations"] if each["image_id"] == image["id"]}
        absent = sorted({each["id"] for each in made["categories"]} - present)
        image["neg_category_ids"] = absent[: rng.randint(0, 2)]
        image["not_exhaustive_category_ids"] = sorted(present)[: rng.randint(0, 1)]
    return made


def _add(made: Truth, image: dict[str, Any], rng: random.Random) -> None:
    width, height = rng.uniform(8, image["width"] / 2), rng.uniform(8, image["height"] / 2)
    left, top = rng.uniform(0, image["width"] - width), rng.uniform(0, image["height"] - height)
    made["annotations"].append(
        {
            "id": len(made["annotations"]) + 1,
            "image_id": image["id"],
            "category_id": rng.randint(1, len(made["categories"])),
            "bbox": [left, top, width, height],
            "area": width * height * 0.7,
            "iscrowd": 0,
        }
    )


def replies(rows: Sequence[dict[str, Any]], rng: random.Random) -> list[list[dict[str, Any]]]:
    """For each row some of its boxes, moved a little, and some from nowhere; on a grid of 1000, shuffled."""
    return [_reply(row, rng) for row in rows]


def _reply(row: dict[str, Any], rng: random.Random) -> list[dict[str, Any]]:
    kinds = row.get("categories") or [row["category"]]
    said = []
    for gold in row["answer"]:
        left, top, width, height = gold["bbox"]
        corners = (left, top, left + width, top + height)
        grid = [
            round(edge / row[("width", "height")[place % 2]] * 1000 + rng.choice([0, 0, 3, -9, 40]))
            for place, edge in enumerate(corners)
        ]
        if rng.random() < 0.8:
            said.append({"bbox_2d": grid, "label": str(gold.get("category", kinds[0])).swapcase()})
    for _ in range(rng.randint(0, 2)):
        left, top = rng.randint(0, 800), rng.randint(0, 800)
        box = [left, top, left + rng.randint(1, 200), top + rng.randint(1, 200)]
        said.append({"bbox_2d": box, "label": rng.choice(kinds)})
    rng.shuffle(said)
    return [each for each in said if each["bbox_2d"][0] <= each["bbox_2d"][2] and _upright(each)]


def _upright(said: dict[str, Any]) -> bool:
    return bool(said["bbox_2d"][1] <= said["bbox_2d"][3])


def results(
    rows: Sequence[dict[str, Any]],
    said: Sequence[list[dict[str, Any]]],
    category: dict[str, int] | None = None,
) -> list[dict[str, Any]]:
    """Replies as results of COCO: pixels, every score 1; of the labels' categories, else of the row's."""
    found = []
    for row, boxes in zip(rows, said, strict=True):
        for each in boxes:
            across, down = row["width"], row["height"]
            edges = [
                edge / 1000 * (down if place % 2 else across) for place, edge in enumerate(each["bbox_2d"])
            ]
            number = row.get("category_id", 1) if category is None else category[each["label"].casefold()]
            box = [edges[0], edges[1], edges[2] - edges[0], edges[3] - edges[1]]
            found.append({"image_id": row["image_id"], "category_id": number, "bbox": box, "score": 1.0})
    return found


def cocoeval(truth: Truth, found: list[dict[str, Any]], caps: Sequence[int] = (1, 10, 100)) -> Any:
    """COCOeval, run and summarised, over these images."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        golds = COCO()
        golds.dataset = json.loads(json.dumps(truth))
        golds.createIndex()
        made = COCOeval(golds, golds.loadRes(found), "bbox")
        made.params.maxDets = list(caps)
        made.evaluate()
        made.accumulate()
        made.summarize()
    return made


def single_class(truth: Truth) -> Truth:
    """The golds that FSCD is scored against: one class, the area that of the box."""
    boxes = [
        {**each, "category_id": 1, "area": each["bbox"][2] * each["bbox"][3]} for each in truth["annotations"]
    ]
    return {**truth, "annotations": boxes, "categories": [{"id": 1, "name": "fg"}]}


def fscd_147(root: Path, truth: Truth) -> Path:
    """The files of FSCD-147 with these images, all of them in the validation split."""
    names = [image["file_name"] for image in truth["images"]]
    write(root / "instances_val.json", single_class(truth))
    write(root / "Train_Test_Val_FSC_147.json", {"val": names})
    write(root / "ImageClasses_FSC147.txt", "".join(f"{name}\tcups\n" for name in names))
    return root


def odinw(root: Path, rng: random.Random) -> dict[str, Truth]:
    """The files of ODinW-13, and what is in them by domain; some with one category."""
    made = {}
    for domain, path in FILES.items():
        made[domain] = truth(rng, 3, KINDS[: rng.randint(1, 3)])
        write(root / path, made[domain])
    return made
