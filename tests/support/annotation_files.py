"""Invented annotation files in the layouts that benchmarks of boxes publish; nothing in them is theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mmeval.benchmarks.annotated.odinw import FILES

LVIS: dict[str, Any] = {
    "images": [
        {
            "id": 30,
            "width": 200,
            "height": 100,
            "coco_url": "http://images.example/val2017/000000000030.jpg",
            "neg_category_ids": [4, 1],
            "not_exhaustive_category_ids": [2],
        },
        {
            "id": 7,
            "width": 50,
            "height": 80,
            "coco_url": "http://images.example/train2017/000000000007.jpg",
            "neg_category_ids": [2],
            "not_exhaustive_category_ids": [],
        },
    ],
    "annotations": [
        {"id": 1, "image_id": 30, "category_id": 3, "bbox": [10, 20, 30, 40], "area": 900.5},
        {"id": 2, "image_id": 30, "category_id": 2, "bbox": [0, 0, 50.5, 60], "area": 3030},
        {"id": 3, "image_id": 30, "category_id": 3, "bbox": [90, 20, 30, 40], "area": 1000},
        {"id": 4, "image_id": 7, "category_id": 1, "bbox": [5, 5, 20, 20], "area": 400},
    ],
    "categories": [
        {"id": 1, "name": "acorn", "frequency": "r"},
        {"id": 2, "name": "apple_juice", "frequency": "c"},
        {"id": 3, "name": "cup", "frequency": "f"},
        {"id": 4, "name": "zebra", "frequency": "f"},
    ],
}


def one(name: str, boxes: list[tuple[int, list[float]]], kinds: tuple[str, ...]) -> dict[str, Any]:
    """A file with one image of 100 by 100 pixels and these boxes, each with the number of its category."""
    return {
        "images": [{"id": 1, "file_name": name, "width": 100, "height": 100}],
        "annotations": [
            {"id": at, "image_id": 1, "category_id": kind, "bbox": box, "area": 99.0, "iscrowd": 0}
            for at, (kind, box) in enumerate(boxes, 1)
        ],
        "categories": [{"id": at, "name": kind} for at, kind in enumerate(kinds, 1)],
    }


def write(path: Path, content: Any) -> Path:
    """A file of JSON, or of text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def odinw(root: Path) -> Path:
    """A folder as GLIP_ROOT names: one image in each of the 13 sets, two categories in some."""
    for at, (domain, path) in enumerate(FILES.items()):
        kinds = (f"{domain} A", "CoW") if at % 2 else (f"{domain} A",)
        write(root / path, one(f"{domain}.jpg", [(len(kinds), [10, 10, 40, 40])], kinds))
    return root


def fscd_147(root: Path) -> Path:
    """A folder with the three files of FSCD-147: two images of validation, one of training."""
    images = [{"id": at, "file_name": f"{at}.jpg", "width": 500 + at, "height": 384} for at in (2, 4, 9)]
    boxes = [
        {"id": 1, "image_id": 4, "category_id": 1, "bbox": [1, 2, 3, 4], "area": 12},
        {"id": 2, "image_id": 2, "category_id": 1, "bbox": [5, 6, 7, 8], "area": 56},
        {"id": 3, "image_id": 2, "category_id": 1, "bbox": [9, 6, 7, 8], "area": 56},
    ]
    fg = [{"id": 1, "name": "fg"}]
    write(root / "instances_val.json", {"images": images, "annotations": boxes, "categories": fg})
    write(root / "Train_Test_Val_FSC_147.json", {"train": ["9.jpg"], "val": ["4.jpg", "2.jpg"]})
    write(root / "ImageClasses_FSC147.txt", "2.jpg\tsea shells\n4.jpg\tbeads\n9.jpg\tcups\n")
    return root


def fscd_lvis(root: Path) -> Path:
    """A folder with the file of FSCD-LVIS: an image with two kinds, and one without boxes."""
    content = one(
        "b.jpg", [(2, [1, 1, 8, 8]), (1, [20, 20, 8, 8]), (2, [40, 40, 8, 8])], ("paper_cup", "egg")
    )
    content["images"].append({"id": 5, "file_name": "a.jpg", "width": 40, "height": 30})
    write(root / "annotations" / "instances_val.json", content)
    return root
