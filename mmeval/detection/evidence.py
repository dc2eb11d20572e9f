"""What a row says of its boxes: the contract between the stage that reads them and the aggregates."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from mmeval.errors import StageError
from mmeval.types import Json

Corners: TypeAlias = tuple[float, float, float, float]


class SaidBox(msgspec.Struct, frozen=True, gc=False):
    """A predicted box as x, y, width, height in pixels, with its score and category."""

    box: Corners
    category: str
    score: float = 1.0


class TrueBox(msgspec.Struct, frozen=True, gc=False):
    """A gold box as x, y, width, height in pixels; `area` is the annotation's own, `id` its name."""

    box: Corners
    category: str
    area: float
    crowd: bool = False
    id: int | str | None = None


class Lent(msgspec.Struct, frozen=True, gc=False):
    """Scores and boxes that a tool's detections lend to the predicted boxes, in their order.

    `missing`: the tool has no file for this row, so that nothing could be lent.
    """

    scores: tuple[float, ...]
    boxes: tuple[Corners, ...]
    missing: bool = False


class Modes(msgspec.Struct, frozen=True, gc=False):
    """Other ways to score the same boxes, where a row has them."""

    constant: tuple[float, ...] | None = None
    original: Lent | None = None


class BoxEvidence(msgspec.Struct, frozen=True, gc=False):
    """The boxes of one row. Several rows may be about one image; a category is always a text.

    `negative` are categories verified to be absent, `not_exhaustive` those of which not every object is
    annotated (LVIS). `tp`, `fp`, `fn` count order-free matches at IoU 0.5.
    """

    image: str
    boxes: tuple[SaidBox, ...] = ()
    golds: tuple[TrueBox, ...] = ()
    negative: tuple[str, ...] = ()
    not_exhaustive: tuple[str, ...] = ()
    modes: Modes | None = None
    tp: int | None = None
    fp: int | None = None
    fn: int | None = None


def box_evidence(evidence: Json, row: str) -> BoxEvidence:
    """The evidence of a row, typed.

    Raises:
        StageError: it is not what a stage for boxes gives; says where.
    """
    try:
        return msgspec.convert(evidence, BoxEvidence)
    except msgspec.ValidationError as error:
        raise StageError(f"sample {row}: its evidence is not that of boxes ({error})") from None
