"""Evidence of boxes as a stage gives it: predicted and gold boxes of an image, in few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

GOLD = [100.0, 100.0, 100.0, 100.0]
AWAY = [400.0, 300.0, 50.0, 50.0]


def said(box: Sequence[float], score: float = 1.0, category: str = "1") -> dict[str, Any]:
    return {"box": list(box), "score": score, "category": category}


def gold(box: Sequence[float] = GOLD, category: str = "1", **more: Any) -> dict[str, Any]:
    return {"box": list(box), "category": category, "area": box[2] * box[3], "crowd": False, **more}


def evidence(image: str, boxes: Sequence[Any], golds: Sequence[Any], **more: Any) -> dict[str, Any]:
    return {"image": image, "boxes": list(boxes), "golds": list(golds), **more}
