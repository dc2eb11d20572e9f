"""The partial-credit contract: how much of the answer is right."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from mmeval.judge.contracts._making import CONFIG, Key, Number
from mmeval.judge.contracts._rated import Rated


@dataclass(frozen=True, config=CONFIG)
class PartialCredit(Rated):
    """A number from 0 (nothing is right) to 1 (all is); score the number itself, evidence `{"rating": x}`.

    Tenths are usual (MM-Vet) and not enforced.

    Parameters: `lo` and `hi`, 0 and 1; `key`, the name of the field (`score`); `integer`; `raw`; `reason`.

    >>> PartialCredit().parse("0.6").ruling
    Ruling(label='0.6', score=0.6, evidence={'rating': 0.6})
    """

    name: ClassVar[str] = "partial-credit"

    lo: Number = 0.0
    hi: Number = 1.0
    key: Key = "score"
