"""The official numbers, read off an evaluator's tables as its own summary reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mmeval.detection.protocol import AREAS, Caps, Tables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The places of IoU 0.50 and 0.75 among 0.50, 0.55 ... 0.95.
IOU50, IOU75 = 0, 5
GROUPS = ("r", "c", "f")


def names(caps: Caps) -> tuple[str, ...]:
    """The names of the numbers, in the order of the official summary."""
    precision = ("AP", "AP50", "AP75", "APs", "APm", "APl")
    if caps.evaluator == "lvis":
        return (*precision, "APr", "APc", "APf", f"AR@{caps.numbers[0]}", "ARs", "ARm", "ARl")
    return (*precision, *(f"AR{cap}" for cap in caps.numbers), "ARs", "ARm", "ARl")


def figures(
    tables: Tables, caps: Caps, groups: Mapping[str, Sequence[int]] | None = None
) -> dict[str, float | None]:
    """The 12 numbers of COCOeval (with three caps) or the 13 of LVISEval, 0..1.

    Args:
        tables: what was accumulated.
        caps: at which numbers of detections.
        groups: LVIS: the places of the categories of each frequency group, where they are known.

    Returns:
        The numbers by name; None where there is nothing to measure, where the official summary says -1.
    """
    precision, recall = tables.precision, tables.recall
    whole = precision[:, :, :, 0, -1]
    found: dict[str, float | None] = {
        "AP": _mean(precision[:, :, :, 0, caps.of_ap]),
        "AP50": _mean(whole[IOU50]),
        "AP75": _mean(whole[IOU75]),
    }
    found |= {f"AP{area[0]}": _mean(precision[:, :, :, place, -1]) for place, area in _sizes()}
    if caps.evaluator == "lvis":
        chosen = groups or {}
        found |= {f"AP{group}": _mean(whole[:, :, list(chosen.get(group, ()))]) for group in GROUPS}
        found[f"AR@{caps.numbers[0]}"] = _mean(recall[:, :, 0, 0])
    else:
        found |= {f"AR{cap}": _mean(recall[:, :, 0, place]) for place, cap in enumerate(caps.numbers)}
    return found | {f"AR{area[0]}": _mean(recall[:, :, place, -1]) for place, area in _sizes()}


def per_category(tables: Tables, caps: Caps, categories: Sequence[str]) -> dict[str, float | None]:
    """AP of each category."""
    table = tables.precision[:, :, :, 0, caps.of_ap]
    return {name: _mean(table[:, :, place]) for place, name in enumerate(categories)}


def _sizes() -> list[tuple[int, str]]:
    return list(enumerate(AREAS))[1:]


def _mean(table: NDArray[np.float64]) -> float | None:
    """The mean over what was measured, in the order of the table, as the reference sums it."""
    measured = table[table > -1]
    return float(measured.mean()) if measured.size else None
