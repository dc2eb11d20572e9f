"""The boxes of settled rows, read in one place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mmeval.detection.evidence import BoxEvidence, box_evidence
from mmeval.types import Row

REMEDY = (
    "; the pipeline has to end in a stage that reads them, and of several predictions one counts "
    "(--score_predictions first)"
)


class Boxed(NamedTuple):
    """The rows that have boxes, what they say, whether the others' can be left out, and what to tell."""

    rows: list[Row]
    evidence: list[BoxEvidence]
    complete: bool
    notes: tuple[str, ...]


def boxed(rows: Sequence[Row]) -> Boxed:
    """The rows with boxes.

    A reply without a box has none to show, and so has a row without a reply: their golds are missed. Rows
    without a usable gold, or that failed on our side, say nothing of their boxes and are left out. A row that
    counts and says nothing may have golds that nobody knows of: then no number can be made. Notes name the
    first row of each kind.

    Raises:
        StageError: a row's evidence is not that of boxes.
    """
    having = [row for row in rows if row.status in ("ok", "invalid") and row.evidence is not None]
    lacking = [row for row in rows if row.status == "ok" and row.evidence is None]
    left = [row for row in rows if row.status != "ok" and (row.evidence is None or row.status != "invalid")]
    unanswered = [row for row in having if row.status == "invalid"]
    told = (
        (unanswered, "have no reply and find nothing", ""),
        (left, "without usable boxes are left out", ""),
        (lacking, "carry no boxes", REMEDY),
    )
    notes = tuple(
        f"{len(each)} of {len(rows)} rows {what} (first: sample {each[0].id}){remedy}"
        for each, what, remedy in told
        if each
    )
    return Boxed(having, [box_evidence(row.evidence, row.id) for row in having], not lacking, notes)
