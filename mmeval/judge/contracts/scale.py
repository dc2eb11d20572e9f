"""The scale contract: a rating from lo to hi."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from mmeval.judge.contracts._making import CONFIG
from mmeval.judge.contracts._rated import Rated


@dataclass(frozen=True, config=CONFIG)
class Scale(Rated):
    """A number on a scale; score = (rating - lo) / (hi - lo), evidence `{"rating": x}`, label the number.

    A number outside the scale is not clamped but unreadable (`out-of-range`), and so are two different ones.

    Parameters: `lo` and `hi` (required); `key`, the name of the field (`rating`); `integer`, whether only
    whole numbers are ratings; `raw`, whether the number is made over the whole run (score None); `reason`.

    >>> Scale(lo=0, hi=10).parse("Rating: [[7]]").ruling
    Ruling(label='7', score=0.7, evidence={'rating': 7.0})
    """

    name: ClassVar[str] = "scale"
