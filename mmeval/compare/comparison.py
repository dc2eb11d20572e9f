"""Two score files compared: everything that can be said of them, as one value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from mmeval.compare.causes import Causes, Pair, causes, statuses
from mmeval.compare.headline import compared, headline_of
from mmeval.compare.knobs import Knob, differing, same_predictions
from mmeval.compare.measures import BOXES, SCORES, counts_of, measure
from mmeval.compare.paired import Paired, paired
from mmeval.compare.questions import asked
from mmeval.compare.rows import Line, Pairs, Side, join, table_row
from mmeval.compare.units import ties, units
from mmeval.errors import UsageError
from mmeval.reports.scorefile_reader import intact
from mmeval.stats import Range
from mmeval.types import Json

# So many differences are named where a comparison is refused.
REFUSED = 12


class Told(msgspec.Struct, frozen=True):
    """What one score file says of its headline."""

    path: str
    name: str
    protocol: str | None
    official: bool | None
    value: float | None
    ci95: Range | None
    bounds: tuple[float | None, float | None]
    coverage: float | None
    total: int
    failed: int
    deviations: tuple[str, ...]


class Flip(msgspec.Struct, frozen=True):
    """One sample that the two files score or settle differently."""

    id: str
    gt: Json
    points: float
    a: dict[str, Any]
    b: dict[str, Any]


class Comparison(msgspec.Struct, frozen=True):
    """Two score files compared, B against A; every difference is B - A.

    Attributes:
        benchmark: which dataset.
        a: what the first file says of itself.
        b: what the second does.
        kind: `scorings` where both are of the same predictions, else `runs`.
        knobs: what differs in how the scores were made.
        matched: samples that both files have.
        only_a: ids that the first alone has.
        only_b: ids that the second alone has.
        ambiguous: ids that stand for several rows of one file, which are left out.
        golds: ids whose gold differs.
        questions: ids whose question differs, where the runs lie beside their scores.
        headline: the headline's paired difference over samples settled on both sides.
        no_headline: why there is none.
        rows: the same of the mean score of the rows, for boxes of their mean F1; `of_rows` says which.
        failed: matched samples that failed on our side in either file; their units are left out of both.
        bounds: the headline difference with failed samples all wrong or all right, None where none failed or
            the headline is no mean of rows.
        states: rows that are not decided, by status and reason, in A and in B.
        causes: where the difference comes from; None where rows carry no score of their own.
        flips: samples that the two files score or settle differently, the largest difference first.
    """

    benchmark: str
    a: Told
    b: Told
    kind: str
    knobs: tuple[Knob, ...]
    matched: int
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    ambiguous: tuple[str, ...]
    golds: tuple[str, ...]
    questions: tuple[str, ...]
    headline: Paired | None
    no_headline: str | None
    rows: Paired | None
    of_rows: str
    failed: tuple[str, ...]
    bounds: Range | None
    states: dict[str, tuple[int, int]]
    causes: Causes | None
    flips: tuple[Flip, ...]

    @property
    def main(self) -> Paired | None:
        """The difference that is spoken of: the headline's, else that of the rows."""
        return self.headline or self.rows

    @property
    def p(self) -> float | None:
        """The p-value that is spoken of."""
        return None if self.main is None else self.main.p


class _Joined(NamedTuple):
    """Both sides of every matched sample, those of them that are settled on both sides, and their units."""

    a: list[Line]
    b: list[Line]
    settled: list[int]
    unit: dict[str, int]

    @property
    def of(self) -> str:
        """What the mean over the rows is a mean of."""
        boxes = any(line.status == "ok" and line.score is None for line in (*self.a, *self.b))
        return BOXES if boxes else SCORES


def _settle(lines: _Joined, a: Side) -> None:
    """Find the units, and the samples of those units in which nothing failed on either side."""
    rows = [table_row(line, a.config) for line in lines.a]
    lines.unit.update(units(rows, ties(a.config.get("score_aggregates") or ())))
    both = zip(rows, lines.a, lines.b, strict=True)
    broken = {lines.unit[row.id] for row, x, y in both if x.failed or y.failed}
    lines.settled.extend(at for at, row in enumerate(rows) if lines.unit[row.id] not in broken)


def compare(a: Side, b: Side, anyway: bool = False) -> Comparison:
    """Compare two score files.

    Args:
        a: the first, which is the measure.
        b: the second.
        anyway: compare scores that were made in different ways.

    Raises:
        UsageError: they were made in different ways from different predictions; every difference is named.
        ResultError: a file is damaged.
    """
    pairs = join(a, b, asked)
    lines = _Joined([a.lines[name] for name in pairs.ids], [b.lines[name] for name in pairs.ids], [], {})
    with intact(a.document):
        _settle(lines, a)
    kind = "scorings" if _same_answers(a, b, lines) else "runs"
    with intact(b.document), intact(a.document):
        knobs = tuple(differing(a.document, b.document))
    if kind == "runs" and not anyway:
        _refuse(a, b, knobs)
    with intact(b.document), intact(a.document):
        return _compared(a, b, pairs, lines, kind, knobs)


def _same_answers(a: Side, b: Side, lines: _Joined) -> bool:
    """Whether both scores are of the same predictions: the same file, or the same answer in every sample."""
    if same_predictions(a.document, b.document):
        return True
    same = all(x.pred == y.pred for x, y in zip(lines.a, lines.b, strict=True))
    return bool(lines.a) and len(lines.a) == len(a.lines) == len(b.lines) and same


def _refuse(a: Side, b: Side, knobs: Sequence[Knob]) -> None:
    decisive = [knob for knob in knobs if knob.decides]
    if not decisive:
        return
    if any(knob.name == "dataset_name" for knob in decisive):
        names = " and ".join(benchmark(side) for side in (a, b))
        raise UsageError(
            f"{a.path} and {b.path} are scores of different benchmarks ({names}), so their difference says "
            "nothing of models; name two runs of one benchmark, or compare them all the same with --anyway"
        )
    said = "".join(f"\n  {knob}" for knob in decisive[:REFUSED])
    more = len(decisive) - REFUSED
    said += f"\n  and {more} more (--anyway --json lists all)" if more > 0 else ""
    raise UsageError(
        f"{a.path} and {b.path} were not scored in the same way, so their difference says little of the "
        f"models:{said}\nscore both by one protocol, or compare them all the same with --anyway"
    )


def _compared(
    a: Side, b: Side, pairs: Pairs, lines: _Joined, kind: str, knobs: tuple[Knob, ...]
) -> Comparison:
    first = [table_row(lines.a[at], a.config) for at in lines.settled]
    second = [table_row(lines.b[at], b.config) for at in lines.settled]
    headline = _headline(a, b, knobs)
    found = headline if isinstance(headline, str) else compared(headline, first, second)
    scored = _scores(lines)
    rows = None
    if scored is not None and lines.settled:
        kept = [[side[at] for at in lines.settled] for side in scored]
        rows = paired(kept[0], kept[1], [lines.unit[row.id] for row in first])
    points, of = _points(lines, scored, found)
    every = [Pair(*each) for each in zip(lines.a, lines.b, points or [0.0] * len(lines.a), strict=True)]
    failed = tuple(
        name for name, x, y in zip(pairs.ids, lines.a, lines.b, strict=True) if x.failed or y.failed
    )
    return Comparison(
        benchmark=benchmark(a),
        a=_told(a),
        b=_told(b),
        kind=kind,
        knobs=knobs,
        matched=len(pairs.ids),
        only_a=pairs.only_a,
        only_b=pairs.only_b,
        ambiguous=pairs.ambiguous,
        golds=pairs.golds,
        questions=pairs.questions,
        headline=None if isinstance(found, str) else found,
        no_headline=found if isinstance(found, str) else None,
        rows=rows,
        of_rows=lines.of,
        failed=failed,
        bounds=_bounds(lines, scored, found) if failed else None,
        states=statuses(every),
        causes=causes(every, of) if points is not None and every else None,
        flips=_flips(every),
    )


def _headline(a: Side, b: Side, knobs: Sequence[Knob]) -> Any:
    """The headline, if both sides have the same one."""
    first, second = a.summary["headline"], b.summary["headline"]
    if first["name"] != second["name"] or first["scale"] != second["scale"]:
        told = [f"{each['name']} (times {each['scale']:g})" for each in (first, second)]
        return f"the headlines are not the same: {' and '.join(told)}"
    other = [knob.name for knob in knobs if knob.name.startswith("aggregate ")]
    return f"{' and '.join(other)} differ" if other else headline_of(a.config)


def _scores(lines: _Joined) -> tuple[list[float], list[float]] | None:
    """The scores of both sides, 0 where a row has no verdict; None where a number is made over the run."""
    both = [[measure(line) for line in side] for side in (lines.a, lines.b)]
    told = [[score for score in side if score is not None] for side in both]
    return (told[0], told[1]) if all(len(x) == len(lines.a) for x in told) else None


def _of_rows(lines: _Joined, scored: tuple[list[float], list[float]], found: Paired | str) -> float | None:
    """The scale of a headline that is the mean of the scores; None for any other."""
    if isinstance(found, str) or not found.n or found.n != len(lines.settled) or found.a is None:
        return None
    means = [math.fsum(side[at] for at in lines.settled) / found.n for side in scored]
    for told, own in ((found.a, means[0]), (found.b, means[1])):
        if own:
            scale = (told or 0.0) / own
            return scale if _is(found.a, means[0] * scale) and _is(found.b, means[1] * scale) else None
    return None


def _is(value: float | None, other: float) -> bool:
    return value is not None and math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-12)


def _points(
    lines: _Joined, scored: tuple[list[float], list[float]] | None, found: Paired | str
) -> tuple[list[float] | None, str]:
    """What every matched sample adds to the difference, and the difference of what."""
    if scored is None:
        return None, ""
    scale = _of_rows(lines, scored, found)
    factor = (1.0 if scale is None else scale) / max(1, len(lines.a))
    points = [(y - x) * factor for x, y in zip(*scored, strict=True)]
    return points, lines.of.removesuffix(" of the rows") if scale is None else "headline"


def _bounds(
    lines: _Joined, scored: tuple[list[float], list[float]] | None, found: Paired | str
) -> Range | None:
    """B - A with every failed row settled for A and against B, and the other way round."""
    scale = None if scored is None else _of_rows(lines, scored, found)
    if scored is None or scale is None:
        return None
    ends = []
    for gift in (0.0, 1.0):
        sums = [0.0, 0.0]
        for side, rows in enumerate((lines.a, lines.b)):
            won = gift if side else 1.0 - gift
            sums[side] = math.fsum(
                won if line.failed else score for line, score in zip(rows, scored[side], strict=True)
            )
        ends.append((sums[1] - sums[0]) * scale / len(lines.a))
    return ends[0], ends[1]


def benchmark(side: Side) -> str:
    """How the dataset of a score is called, with its subset where it has one."""
    config = side.config
    name = str(config.get("dataset_name") or config.get("protocol") or "unnamed dataset")
    return f"{name}/{config['subset']}" if isinstance(config.get("subset"), str) else name


def _told(side: Side) -> Told:
    summary, headline = side.summary, side.summary["headline"]
    ends = headline.get("bounds") or (None, None)
    return Told(
        path=str(side.path),
        name=str(headline["name"]),
        protocol=side.config.get("protocol"),
        official=side.config.get("official_protocol"),
        value=headline["value"],
        ci95=None if headline["ci95"] is None else (headline["ci95"][0], headline["ci95"][1]),
        bounds=(ends[0], ends[1]),
        coverage=summary["coverage"],
        total=summary["total"],
        failed=summary["llm_errors"] + summary["errors"],
        deviations=tuple(side.config.get("deviations") or ()),
    )


def _flips(pairs: Sequence[Pair]) -> tuple[Flip, ...]:
    """Samples with another score, then those with the same score and another verdict."""
    changed = [pair for pair in pairs if _verdict(pair.a) != _verdict(pair.b)]
    changed.sort(key=lambda pair: -abs((measure(pair.b) or 0.0) - (measure(pair.a) or 0.0)))
    return tuple(Flip(pair.a.id, pair.a.gt, pair.points, shown(pair.a), shown(pair.b)) for pair in changed)


def _verdict(line: Line) -> tuple[object, ...]:
    read = line.extracted if line.score is None else None
    return line.score, measure(line), line.status, line.decided_by is None, read


def shown(line: Line) -> dict[str, Any]:
    """A row as a comparison shows it, trace included."""
    return {
        "pred": line.pred,
        "extracted": line.extracted,
        "score": line.score,
        "boxes": counts_of(line),
        "status": line.status,
        "decided_by": line.decided_by,
        "reason": line.reason,
        "trace": msgspec.json.decode(line.trace),
    }
