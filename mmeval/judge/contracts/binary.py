"""The binary contract: correct, or incorrect."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from mmeval.judge.contracts._making import CONFIG
from mmeval.judge.contracts._verdicts import Verdicts


@dataclass(frozen=True, config=CONFIG)
class Binary(Verdicts):
    """One word of two: label `correct` (score 1) or `incorrect` (score 0).

    Parameters: `key`, the name of the verdict field; `words`, label to accepted words, of which the first is
    asked for, by default the labels themselves; `reason`, whether a sentence of explanation is asked for.

    >>> Binary(key="correct", words={"correct": ["yes"], "incorrect": ["no"]}).parse("**correct:** [yes]")
    Parsed(ruling=Ruling(label='correct', score=1.0, evidence=None), span=(14, 17))
    """

    name: ClassVar[str] = "binary"
    sizes: ClassVar[tuple[int, ...]] = (2,)

    def _default(self) -> dict[str, list[str]]:
        return {"correct": ["correct"], "incorrect": ["incorrect"]}
