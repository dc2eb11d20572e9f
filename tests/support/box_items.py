"""Made-up boxes on images of 1000 by 1000 pixels: golds, replies that repeat them, and annotation files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from made_items import Item

from mmeval.benchmarks.annotated.odinw import FILES

Made: TypeAlias = Callable[[random.Random], Iterator[Item]]

SIDE = 1000
KINDS = ("cup", "apple_juice", "zebra")
SOURCES = (("ios", "text"), ("ios", "icon"), ("macos", "text"), ("macos", "icon"), ("shop", "text"))
# The number at the far edge of the image, by the variant that reads another grid than 1000 or pixels.
GRIDS = {"shikra": 1, "lmms-eval": 1, "seeclick": 1, "minigpt-v2": 100}


def asked(answer: Any, reply: str, fields: dict[str, Any]) -> Item:
    """A question about boxes."""
    return Item("detection", answer, reply, None, fields)


def box(rng: random.Random) -> list[int]:
    """Left, top, width and height, in tens."""
    return [rng.randrange(0, 700, 10) for _ in range(2)] + [rng.randrange(50, 300, 10) for _ in range(2)]


def corners(xywh: list[int]) -> list[int]:
    """Left, top, right and bottom."""
    return [xywh[0], xywh[1], xywh[0] + xywh[2], xywh[1] + xywh[3]]


def sized(**fields: Any) -> dict[str, Any]:
    """The fields of every row, and these."""
    return {"width": SIDE, "height": SIDE, **fields}


def one_kind(rng: random.Random) -> Iterator[Item]:
    """Several boxes of one kind, as FSCD has them."""
    while True:
        boxes = [box(rng) for _ in range(rng.randint(1, 5))]
        reply = json.dumps([{"bbox_2d": corners(each), "label": "cup"} for each in boxes])
        yield asked([{"bbox": each} for each in boxes], reply, sized(category="cup"))


def detected(rng: random.Random) -> Iterator[Item]:
    """Boxes in pixels with category and score, as COCO and LVIS have them."""
    for image in count(1):
        boxes = [(box(rng), rng.randint(1, 3)) for _ in range(rng.randint(1, 5))]
        golds = [
            {
                "id": image * 10 + at,
                "category_id": kind,
                "bbox": xywh,
                "area": xywh[2] * xywh[3],
                "iscrowd": 0,
            }
            for at, (xywh, kind) in enumerate(boxes)
        ]
        said = [{"category_id": kind, "bbox": xywh, "score": 0.5} for xywh, kind in boxes]
        yield asked(golds, json.dumps(said), sized(image_id=image))


def domains(rng: random.Random) -> Iterator[Item]:
    """Boxes of several kinds in each domain of ODinW in turn; labels in another case."""
    for image in count(1):
        domain = list(FILES)[image % len(FILES)]
        boxes = [(box(rng), rng.choice(KINDS)) for _ in range(rng.randint(1, 4))]
        golds = [{"category": kind, "bbox": xywh, "area": xywh[2] * xywh[3]} for xywh, kind in boxes]
        said = [{"bbox_2d": corners(xywh), "label": kind.upper()} for xywh, kind in boxes]
        yield asked(golds, json.dumps(said), sized(domain=domain, image_id=image, categories=KINDS))


def queries(rng: random.Random, negative: bool = True) -> Iterator[Item]:
    """One category of an image at a time, as LVIS is asked; every third is absent unless all are positive."""
    for turn in count(3):
        kind = turn % 3 + 1
        absent = negative and kind == 3
        boxes = [] if absent else [box(rng) for _ in range(rng.randint(1, 3))]
        golds = [
            {"id": turn * 10 + at, "category_id": kind, "bbox": xywh, "area": xywh[2] * xywh[3]}
            for at, xywh in enumerate(boxes)
        ]
        fields = sized(
            image_id=turn // 3,
            category_id=kind,
            neg_category_ids=[kind] if absent else [],
            not_exhaustive_category_ids=[],
        )
        yield asked(golds, json.dumps([{"bbox_2d": corners(each), "label": "it"} for each in boxes]), fields)


def referred(rng: random.Random) -> Iterator[Item]:
    """One box, as RefCOCO has them."""
    while True:
        xywh = box(rng)
        yield asked(xywh, json.dumps(corners(xywh)), sized())


def pointed(rng: random.Random) -> Iterator[Item]:
    """One box on a screenshot, and the point in its middle."""
    for turn in count():
        source, kind = (*SOURCES, ("shop", "icon"))[turn % 6]
        left, top, width, height = xywh = box(rng)
        reply = json.dumps([left + width // 2, top + height // 2])
        yield asked(xywh, reply, sized(data_source=source, data_type=kind))


def masked(rng: random.Random) -> Iterator[Item]:
    """Several masks, each a polygon of four corners that do not overlap those of the others by half."""
    while True:
        boxes = [
            (left, top, 80, 90) for left, top in rng.sample([(x, y) for x in (50, 400) for y in (9, 300)], 3)
        ]
        golds = [
            {"category_id": 1, "segmentation": [[x, y, x + across, y, x + across, y + down, x, y + down]]}
            for x, y, across, down in boxes
        ]
        yield asked(golds, json.dumps(golds), sized())


FOLDERS: dict[str, Made] = {
    **dict.fromkeys(("FSCD_147_bbox_val", "FSCD_LVIS_bbox_val"), one_kind),
    **dict.fromkeys(("COCO", "LVIS"), detected),
    **dict.fromkeys(("RefCOCO", "RefCOCO+", "RefCOCOg"), referred),
    "ODinW13_bbox_val_qwen3": domains,
    "LVISMask": masked,
    "LVIS_bbox_val_federated": queries,
    "LVIS_bbox_val_federated:positive": lambda rng: queries(rng, negative=False),
    "ScreenSpot": pointed,
}


def on_grid(reply: str, variant: str | None) -> str:
    """A reply on the grid that a variant reads."""
    if variant not in GRIDS:
        return reply
    return json.dumps([each * GRIDS[variant] / SIDE for each in json.loads(reply)])


def beside(folder: Path, rows: list[dict[str, Any]]) -> None:
    """The annotation files that the rows of ODinW and of LVIS are scored against, where the run lies."""
    rows = sorted(rows, key=lambda row: int(row["eval-id"]))
    if any("domain" in row for row in rows):
        for domain, path in FILES.items():
            _write(folder / path, [row for row in rows if row["domain"] == domain])
    elif any("neg_category_ids" in row for row in rows):
        _write(folder / "lvis_v1_val.json", rows)


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    images: dict[int, dict[str, Any]] = {}
    annotations = []
    for row in rows:
        image = images.setdefault(
            row["image_id"],
            {"id": row["image_id"], "width": SIDE, "height": SIDE, "neg_category_ids": []},
        )
        image["neg_category_ids"] += row.get("neg_category_ids", [])
        annotations += [_annotation(gold, row["image_id"]) for gold in row["answer"]]
    numbered = [{"id": at, **each} for at, each in enumerate(annotations, 1)]
    kinds = [{"id": at, "name": kind, "frequency": "rcf"[at - 1]} for at, kind in enumerate(KINDS, 1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"images": list(images.values()), "annotations": numbered, "categories": kinds})
    )


def _annotation(gold: dict[str, Any], image: int) -> dict[str, Any]:
    kind = gold["category_id"] if "category_id" in gold else KINDS.index(gold["category"]) + 1
    return {"image_id": image, "category_id": kind, "bbox": gold["bbox"], "area": gold["area"], "iscrowd": 0}
