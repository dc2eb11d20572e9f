"""From settled rows to the summary of a score: counts that belong together, the aggregates, the headline."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from mmeval.errors import MetadataError
from mmeval.metadata import Aggregate
from mmeval.registry import aggregate_class, build, nearest
from mmeval.types import Attempt, Json, Reduced, Row


class Reducer(NamedTuple):
    """An aggregate of a block, ready to be asked."""

    spec: Aggregate
    call: Callable[[Any], Reduced]
    combines: bool
    fields: tuple[str, ...]
    version: int


def reducers(specs: Sequence[Aggregate], where: str) -> tuple[Reducer, ...]:
    """Build the declared aggregates.

    Raises:
        MetadataError: an unknown reducer or parameter, or `of` names something that is not declared before
        it.
    """
    built: list[Reducer] = []
    for spec in specs:
        label = f"{where}: aggregate {spec.name}"
        cls = _aggregate_class(spec.reduce, label)
        call = build(cls, spec.params, label)
        combines = bool(getattr(cls, "combines", False))
        if combines:
            _check_parts(call.of, {made.spec.name for made in built}, label)
        fields = () if combines else tuple(call.fields())
        built.append(Reducer(spec, call, combines, fields, cls.version))
    return tuple(built)


def _aggregate_class(name: str, label: str) -> type[Any]:
    try:
        return aggregate_class(name)
    except MetadataError as error:
        raise MetadataError(f"{label}: {error}") from None


def _check_parts(names: Sequence[str], known: set[str], label: str) -> None:
    for name in names:
        if name not in known and name.partition(".")[0] not in known:
            raise MetadataError(
                f"{label}: 'of' names {name!r}, which is not declared before it; {nearest(name, known)}"
            )


def with_resources(made: Sequence[Reducer], values: Mapping[str, Any]) -> tuple[Reducer, ...]:
    """The aggregates, those that ask for resources with what these hold."""
    return tuple(
        each._replace(call=each.call.with_resources(values))  # type: ignore[attr-defined]
        if getattr(each.call, "resources", ())
        else each
        for each in made
    )


def needed_fields(made: Sequence[Reducer]) -> tuple[str, ...]:
    """Every sample field that these aggregates read, in a fixed order."""
    names = [name for each in made for name in (*each.fields, *each.spec.where)]
    if any(each.spec.over is not None for each in made):
        names.append("subset")
    return tuple(dict.fromkeys(names))


def reduce_all(made: Sequence[Reducer], rows: Sequence[Row]) -> dict[str, Reduced]:
    """Every aggregate of these rows, by name, unscaled."""
    done: dict[str, Reduced] = {}
    for each in made:
        try:
            done[each.spec.name] = each.call(done if each.combines else selected(each.spec, rows))
        except MetadataError as error:
            raise MetadataError(f"aggregate {each.spec.name}: {error}") from None
    return done


def selected(spec: Aggregate, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows that an aggregate counts: of the subsets that it is `over`, with what `where` asks for."""
    if spec.over is None and not spec.where:
        return rows
    over = None if spec.over is None else set(spec.over)
    where = {name: set(values) for name, values in spec.where.items()}
    return [
        row
        for row in rows
        if (over is None or row.fields.get("subset", row.subset) in over)
        and all(_among(row.fields.get(name), values) for name, values in where.items())
    ]


def _among(said: str | tuple[str, ...] | None, values: set[str]) -> bool:
    """Whether a field has one of the values; a list has what one of its members is."""
    return bool(values.intersection(said)) if isinstance(said, tuple) else said in values


def scaled(reduced: Reduced, scale: float) -> Reduced:
    """The same figure in the unit that its protocol reports."""
    if scale == 1.0:
        return reduced
    ci95 = None if reduced.ci95 is None else (reduced.ci95[0] * scale, reduced.ci95[1] * scale)
    parts = {name: _times(value, scale) for name, value in reduced.parts.items()}
    return Reduced(
        _times(reduced.value, scale),
        reduced.n,
        _times(reduced.stderr, scale),
        ci95,
        reduced.method,
        parts,
        reduced.notes,
    )


def _times(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


class Counts:
    """Everything that is counted, always together, so that no denominator can be hidden."""

    def __init__(self) -> None:
        self.filtered = 0
        self.total = 0
        self.correct = 0
        self.decided = 0
        self.read = 0
        self.measured = 0
        self.status = {"ok": 0, "invalid": 0, "llm_error": 0, "error": 0}
        self.by_stage: dict[str, dict[str, int]] = {}
        self.by_question_type: dict[str, dict[str, int]] = {}
        self.by_reason: dict[str, int] = {}
        self.invalid_by_reason: dict[str, int] = {}
        self._scores: list[float] = []

    def add(self, row: Row, decided_by: str | None, question_type: str | None, reason: str | None) -> None:
        """Count one settled row."""
        right = int(row.score is not None and row.score >= 1.0)
        self.total += 1
        self.correct += right
        self.decided += int(row.decided)
        self.read += int(row.label is not None or any(each.label is not None for each in row.attempts))
        self.measured += int(row.score is None)
        self.status[row.status] += 1
        self._scores.append(row.score or 0.0)
        _bump(self.by_stage, decided_by or "undecided", right)
        _bump(self.by_question_type, question_type or "unknown", right)
        if not row.decided:
            self.by_reason[reason or "unknown"] = self.by_reason.get(reason or "unknown", 0) + 1
        if row.status == "invalid":
            code = (reason or "unknown").partition(": ")[0]
            self.invalid_by_reason[code] = self.invalid_by_reason.get(code, 0) + 1

    @property
    def failed(self) -> int:
        """Rows that our side could not settle."""
        return self.status["llm_error"] + self.status["error"]

    def summary(self) -> dict[str, Json]:
        """The counts of a score's summary."""
        total, invalid, failed = self.total, self.status["invalid"], self.failed
        correct = None if self.measured else self.correct
        return {
            "total": total,
            "filtered": self.filtered,
            "valid": total - invalid,
            "invalid": invalid,
            "correct": correct,
            "decided": self.decided,
            "read": self.read,
            "undecided": self.status["ok"] - self.decided,
            "llm_errors": self.status["llm_error"],
            "errors": self.status["error"],
            "accuracy": _share(correct, total),
            "accuracy_valid": _share(correct, total - invalid),
            "accuracy_decided": _share(correct, self.decided),
            "coverage": _share(self.decided, total),
            "accuracy_bounds": None
            if correct is None
            else [_share(correct, total), _share(correct + failed, total)],
            "mean_score": None if self.measured or not total else math.fsum(self._scores) / total,
            "by_stage": _json(self.by_stage),
            "by_question_type": _json(self.by_question_type),
            "by_reason": dict(sorted(self.by_reason.items())),
            "invalid_by_reason": dict(sorted(self.invalid_by_reason.items())),
        }


def _json(table: Mapping[str, Mapping[str, int]]) -> dict[str, Json]:
    return {name: dict(table[name]) for name in sorted(table)}


def _bump(table: dict[str, dict[str, int]], name: str, right: int) -> None:
    cell = table.setdefault(name, {"total": 0, "correct": 0})
    cell["total"] += 1
    cell["correct"] += right


def _share(part: int | None, whole: int) -> float | None:
    return None if part is None or not whole else part / whole


def aggregate_summary(made: Sequence[Reducer], rows: Sequence[Row], max_failed: float) -> dict[str, Json]:
    """The `headline`, `aggregates` and `groups` of a score's summary.

    With failed rows the headline has no value (beyond the share `max_failed`), only bounds: failed rows all
    wrong, all right.
    """
    done = reduce_all(made, rows)
    failed = sum(row.status in ("llm_error", "error") for row in rows)
    low, high = (
        (done, done) if not failed else (reduce_all(made, _settle_failed(rows, 0.0)), _right(made, rows))
    )
    aggregates: dict[str, Json] = {}
    groups: dict[str, Json] = {}
    headline: dict[str, Json] = {}
    for each in made:
        name, reduced = each.spec.name, scaled(done[each.spec.name], each.spec.scale)
        known = not failed or failed / len(rows) <= max_failed
        ends = [_times(end[name].value, each.spec.scale) for end in (low, high)]
        figure = _figure(reduced, each.spec, sorted(ends, key=lambda end: (end is None, end)), known)
        aggregates[name] = figure
        if reduced.parts:
            groups[name] = dict(reduced.parts) if known else _certain(reduced, low[name], high[name])
        if each.spec.headline:
            headline = {
                "name": name,
                **{key: figure[key] for key in figure if key not in ("reduce", "notes")},
            }
    return {"headline": headline, "aggregates": aggregates, "groups": groups}


def _certain(reduced: Reduced, low: Reduced, high: Reduced) -> dict[str, Json]:
    """The parts that no failed row can change; the others have no value, as the whole has none."""
    return {
        part: value if low.parts.get(part) == high.parts.get(part) else None
        for part, value in reduced.parts.items()
    }


def _figure(reduced: Reduced, spec: Aggregate, bounds: list[float | None], known: bool) -> dict[str, Json]:
    return {
        "reduce": spec.reduce,
        "value": reduced.value if known else None,
        "scale": spec.scale,
        "n": reduced.n,
        "stderr": reduced.stderr if known else None,
        "ci95": list(reduced.ci95) if known and reduced.ci95 is not None else None,
        "bounds": list(bounds),
        "method": reduced.method,
        "notes": list(reduced.notes),
    }


def _right(made: Sequence[Reducer], rows: Sequence[Row]) -> dict[str, Reduced]:
    return reduce_all(made, _settle_failed(rows, 1.0))


def _settle_failed(rows: Sequence[Row], score: float) -> list[Row]:
    """The rows, with every failed one settled as wrong (0) or right (1), each of its attempts too."""
    return [row if row.status in ("ok", "invalid") else _settle(row, score) for row in rows]


def _settle(row: Row, score: float) -> Row:
    label = row.gold if score else None
    return Row(
        id=row.id,
        score=score,
        status="ok",
        decided=bool(score),
        label=label,
        gold=row.gold,
        subset=row.subset,
        fields=row.fields,
        evidence=row.evidence,
        attempts=tuple(Attempt(score, label) for _ in row.attempts),
    )
