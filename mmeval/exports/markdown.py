"""Markdown tables as GitHub draws them.

What models, datasets and files say stays text: no markup of theirs is drawn, nobody is mentioned, nothing is
linked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mmeval.exports.grid import Cell, Grid, grid, no_value
from mmeval.exports.inert import spelled
from mmeval.exports.options import Options, Tell
from mmeval.exports.runs import SAMPLE_COLUMNS, Run, record, table
from mmeval.types import Json

MARK = b"<!-- mmeval export -->"
MARKUP = re.compile(r"[\\`*_{}\[\]()#!|~$^]")
# What GitHub turns into a link without any markup.
LINKED = re.compile(r"(?<!\w)@(?=\w)|(?<=:)(?=//)|(?<=[wW]{3})(?=\.)|(?<=\w)@(?=\w)")
SHORT = tuple(name for name in SAMPLE_COLUMNS if name not in ("group", "evidence", "trace", "predictions"))
OFFICIAL = {True: "yes", False: "no", None: ""}


def export(runs: Sequence[Run], options: Options, tell: Tell) -> Iterator[bytes]:
    """Samples or runs line by line, or with `columns` models by benchmarks."""
    yield MARK + b"\n\n"
    if options.rows:
        yield from _listed(SHORT, ([row[name] for name in SHORT] for row in table(runs, True)))
    elif options.columns is None:
        yield from _runs(runs)
    else:
        yield from _grid(grid(runs, options.digits), options)


def _listed(head: Sequence[str], lines: Iterator[Sequence[Json]]) -> Iterator[bytes]:
    yield _line([escape(name) for name in head])
    yield _line(["---"] * len(head))
    for values in lines:
        yield _line([escape(_text(value)) for value in values])


def _text(value: Json) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)


def _line(cells: Sequence[str]) -> bytes:
    return ("| " + " | ".join(cells) + " |\n").encode()


HEAD = ("run", "protocol", "headline", "value", "95 % interval", "n", "coverage", "official", "judge")
FIGURES = (3, 4, 5, 6)


def _runs(runs: Sequence[Run]) -> Iterator[bytes]:
    """One line a run, and below the table what a reader of a number must know."""
    yield _line(HEAD)
    yield _line(["---:" if number in FIGURES else "---" for number in range(len(HEAD))])
    notes: list[str] = []
    for run in runs:
        told = record(run)
        mark = ""
        if run.value is None:
            notes.append(no_value(run))
            mark = f" [{len(notes)}]"
        known = len({each.model for each in runs}) == 1 or run.name.split("/")[0] == run.model
        name = run.name if known else f"{run.model}: {run.name}"
        yield _line(
            [
                escape(name),
                *(escape(_text(told[key])) for key in ("protocol", "headline")),
                ("–" if run.value is None else number(run.value)) + escape(mark),
                "" if run.interval is None else f"{number(run.interval[0])} to {number(run.interval[1])}",
                _text(told["n"]),
                "" if run.summary["coverage"] is None else f"{run.summary['coverage']:.1%}",
                OFFICIAL[run.config["official_protocol"]],
                escape(_text(told["judge"])),
            ]
        )
    for place, note in enumerate(notes, 1):
        yield f"\n{escape(f'[{place}]')} {escape(note)}\n".encode()


def number(value: float) -> str:
    """A figure as the terminal shows it: four decimals below 10, two above."""
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


def _grid(made: Grid, options: Options) -> Iterator[bytes]:
    benchmarks = [f"{escape(each.name)}<br>{escape(each.metric)}" for each in made.columns]
    models = [escape(each) for each in made.models]
    across = options.columns == "benchmark"
    yield _line(["", *(benchmarks if across else models)])
    yield _line(["---", *(["---:"] * len(benchmarks if across else models))])
    for place, name in enumerate(models if across else benchmarks):
        keys = (
            [(made.models[place], each.name) for each in made.columns]
            if across
            else [(each, made.columns[place].name) for each in made.models]
        )
        yield _line([name, *(_cell(made.cells.get(key), options) for key in keys)])
    for mark, text in made.notes:
        yield f"\n<sup>{mark}</sup> {escape(text)}\n".encode()


def _cell(cell: Cell | None, options: Options) -> str:
    if cell is None:
        return ""
    marks = f" <sup>{','.join(cell.marks)}</sup>" if cell.marks else ""
    if cell.value is None:
        return "–" + marks
    value = f"**{cell.value}**" if cell.best else cell.value
    return value + _interval(cell, options) + marks


def _interval(cell: Cell, options: Options) -> str:
    if cell.interval is None or cell.margins is None or options.intervals == "none":
        return ""
    if options.intervals == "range":
        return escape(f" [{cell.interval[0]}, {cell.interval[1]}]")
    down, up = cell.margins
    return f" ± {up}" if up == down else f" (−{down}, +{up})"


def escape(text: str) -> str:
    r"""A text that Markdown and HTML leave as it is, in one line.

    >>> escape("a|b <i>*c*</i>\n@you")
    'a\\|b &lt;i&gt;\\*c\\*&lt;/i&gt; @<!-- -->you'
    """
    told = spelled(text.replace("\r\n", "\n"), {"\n": " ", "\t": " "})
    told = told.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    told = LINKED.sub(lambda found: f"{found.group()}<!-- -->", MARKUP.sub(r"\\\g<0>", told))
    return told
