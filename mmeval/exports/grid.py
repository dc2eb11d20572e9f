"""Models by benchmarks: one score a cell, the best of what can be compared, and what a reader must know.

In every column the largest set of scores that were made in the same way is found; the best of it is marked
(all that read the same), and a score outside it is not, but says what was different. Nothing that has no
value gets one.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mmeval.compare.knobs import differing
from mmeval.errors import UsageError
from mmeval.exports.runs import Run
from mmeval.reports import quality
from mmeval.reports.figures import listed

MOST = 3


class Cell(NamedTuple):
    """One score in the table: its value and interval as texts, whether it is the best, its footnotes."""

    value: str | None
    interval: tuple[str, str] | None
    margins: tuple[str, str] | None
    best: bool
    marks: tuple[str, ...]


class Column(NamedTuple):
    """A benchmark: its name, and the headline that its scores are."""

    name: str
    metric: str


class Grid(NamedTuple):
    """A table: models, benchmarks, cells by (model, benchmark), and footnotes by their marks."""

    models: tuple[str, ...]
    columns: tuple[Column, ...]
    cells: Mapping[tuple[str, str], Cell]
    notes: tuple[tuple[str, str], ...]


class _Notes:
    """Footnotes in the order in which they are met; the same text has one mark."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def mark(self, text: str) -> str:
        return self._marks.setdefault(text, _letters(len(self._marks)))

    def told(self) -> tuple[tuple[str, str], ...]:
        return tuple((mark, text) for text, mark in self._marks.items())


def _letters(number: int) -> str:
    """0 is a, 25 z, 26 aa.

    >>> [_letters(each) for each in (0, 25, 26)]
    ['a', 'z', 'aa']
    """
    rest, letter = divmod(number, 26)
    return (_letters(rest - 1) if rest else "") + string.ascii_lowercase[letter]


def grid(runs: Sequence[Run], digits: int) -> Grid:
    """The table of these runs.

    Args:
        runs: at most one of a model on a benchmark and protocol.
        digits: decimals of a value out of 100.

    Raises:
        UsageError: two runs claim the same cell.
    """
    placed = _placed(runs)
    models = tuple(dict.fromkeys(run.model for run in runs))
    names = tuple(dict.fromkeys(name for _, name in placed))
    found = {
        name: {model: placed[model, name] for model in models if (model, name) in placed} for name in names
    }
    made = {name: _Made(list(column.values()), digits) for name, column in found.items()}
    notes = _Notes()
    cells = {
        (model, name): made[name].cell(found[name][model], notes)
        for model in models
        for name in names
        if model in found[name]
    }
    columns = tuple(Column(name, str(made[name].standard.headline.get("name") or "")) for name in names)
    return Grid(models, columns, cells, notes.told())


def _placed(runs: Sequence[Run]) -> dict[tuple[str, str], Run]:
    """The runs by cell: a benchmark that a model has by several protocols is a column for each of them."""
    protocols: dict[tuple[str, str], set[object]] = {}
    for run in runs:
        protocols.setdefault((run.model, run.benchmark), set()).add(run.config.get("protocol"))
    several = {benchmark for (_, benchmark), told in protocols.items() if len(told) > 1}
    placed: dict[tuple[str, str], Run] = {}
    for run in runs:
        name = f"{run.benchmark} ({_protocol(run)})" if run.benchmark in several else run.benchmark
        taken = placed.setdefault((run.model, name), run)
        if taken is not run:
            raise UsageError(
                f"two scores of {run.model} on {name}: {taken.document.path} and {run.document.path}; "
                "name one of them, or tell the models apart with MODEL=PATH"
            )
    return placed


def _protocol(run: Run) -> str:
    return str(run.config.get("protocol") or "own protocol")


class _Made:
    """One column: which of its scores can be compared, how they read, and the best of them."""

    def __init__(self, runs: Sequence[Run], digits: int) -> None:
        self.alike = _alike(runs)
        self.standard = self.alike[0]
        self.decimals = decimals(runs, digits)
        values = [run.value for run in self.alike if run.value is not None]
        better = quality.better(quality.headline(self.standard.config))
        self.best: str | None = None
        if better and len(values) > 1:
            self.best = self.read(max(values) if better > 0 else min(values))

    def read(self, value: float) -> str:
        """A value as text; one that rounds to nothing has no sign."""
        text = f"{value:.{self.decimals}f}"
        return text.removeprefix("-") if float(text) == 0 else text

    def cell(self, run: Run, notes: _Notes) -> Cell:
        """One score as a cell."""
        remarks = _remarks(run, self.standard, run in self.alike)
        marks = tuple(sorted((notes.mark(text) for text in remarks), key=lambda mark: (len(mark), mark)))
        value = run.value
        if value is None:
            return Cell(None, None, None, False, marks)
        text, interval, margins = self.read(value), None, None
        if run.interval is not None:
            low, high = run.interval
            interval = self.read(low), self.read(high)
            margins = self.read(value - low), self.read(high - value)
        return Cell(text, interval, margins, run in self.alike and text == self.best, marks)


def _alike(runs: Sequence[Run]) -> list[Run]:
    """The largest set of runs that were scored in the same way; of several the one that is met first."""
    sets: list[list[Run]] = []
    for run in runs:
        for known in sets:
            if not _unlike(known[0], run):
                known.append(run)
                break
        else:
            sets.append([run])
    return max(sets, key=len)


def _unlike(standard: Run, run: Run) -> list[str]:
    """What keeps two scores from being compared."""
    found = [knob.name for knob in differing(standard.document, run.document) if knob.decides]
    one, other = standard.headline, run.headline
    found += [f"headline {key}" for key in ("name", "scale") if one.get(key) != other.get(key)]
    if standard.summary["total"] != run.summary["total"]:
        found.append(f"{run.summary['total']} rows for {standard.summary['total']}")
    return found


def _remarks(run: Run, standard: Run, alike: bool) -> Iterator[str]:
    if run.value is None:
        yield no_value(run)
    if not alike:
        what = listed(_few(_unlike(standard, run)))
        yield f"not comparable with {standard.model}, which was scored otherwise: {what}"
    if run.config["official_protocol"] is False:
        yield f"not official: {'; '.join(_few([str(each) for each in run.config['deviations']]))}"


def _few(told: Sequence[str]) -> list[str]:
    more = len(told) - MOST
    return [*told[:MOST], f"{more} more"] if more > 0 else list(told)


def no_value(run: Run) -> str:
    """Why a run has no value, and what is known all the same."""
    bounds = run.headline.get("bounds")
    if not run.failed:
        return "no value: the score gives none"
    between = f"; the value lies between {bounds[0]:g} and {bounds[1]:g}" if isinstance(bounds, list) else ""
    return f"no value: {run.failed} of {run.summary['total']} rows failed on the scorer's side{between}"


def decimals(runs: Sequence[Run], digits: int) -> int:
    """Decimals of a column: two more than asked for where all its values are out of 1."""
    sizes = [abs(run.value) for run in runs if run.value is not None]
    scales = [float(run.headline.get("scale") or 1) for run in runs]
    return digits + 2 if max([*sizes, *scales], default=1.0) <= 1 else digits
