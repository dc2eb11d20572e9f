"""Rates whose unit is a group of rows: macro-mean, all-correct, pair-plus."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from mmeval.aggregates._table import (
    Group,
    Keys,
    column,
    groups,
    is_right,
    keys,
    measured_note,
    name_of,
    named_parts,
    number,
    sample_fields,
    settled,
    text_of,
)
from mmeval.errors import MetadataError
from mmeval.stats import around, combined_stderr, mean, proportion, stderr_of_mean
from mmeval.types import Reduced, Row


class Estimate(NamedTuple):
    """A value and its standard error."""

    value: float
    stderr: float | None


@dataclass(frozen=True)
class MacroMean:
    """The unweighted mean of group means (BLINK: 14 tasks).

    `by: ["task"]` is one level: mean inside each task, then the plain mean of the tasks. `by: ["ability",
    "task"]` nests: mean inside each (ability, task), then over the tasks of an ability, then over the
    abilities. `field` as in `mean`; a fraction 0..1 for scores. Parts: every group of every level (`AR`,
    `AR/identity`). SE at each level sqrt(sum SE_g^2) / G, since groups are disjoint; None where a group has
    one row. n counts rows.

    Source: zeyofu/BLINK_Benchmark eval/evaluate.py@2d6a779b; statistics of disjoint strata.
    """

    reduce: ClassVar[str] = "macro-mean"
    version: ClassVar[int] = 1
    by: Keys
    field: str = "score"

    def __post_init__(self) -> None:
        _need_keys(self.by, self.reduce)

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.field, *keys(self.by))

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The macro mean of these rows."""
        data = column(rows, self.field, self.reduce)
        cells: dict[Group, Estimate] = {}
        for group, where in groups(data.rows, self.by, self.reduce).items():
            values = [data.values[i] for i in where]
            cells[group] = Estimate(math.fsum(values) / len(values), stderr_of_mean(values))
        if not cells:
            return Reduced(None, 0, notes=data.notes)
        levels = _fold(cells)
        top = levels.pop(())
        parts = named_parts({group: levels[group].value for group in sorted(levels)}, self.reduce)
        single = sum(cell.stderr is None for cell in cells.values())
        notes = (f"{single} of {len(cells)} groups have one row, so no standard error",) if single else ()
        interval = around(top.value, top.stderr or None, "macro", limits=data.limits)
        return Reduced(top.value, len(data.values), *interval, parts, data.notes + notes)


def _fold(cells: Mapping[Group, Estimate]) -> dict[Group, Estimate]:
    """Every level from the innermost groups up to the whole, which is the empty group."""
    levels = dict(cells)
    while () not in cells:
        above: dict[Group, list[Estimate]] = defaultdict(list)
        for group, estimate in cells.items():
            above[group[:-1]].append(estimate)
        cells = {group: _average(estimates) for group, estimates in above.items()}
        levels.update(cells)
    return levels


def _average(estimates: Sequence[Estimate]) -> Estimate:
    count = len(estimates)
    stderr = combined_stderr([each.stderr for each in estimates], [1 / count] * count)
    # No spread in any group of this branch is 0 here; only where no branch has spread is the whole unknown.
    if stderr is None and all(each.stderr is not None for each in estimates):
        stderr = 0.0
    return Estimate(math.fsum(each.value for each in estimates) / count, stderr)


@dataclass(frozen=True)
class AllCorrect:
    """The share of groups in which every row is right (circular evaluation, pairs, triplets, consistency).

    value = groups with all rows right / groups, a fraction 0..1; a row is right with a score of 1. `by` are
    the keys of a group. `expected_size` is the number of rows a group must have, or the name of a sample
    field that tells it: a group with fewer is incomplete, counts as not all-correct, and is reported.
    `parts_by` adds one part per value of fields that are the same for all rows of a group. The unit is the
    group: n counts groups, Wilson over them.

    Source: open-compass/VLMEvalKit vlmeval/dataset/utils/multiple_choice.py@e8e78f05 (mcq_circular_eval);
    tianyi-lab/HallusionBench utils.py@744007c2; chenllliang/MMEvalPro auto_score.py@c6fb5418.
    """

    reduce: ClassVar[str] = "all-correct"
    version: ClassVar[int] = 1
    by: Keys
    expected_size: int | str | None = None
    parts_by: Keys = ()

    def __post_init__(self) -> None:
        _need_keys(self.by, self.reduce)
        if isinstance(self.expected_size, int) and self.expected_size < 1:
            raise MetadataError(
                f"aggregate {self.reduce}: expected_size must be at least 1, not {self.expected_size}"
            )

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        size = self.expected_size if isinstance(self.expected_size, str) else None
        return sample_fields(*keys(self.by), size, *keys(self.parts_by))

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The share of groups of these rows."""
        notes = measured_note(rows)
        if notes:
            return Reduced(None, 0, notes=notes)
        hits: dict[Group, bool] = {}
        missing, excess = [], 0
        found = groups(rows, self.by, self.reduce)
        for group, where in found.items():
            lacks = self._expected(rows, group, where) - len(where)
            missing += [lacks] if lacks > 0 else []
            excess += lacks < 0
            hits[group] = lacks <= 0 and all(is_right(rows[i]) for i in where)
        notes = _size_notes(len(hits), missing, excess) + _open_note(rows)
        value = sum(hits.values()) / len(hits) if hits else None
        parts = self._parts(rows, found, hits)
        return Reduced(value, len(hits), *proportion(sum(hits.values()), len(hits)), parts, notes)

    def _expected(self, rows: Sequence[Row], group: Group, where: Sequence[int]) -> int:
        if self.expected_size is None:
            return len(where)
        if isinstance(self.expected_size, int):
            return self.expected_size
        said = self._shared(rows, self.expected_size, group, where)
        size = number(said)
        if size is None or size < 1 or not size.is_integer():
            raise MetadataError(
                f"aggregate {self.reduce}: field {self.expected_size!r} must tell the size of group "
                f"{name_of(group)!r} as a whole number, not {said!r}"
            )
        return int(size)

    def _parts(
        self, rows: Sequence[Row], found: Mapping[Group, Sequence[int]], hits: Mapping[Group, bool]
    ) -> dict[str, float | None]:
        if not keys(self.parts_by):
            return {}
        pools: dict[Group, list[float]] = defaultdict(list)
        for group, where in found.items():
            pool = tuple(self._shared(rows, name, group, where) for name in keys(self.parts_by))
            pools[pool].append(float(hits[group]))
        return named_parts({pool: mean(pools[pool]) for pool in sorted(pools)}, self.reduce)

    def _shared(self, rows: Sequence[Row], field: str, group: Group, where: Sequence[int]) -> str:
        said = {text_of(rows[i], field) for i in where}
        value = said.pop()
        if said or not isinstance(value, str):
            raise MetadataError(
                f"aggregate {self.reduce}: the {len(where)} rows of group {name_of(group)!r} must have "
                f"one and the same value in field {field!r}; add that field to 'by', or name another"
            )
        return value


def _size_notes(count: int, missing: Sequence[int], excess: int) -> tuple[str, ...]:
    notes = []
    if missing:
        rows = sum(missing)
        notes.append(
            f"{len(missing)} of {count} groups are incomplete ({rows} rows missing), so not all-correct"
        )
    if excess:
        notes.append(
            f"{excess} of {count} groups have more rows than expected; all of their rows must be right"
        )
    return tuple(notes)


def _open_note(rows: Sequence[Row]) -> tuple[str, ...]:
    count = sum(not settled(row) for row in rows)
    return (
        (f"{count} of {len(rows)} rows have no verdict, so their groups are not all-correct",)
        if count
        else ()
    )


def _need_keys(by: Keys, who: str) -> None:
    if not keys(by):
        raise MetadataError(f"aggregate {who}: 'by' must name at least one sample field")


class Category(NamedTuple):
    """What pair-plus makes of one category, each in 0..100, and how many pairs it is made from."""

    acc: float
    acc_plus: float
    stderr: float | None
    pairs: int
    broken: int

    @property
    def score(self) -> float:
        """The sum of both, 0..200."""
        return self.acc + self.acc_plus


@dataclass(frozen=True)
class PairPlus:
    """MME's score: accuracy plus pair accuracy, summed over categories.

    Per category 100 * (right rows / rows) + 100 * (pairs with both rows right / pairs), 0..200 as the authors
    report it; value = sum over `categories` (all that occur where the list is empty), so 0..200 times their
    number. `pair` names the fields that make a pair inside a category. A pair with one row, or more than two,
    is never both right and is reported; so is a declared category without rows. Parts: `<category>`,
    `<category>.acc`, `<category>.acc_plus`. The unit is the pair: n counts pairs, SE sqrt(sum SE_category^2),
    None with broken pairs.

    Source: MME, arXiv 2306.13394 (eval_tool/calculation.py); VLMEvalKit
    vlmeval/dataset/utils/yorn.py@e8e78f05.
    """

    reduce: ClassVar[str] = "pair-plus"
    version: ClassVar[int] = 1
    pair: Keys
    category: str = "category"
    categories: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not keys(self.pair):
            raise MetadataError(f"aggregate {self.reduce}: 'pair' must name at least one sample field")

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.category, *keys(self.pair))

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The sum over the categories of these rows."""
        notes = measured_note(rows)
        if notes or not rows:
            return Reduced(None, 0, notes=notes)
        pools: dict[str, list[list[bool]]] = defaultdict(list)
        for group, where in groups(rows, (self.category, *keys(self.pair)), self.reduce).items():
            pools[group[0]].append([is_right(rows[i]) for i in where])
        wanted = self.categories or tuple(sorted(pools))
        made = {name: _category(pools[name]) for name in wanted if name in pools}
        return self._reduced(made, tuple(name for name in wanted if name not in pools))

    def _reduced(self, made: Mapping[str, Category], absent: Sequence[str]) -> Reduced:
        parts: dict[str, float | None] = {}
        for name, each in made.items():
            parts |= {name: each.score, f"{name}.acc": each.acc, f"{name}.acc_plus": each.acc_plus}
        broken = sum(each.broken for each in made.values())
        pairs = sum(each.pairs for each in made.values())
        notes = [f"no rows of category {name!r}: it adds nothing to the sum" for name in absent]
        if broken:
            notes.append(f"{broken} of {pairs} pairs do not have two rows and count as not both right")
        value = math.fsum(each.score for each in made.values()) if made else None
        stderr = combined_stderr([each.stderr for each in made.values()], [1.0] * len(made))
        limits = (0.0, 200.0 * len(made))
        interval = around(value or 0.0, stderr, "pairs", limits=limits)
        return Reduced(value, pairs, *interval, parts, tuple(notes))


def _category(pairs: Sequence[Sequence[bool]]) -> Category:
    rows = [right for pair in pairs for right in pair]
    both = [len(pair) == 2 and all(pair) for pair in pairs]
    broken = sum(len(pair) != 2 for pair in pairs)
    scores = [100 * sum(pair) / 2 + 100 * plus for pair, plus in zip(pairs, both, strict=True)]
    stderr = None if broken else stderr_of_mean(scores)
    return Category(sum(rows) / len(rows) * 100, sum(both) / len(pairs) * 100, stderr, len(pairs), broken)
