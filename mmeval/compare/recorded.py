"""Our verdicts beside those that another harness recorded of the same answers: why two harnesses disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from mmeval.compare.causes import kind_of
from mmeval.compare.rows import Line, Side
from mmeval.errors import UsageError
from mmeval.stats import Range, proportion
from mmeval.types import Json

# Verdicts further apart than that are two verdicts.
SAME = 1e-6


class Disagreement(msgspec.Struct, frozen=True):
    """One sample that two harnesses score differently: what each read, and our stage and reason."""

    id: str
    gt: Json
    pred: str | None
    ours: float | None
    our_extracted: str | None
    our_reason: str
    theirs: float
    their_extracted: str | None


class Agreement(msgspec.Struct, frozen=True):
    """Our verdicts and the recorded ones of one score.

    `compared` counts rows that both sides settled; `unrecorded` rows without a recorded score, `unsettled`
    rows that failed on our side or are measured over the whole run. `agreement` is the share of `compared`
    with the same score, with Wilson's interval. `table[ours][theirs]` counts right, partly, wrong and, on our
    side, undecided and invalid (which score 0). `reasons` counts disagreements by our stage and reason.
    `firsts` counts compared rows of several predictions of which only the first was graded here: there it is
    their verdict on the first that ours is held to, not their mean.
    """

    by: tuple[str, ...]
    compared: int
    agreeing: int
    agreement: float | None
    ci95: Range | None
    unrecorded: int
    unsettled: int
    ours: float | None
    theirs: float | None
    table: dict[str, dict[str, int]]
    reasons: dict[str, int]
    disagreements: tuple[Disagreement, ...]
    firsts: int = 0


def agreement(side: Side) -> Agreement:
    """How far our verdicts are the recorded ones.

    Raises:
        UsageError: the score holds no recorded verdict.
    """
    lines = list(side.lines.values())
    told = [line for line in lines if line.theirs is not None]
    if not told:
        raise UsageError(
            f"{side.path}: holds no recorded verdicts; score a file of another harness that carries them, "
            "with 'mmeval score --results' or 'mmeval import'"
        )
    both = [line for line in told if not line.failed and line.score is not None]
    apart = [line for line in both if abs(_ours(line) - _theirs(line)) > SAME]
    share = proportion(len(both) - len(apart), len(both)).ci95
    return Agreement(
        by=tuple(sorted({line.recorded.by for line in told if line.recorded and line.recorded.by})),
        compared=len(both),
        agreeing=len(both) - len(apart),
        agreement=1 - len(apart) / len(both) if both else None,
        ci95=share,
        unrecorded=len(lines) - len(told),
        unsettled=len(told) - len(both),
        ours=sum(map(_ours, both)) / len(both) if both else None,
        theirs=sum(map(_theirs, both)) / len(both) if both else None,
        table=_table(both),
        reasons=dict(Counter(str(kind_of(line)) for line in apart).most_common()),
        disagreements=tuple(map(_disagreement, apart)),
        firsts=sum(line.first_of_several for line in both),
    )


def _ours(line: Line) -> float:
    return (line.score or 0.0) if line.status == "ok" else 0.0


def _theirs(line: Line) -> float:
    return line.theirs or 0.0


def _word(score: float) -> str:
    return "right" if score >= 1.0 else "wrong" if score <= 0.0 else "partly"


def _our_word(line: Line) -> str:
    kind = kind_of(line)
    return kind.status if kind.status != "decided" else _word(_ours(line))


def _table(lines: Sequence[Line]) -> dict[str, dict[str, int]]:
    counts = Counter((_our_word(line), _word(_theirs(line))) for line in lines)
    ours = sorted({first for first, _ in counts})
    theirs = sorted({second for _, second in counts})
    return {first: {second: counts[first, second] for second in theirs} for first in ours}


def _disagreement(line: Line) -> Disagreement:
    extracted = line.recorded.extracted if line.recorded is not None else None
    return Disagreement(
        line.id,
        line.gt,
        line.pred,
        line.score,
        line.extracted,
        str(kind_of(line)),
        _theirs(line),
        extracted,
    )
