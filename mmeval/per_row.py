"""The boxes of a run per image and category, as a table beside the score: worst F1 first."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mmeval.protocol import Plan
from mmeval.scorefile import atomic
from mmeval.types import Row

if TYPE_CHECKING:
    from mmeval.boxes.diagnostics import Tally

COLUMNS = ("image", "category", "tp", "fp", "fn", "mean_iou", "precision", "recall", "f1")


def paths(target: Path) -> tuple[Path, Path]:
    """Where the tables of a score file go: the one that counts, and the one of the second score mode."""
    first, second = (f"{target.stem}{kind}_per_row.csv" for kind in ("", "_constant"))
    return target.with_name(first), target.with_name(second)


def has_tables(plan: Plan) -> bool:
    """Whether a stage of this plan measures boxes, which are counted in a table."""
    return any(getattr(stage.call, "per_row", False) for stages in plan.steps.all for stage in stages)


def write_per_row(target: Path, plan: Plan, rows: Sequence[Row]) -> None:
    """Write the tables of a run whose stage measures boxes; one that is of no use any more goes.

    Where a tool lends its boxes, they are counted in the first table, and the replies' own in the second.
    """
    first, second = paths(target)
    if not has_tables(plan):
        for path in (first, second):
            path.unlink(missing_ok=True)
        return
    from mmeval.boxes.diagnostics import has_lent, tallies

    evidences = [
        row.evidence for row in rows if isinstance(row.evidence, dict) and "absorbed" in row.evidence
    ]
    lent = any(map(has_lent, evidences))
    _write(first, (tally for each in evidences for tally in tallies(each, lent)))
    if lent:
        _write(second, (tally for each in evidences for tally in tallies(each, False)))
    else:
        second.unlink(missing_ok=True)


def _write(path: Path, counted: Iterable[Tally]) -> None:
    found: dict[tuple[str, str], Tally] = {}
    for each in counted:
        key = (each.image, each.category)
        found[key] = found[key].plus(each) if key in found else each
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for each in sorted(found.values(), key=lambda tally: tally.f1):
        table.writerow(["" if value is None else value for value in _cells(each)])
    with atomic(path) as file:
        file.write(text.getvalue().encode("utf-8", "replace"))


def _cells(each: Tally) -> tuple[str | int | float | None, ...]:
    counts = (each.image, each.category, each.tp, each.fp, each.fn)
    return (*counts, each.mean_iou, each.precision, each.recall, each.f1)
