"""What COCOeval and LVISEval are asked: which of them, and how many detections count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mmeval.errors import MetadataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Evaluator: TypeAlias = Literal["coco", "lvis"]

AREAS = ("all", "small", "medium", "large")
# The cap at which COCOeval's summary takes AP itself, whatever the others are.
OFFICIAL_CAP = 100
USUAL_CAPS = {"coco": (1, 10, 100), "lvis": (300,)}


@dataclass(frozen=True)
class Caps:
    """How many detections count, fewest first.

    COCO: per image and category; AP itself is taken at 100 where 100 is among them, AP50 and all others at
    the largest. LVIS: one number, per image over all categories.
    """

    evaluator: Evaluator
    numbers: tuple[int, ...]

    @property
    def of_ap(self) -> int:
        """The place of the cap at which AP itself is taken.

        Where 100 is not among them COCOeval's own summary prints -1; here it is the largest.
        """
        found = OFFICIAL_CAP in self.numbers
        return self.numbers.index(OFFICIAL_CAP) if found else len(self.numbers) - 1

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of them."""
        if self.evaluator == "lvis" or OFFICIAL_CAP in self.numbers:
            return ()
        return (
            f"AP is taken at {self.numbers[-1]} detections; COCOeval's own summary, which looks for 100, "
            "would print -1",
        )


def caps(evaluator: Evaluator, declared: int | tuple[int, ...] | None) -> Caps:
    """The caps that `max_dets` declares: one number (COCO: with 1 and 10 below it), or COCO's list.

    Raises:
        MetadataError: a cap that is no positive number, a repeated one, none, or several for LVIS.
    """
    if declared is None:
        return Caps(evaluator, USUAL_CAPS[evaluator])
    if isinstance(declared, int):
        usual = USUAL_CAPS[evaluator][:-1]
        declared = (*(cap for cap in usual if cap < declared), declared)
    numbers = tuple(sorted(set(declared)))
    if not numbers or numbers[0] < 1 or len(numbers) < len(declared):
        raise MetadataError(f"max_dets {list(declared)} must be different positive numbers")
    if evaluator == "lvis" and len(numbers) > 1:
        raise MetadataError(f"max_dets {list(declared)} must be one number for the evaluator lvis")
    return Caps(evaluator, numbers)


@dataclass(frozen=True)
class Tables:
    """What an evaluator accumulates; -1 where there is nothing to measure.

    `precision` by IoU threshold, recall point, category, area and cap; `recall` by IoU threshold, category,
    area and cap.
    """

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
