"""`mmeval judge agree`: how far a judge can be trusted."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mmeval.cli.output import say

if TYPE_CHECKING:
    from mmeval.judge.agreement import Flips
    from mmeval.reports.agreement_report import Report
    from mmeval.reports.opinions import By, Side


class Compared(StrEnum):
    """What two sides can be compared by."""

    verdict = "verdict"
    score = "score"
    rating = "rating"
    label = "label"


def agree(
    scores: Annotated[
        list[Path],
        typer.Argument(help="One score.json or more, or folders that hold one; each of one judge."),
    ],
    labels: Annotated[
        Path | None,
        typer.Option("--labels", help="Labels by id: .json, .jsonl, .csv or .tsv, or another score.json."),
    ] = None,
    id_field: Annotated[
        str | None, typer.Option("--id_field", help="Column of --labels that holds the id.")
    ] = None,
    label_field: Annotated[
        str | None, typer.Option("--label_field", help="Column of --labels that holds the label.")
    ] = None,
    by: Annotated[
        Compared | None,
        typer.Option("--by", help="What to compare: right or wrong, scores in 0..1, or the judge's own."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Compare every row, not only those that the judge decided.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON, with every id.")] = False,
) -> None:
    """Compare a judge with labels, with other judges, and with itself over repeats."""
    from mmeval.reports import agreement_report

    chosen: By | None = None if by is None else by.value
    report = _report(scores, labels, (id_field, label_field), chosen, every)
    if as_json:
        import orjson

        say(orjson.dumps(agreement_report.as_json(report), option=orjson.OPT_INDENT_2).decode())
        return
    say(agreement_report.as_text(report))


def _report(
    scores: list[Path],
    labels: Path | None,
    columns: tuple[str | None, str | None],
    by: By | None,
    every: bool,
) -> Report:
    """Everything that these files say about agreement.

    Raises:
        UsageError: there is nothing to compare.
    """
    from itertools import combinations

    from mmeval.errors import UsageError
    from mmeval.reports import judge_status, opinions, scorefile_reader
    from mmeval.reports.agreement_report import Report

    judges: dict[str, list[str]] = {}
    sides: list[Side] = []
    flips: dict[str, dict[str, Flips]] = {}
    panels: list[tuple[Side, Side]] = []
    for path in scores:
        document = scorefile_reader.load(path)
        found = opinions.rows(document)
        sides.append(opinions.of_score(document, found, every))
        said = opinions.seats(document, found)
        name = sides[-1].name
        judges[name], flips[name] = judge_status.identity(document.config), opinions.repeatability(said)
        panels += combinations(opinions.panel(name, said), 2)
    references = [] if labels is None else [_reference(labels, columns, every)]
    pairs = [*((first, second) for first in references for second in sides), *combinations(sides, 2)]
    if not pairs and not panels and not any(flips.values()):
        raise UsageError(
            "nothing to compare: give --labels, a second score.json, or one scored with --judge_repeats"
        )
    compared = [opinions.compare(*pair, by) for pair in pairs]
    return Report(judges, compared + [opinions.compare(*pair, None) for pair in panels], flips)


def _reference(path: Path, columns: tuple[str | None, str | None], every: bool) -> Side:
    """What the scores are held against: labels, or another score."""
    from mmeval.reports import opinions

    document = opinions.score_at(path)
    if document is None:
        return opinions.of_labels(path, *columns)
    return opinions.of_score(document, opinions.rows(document), every)
