"""Rates over labels: label-rates (three-way verdicts) and multi-label-mean (capabilities)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from mmeval.aggregates._table import column, require_present, sample_fields, several, text_of
from mmeval.errors import MetadataError
from mmeval.stats import UNKNOWN, Interval, mean, of_mean, proportion
from mmeval.types import Reduced, Row


@dataclass(frozen=True)
class LabelRates:
    """The rate of each label, and SimpleQA's harmonic F.

    Rate of a label = rows with it / all rows; `given_attempted` = correct / rows with a label in `attempted`;
    `f` = harmonic mean of the correct rate and given_attempted; fractions 0..1, and 0 for 0/0. `source` is
    where the label lies: `label` (what was read), `evidence.<key>` or a sample field; compared without regard
    to case, and a dash is an underscore. Rows with none of `labels` stay in the denominator and are reported.
    `attempted` is `correct` plus `incorrect` unless given. `value` chooses the headline: a label,
    `given_attempted` or `f`. With `digits` the rates of the labels are rounded before anything is made of
    them (SimpleVQA: 4). Interval: Wilson for rates, None for `f`.

    Source: SimpleQA, arXiv 2411.04368 (openai/simple-evals simpleqa_eval.py@ee3b0318); SimpleVQA, rounded
    (open-compass/VLMEvalKit vlmeval/dataset/utils/simplevqa.py@e8e78f05).
    """

    reduce: ClassVar[str] = "label-rates"
    version: ClassVar[int] = 1
    labels: tuple[str, ...] = ("correct", "incorrect", "not_attempted")
    correct: str = "correct"
    attempted: tuple[str, ...] = ()
    source: str = "label"
    value: str = "correct"
    digits: int | None = None

    def __post_init__(self) -> None:
        odd = [name for name in (self.correct, *self.attempted) if name not in self.labels]
        if odd:
            raise MetadataError(
                f"aggregate {self.reduce}: {odd[0]!r} is not one of 'labels': {', '.join(self.labels)}"
            )
        allowed = (*self.labels, "given_attempted", "f")
        if self.value not in allowed:
            raise MetadataError(
                f"aggregate {self.reduce}: value {self.value!r} must be one of {', '.join(allowed)}"
            )
        if self.digits is not None and self.digits < 1:
            raise MetadataError(f"aggregate {self.reduce}: digits must be at least 1, not {self.digits}")
        if not self._attempted():
            raise MetadataError(
                f"aggregate {self.reduce}: 'attempted' must name the labels of attempted answers"
            )

    def _attempted(self) -> tuple[str, ...]:
        usual = ("correct", "incorrect")
        return self.attempted or (usual if set(usual) <= set(self.labels) else ())

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.source)

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The rates of these rows."""
        known = {_plain(label): label for label in self.labels}
        said = [text_of(row, self.source) for row in rows]
        found = [known.get(_plain(text)) if isinstance(text, str) else None for text in said]
        shares = {label: (found.count(label), len(rows)) for label in self.labels}
        attempts = sum(found.count(label) for label in self._attempted())
        shares["given_attempted"] = (found.count(self.correct), attempts)
        # 2 c (c / a) / (c + c / a) with c = hits / n comes down to 2 hits / (n + attempts).
        shares["f"] = (2 * found.count(self.correct), len(rows) + attempts)
        parts: dict[str, float | None] = {name: _share(*share) for name, share in shares.items()}
        if self.digits is not None:
            parts |= self._rounded({label: _share(*shares[label]) for label in self.labels}, self.digits)
        none = found.count(None)
        notes = (
            (f"{none} of {len(rows)} rows carry none of the labels; they stay in the denominator",)
            if none
            else ()
        )
        value = parts[self.value] if rows else None
        interval = self._interval(shares[self.value])
        return Reduced(value, len(rows), *interval, parts if rows else {}, notes)

    def _rounded(self, rates: dict[str, float], digits: int) -> dict[str, float]:
        """The same figures, made of rounded rates."""
        rates = {label: round(rate, digits) for label, rate in rates.items()}
        attempted = round(sum(rates[label] for label in self._attempted()), digits)
        right = rates[self.correct]
        given = _share(right, attempted)
        return rates | {"given_attempted": given, "f": _share(2 * given * right, given + right)}

    def _interval(self, share: tuple[int, int]) -> Interval:
        return UNKNOWN if self.value == "f" else proportion(*share)


def _plain(label: str) -> str:
    return label.strip().casefold().replace("-", "_")


def _share(hits: float, of: float) -> float:
    return hits / of if of else 0.0


@dataclass(frozen=True)
class MultiLabelMean:
    """The mean over rows, and per label where a row carries several (MM-Vet: capabilities).

    A row adds to each of its labels once. `labels` is a field with a list, or a text that is split at
    `explode`. `value: "micro"` is the mean over rows, `"macro"` the unweighted mean of the labels' means;
    fractions 0..1 for scores, `field` as in `mean`. Parts: each label, sorted; with `exact_sets` also
    `set:<a>+<b>`, the mean over rows that carry exactly these labels (MM-Vet's capability integrations).
    Interval of micro as in `mean`; None for macro, whose labels share rows.

    Source: yuweihao/MM-Vet mm-vet_evaluator.ipynb, arXiv 2308.02490.
    """

    reduce: ClassVar[str] = "multi-label-mean"
    version: ClassVar[int] = 1
    labels: str
    explode: str | None = None
    field: str = "score"
    value: Literal["micro", "macro"] = "micro"
    exact_sets: bool = False

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.field, self.labels)

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The means of these rows."""
        data = column(rows, self.field, self.reduce)
        found = [several(row, self.labels, self.explode) for row in data.rows]
        require_present(data.rows, found, self.labels, self.reduce)
        pools: dict[str, list[float]] = defaultdict(list)
        sets: dict[str, list[float]] = defaultdict(list)
        for value, labels in zip(data.values, found, strict=True):
            for label in labels or ():
                pools[label].append(value)
            sets["set:" + "+".join(sorted(labels or ()))].append(value)
        parts = {label: mean(pools[label]) for label in sorted(pools)}
        macro = mean([each for each in parts.values() if each is not None])
        if self.exact_sets:
            parts |= {name: mean(sets[name]) for name in sorted(sets)}
        bare = sum(not labels for labels in found)
        notes = (*data.notes, *([f"{bare} of {len(found)} rows carry no label"] if bare else ()))
        if self.value == "macro":
            return Reduced(macro, len(data.values), parts=parts, notes=notes)
        return Reduced(mean(data.values), len(data.values), *of_mean(data.values, data.limits), parts, notes)
