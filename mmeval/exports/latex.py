r"""LaTeX: a table of models by benchmarks for booktabs, the best in bold, 95 % intervals, footnotes below.

It needs `\usepackage{booktabs}` and is put into a document with `\input`. Bold is the best of the scores of
a benchmark that were made in the same way, where there are two or more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mmeval.errors import UsageError
from mmeval.exports.grid import Cell, Grid, grid
from mmeval.exports.inert import spelled
from mmeval.exports.options import Options, Tell
from mmeval.exports.runs import Run

MARK = b"% mmeval export"
# Brackets and a star would be an argument of `\\` and of the rules; dashes and quotes would join.
ESCAPED = {
    "\\": r"\textbackslash{}",
    **{each: "\\" + each for each in "{}$&#%_"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"{\ttfamily\char34}",
    "'": r"{'}",
    "-": "{-}",
    **{each: "{" + each + "}" for each in "[]*"},
}
SPECIAL = re.compile("[" + re.escape("".join(ESCAPED)) + "]")
# All but what pdfLaTeX sets without further packages: most Latin letters, some typographic marks.
STRANGE = re.compile(
    "[^\x00-\xaa\xac-\xba\xbc-\xcf\xd1-\xdd\xdf-\xef\xf1-\xfd\xff-\u0103\u0106-\u010f\u0112-\u0117\u011a-\u0125"
    "\u0128-\u012d\u0130-\u0137\u0139-\u013e\u0141-\u0148\u014c-\u0165\u0168-\u0171\u0174-\u017e\u2013\u2014"
    "\u2018\u2019\u201c\u201d\u2020-\u2022\u2026\u2030\u20ac\u2122]"
)


def export(runs: Sequence[Run], options: Options, tell: Tell) -> Iterator[bytes]:
    """Models by benchmarks, or with `columns` `model` the other way round.

    Raises:
        UsageError: samples were asked for, or two runs claim the same cell.
    """
    if options.rows:
        raise UsageError("latex has no --rows; take csv, parquet or markdown for samples")
    lines = list(_table(grid(runs, options.digits), options))
    strange = "".join(dict.fromkeys(STRANGE.findall("".join(lines))))
    if strange:
        tell(
            f"pdfLaTeX as it comes does not know {' '.join(strange)} and leaves them out; "
            "compile with LuaLaTeX or XeLaTeX and a font that has them, or give names with MODEL=PATH"
        )
    yield MARK + b"; needs \\usepackage{booktabs}" + (b" and LuaLaTeX or XeLaTeX\n" if strange else b"\n")
    for line in lines:
        yield line.encode() + b"\n"


def _table(made: Grid, options: Options) -> Iterator[str]:
    across = options.columns != "model"
    width = len(made.columns if across else made.models)
    yield rf"\begin{{tabular}}{{l{'r' * width}}}"
    yield r"\toprule"
    yield from _across(made, options) if across else _down(made, options)
    yield r"\bottomrule"
    yield r"\end{tabular}"
    for mark, text in made.notes:
        yield rf"\par{{\footnotesize\textsuperscript{{{mark}}}~{escape(text)}}}"


def _across(made: Grid, options: Options) -> Iterator[str]:
    yield _line(["", *(escape(each.name) for each in made.columns)])
    yield _line(["", *(_small(each.metric) for each in made.columns)])
    yield r"\midrule"
    for model in made.models:
        yield _line(
            [escape(model), *(_cell(made.cells.get((model, each.name)), options) for each in made.columns)]
        )


def _down(made: Grid, options: Options) -> Iterator[str]:
    yield _line(["", *map(escape, made.models)])
    yield r"\midrule"
    for each in made.columns:
        cells = (_cell(made.cells.get((model, each.name)), options) for model in made.models)
        yield _line([f"{escape(each.name)} {_small(each.metric)}", *cells])


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells).lstrip() + r" \\"


def _small(text: str) -> str:
    return rf"{{\footnotesize {escape(text)}}}"


def _cell(cell: Cell | None, options: Options) -> str:
    if cell is None:
        return ""
    marks = rf"\textsuperscript{{{','.join(cell.marks)}}}" if cell.marks else ""
    if cell.value is None:
        return "--" + marks
    value = rf"\textbf{{{cell.value}}}" if cell.best else cell.value
    return value + _interval(cell, options) + marks


def _interval(cell: Cell, options: Options) -> str:
    if cell.interval is None or cell.margins is None or options.intervals == "none":
        return ""
    if options.intervals == "range":
        return rf" {{\footnotesize [{cell.interval[0]}, {cell.interval[1]}]}}"
    down, up = cell.margins
    return rf" {{\footnotesize $\pm$ {up}}}" if up == down else rf" $_{{-{down}}}^{{+{up}}}$"


def escape(text: str) -> str:
    r"""A text that LaTeX prints as it is, in one line.

    >>> escape("a_b & 50%")
    'a\\_b \\& 50\\%'
    """
    told = spelled(text.replace("\r\n", "\n"), {"\n": " ", "\t": " "})
    return SPECIAL.sub(lambda found: ESCAPED[found.group()], told)
