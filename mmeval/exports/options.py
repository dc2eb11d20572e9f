"""What an export may be told, and what an exporter is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mmeval.exports.runs import Run

Columns: TypeAlias = Literal["benchmark", "model"]
Intervals: TypeAlias = Literal["pm", "range", "none"]


@dataclass(frozen=True)
class Source:
    """Where a published result is explained; names and owners need the address."""

    url: str | None = None
    name: str | None = None
    user: str | None = None
    org: str | None = None


@dataclass(frozen=True)
class Options:
    """What an export is to be.

    Attributes:
        rows: samples instead of runs.
        spreadsheet: guard cells that a spreadsheet would compute.
        columns: what a table of models and benchmarks has as columns; None for one line a run where a
            format has both.
        intervals: how a 95 % interval is written in such a table.
        digits: decimals of a value out of 100; a value out of 1 gets two more.
        dataset_id: the dataset on the Hub, where the score does not name it as `owner/name`.
        task_id: the task in that dataset's `eval.yaml`; the subset of the run where it is not told.
        date: when the run was made, ISO 8601; left out where it is not told, since no clock is read.
        source: where a published result is explained.
        notes: said of a published result before what the score says of itself.
        fail_under: the headline below which a run fails, in its own unit.
        min_coverage: the share of decided rows below which a run fails.
    """

    rows: bool = False
    spreadsheet: bool = False
    columns: Columns | None = None
    intervals: Intervals = "pm"
    digits: int = 1
    dataset_id: str | None = None
    task_id: str | None = None
    date: str | None = None
    source: Source = Source()
    notes: str | None = None
    fail_under: float | None = None
    min_coverage: float | None = None


Tell: TypeAlias = Callable[[str], None]
Exporter: TypeAlias = Callable[[Sequence[Run], Options, Tell], Iterator[bytes]]
