"""Agreement as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mmeval.judge.agreement import Categorical, Flips, Numeric, Share
from mmeval.reports.opinions import FEW, Comparison
from mmeval.reports.terminal import interval, number, table
from mmeval.text.counted import many

SHOWN = 20
BY = {
    "verdict": "right or wrong",
    "score": "scores in 0..1",
    "rating": "the judge's own numbers",
    "label": "the judge's own words",
}


class Report(NamedTuple):
    """Everything that is said about agreement.

    Attributes:
        judges: lines about the judge of each score, by its name.
        comparisons: of two sides each.
        flips: by score and model.
    """

    judges: Mapping[str, Sequence[str]]
    comparisons: Sequence[Comparison]
    flips: Mapping[str, Mapping[str, Flips]]


def as_json(report: Report) -> dict[str, Any]:
    """The same as plain values, every id included."""
    made: dict[str, Any] = plain(report)
    return made


def plain(value: Any) -> Any:
    """Named tuples as objects, pairs of replicates as `0-1`."""
    if hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    if isinstance(value, Mapping):
        return {_key(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def _key(name: Any) -> str:
    return "-".join(map(str, name)) if isinstance(name, tuple) else str(name)


def as_text(report: Report) -> str:
    """The report for a terminal."""
    blocks = ["\n".join([name, *(f"  {line}" for line in lines)]) for name, lines in report.judges.items()]
    for each in report.comparisons:
        blocks += _comparison(each)
    for name, models in report.flips.items():
        blocks += [_flips(name, model, found) for model, found in models.items()]
    return "\n\n".join(block for block in blocks if block)


def _comparison(each: Comparison) -> list[str]:
    said = (each.words.agreement.n if each.words else 0) or (each.numbers.n if each.numbers else 0)
    head = f"{each.second} against {each.first}: {many(said, 'sample', 'samples')}, compared by {BY[each.by]}"
    blocks = [head]
    if each.numbers is not None:
        blocks.append(_numbers(each.numbers))
    if each.words is not None:
        blocks += _words(each.words, each.first, each.second)
    blocks.append(_missing(each))
    return blocks


def share(found: Share) -> str:
    """A share with its interval and counts."""
    ci95 = f"   95 % {interval(found.ci95)}" if found.ci95 else ""
    return f"{number(found.value)}{ci95}   {found.hits} of {found.n}"


def _words(found: Categorical, first: str, second: str) -> list[str]:
    lines = [
        f"  agreement      {share(found.agreement)}",
        f"  Cohen's kappa  {number(found.kappa) if found.kappa is not None else 'undefined'}",
        *(f"  note: {note}" for note in found.notes),
    ]
    if len(found.labels) > FEW:
        return ["\n".join([*lines, f"  {len(found.labels)} different labels; --json has the table"])]
    counts = [
        (label, *(str(found.table[label][other]) for other in found.labels), number(found.recall[label]))
        for label in found.labels
    ]
    rates = [(label, number(a), number(b)) for label, (a, b) in found.base_rates.items()]
    return [
        "\n".join(lines),
        table(f"rows: {first}, columns: {second}", ("", *found.labels, "recall"), counts),
        table("base rates", ("", "rows", "columns"), rates),
    ]


def _numbers(found: Numeric) -> str:
    figures = {
        "Pearson": found.pearson,
        "Spearman": found.spearman,
        "mean abs. error": found.mae,
        "second - first": found.bias,
        "weighted kappa": found.weighted_kappa,
    }
    return "\n".join(
        f"  {name:<16}{number(value) if value is not None else 'undefined'}"
        for name, value in figures.items()
    )


def _missing(each: Comparison) -> str:
    """What is not in the comparison: nothing is dropped in silence."""
    lines = [
        _ids(f"only in {each.first}", each.only_first),
        _ids(f"only in {each.second}", each.only_second),
        _ids("without a verdict", [f"{name} ({why})" for name, why in each.silent.items()]),
    ]
    if each.unseen:
        lines.append(f"  not seen by a judge, left out: {each.unseen} (--all compares them too)")
    return "\n".join(line for line in lines if line)


def _ids(what: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - SHOWN} more (--json names all)" if len(names) > SHOWN else ""
    return f"  {what}: {len(names)}: {', '.join(names[:SHOWN])}{more}"


def _flips(name: str, model: str, found: Flips) -> str:
    lines = [
        f"{name}: {model}, asked several times",
        f"  samples on which it changes its mind  {share(found.samples)}",
        f"  pairs of replies that differ          {share(found.pairs)}",
    ]
    if len(found.by_pair) > 1:
        lines += [
            f"    replicates {a + 1} and {b + 1}                  {share(each)}"
            for (a, b), each in found.by_pair.items()
        ]
    return "\n".join(lines)
