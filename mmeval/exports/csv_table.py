"""CSV (RFC 4180, UTF-8, line feeds): exact values, null as an empty cell, an empty text as `""`.

With `spreadsheet` a text that Excel, Calc or Sheets would compute gets an apostrophe in front, and the file
a byte order mark, without which Excel takes UTF-8 for something else. Numbers stay numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mmeval.exports.options import Options, Tell
from mmeval.exports.runs import RUN_COLUMNS, SAMPLE_COLUMNS, Run, table
from mmeval.types import Json

# What starts a formula (OWASP, CSV Injection), its full-width forms too; white space before it does not help.
FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]")
QUOTED = re.compile(r'[",\r\n]|^\s|\s$')


def export(runs: Sequence[Run], options: Options, tell: Tell) -> Iterator[bytes]:
    """The runs, or their samples, as CSV."""
    columns = SAMPLE_COLUMNS if options.rows else RUN_COLUMNS
    if options.spreadsheet:
        yield "\ufeff".encode()
    yield head(options.rows)
    for row in table(runs, options.rows):
        yield line([cell(row[name], options.spreadsheet) for name in columns])


def head(of_samples: bool) -> bytes:
    """The first line, by which an export is known again."""
    return line(list(SAMPLE_COLUMNS if of_samples else RUN_COLUMNS))


def line(cells: Sequence[str]) -> bytes:
    """Cells as one record."""
    return (",".join(cells) + "\n").encode()


def cell(value: Json, guarded: bool = False) -> str:
    """One value as CSV has it.

    >>> cell("a,b"), cell(None), cell(""), cell(True), cell("=1+1", guarded=True)
    ('"a,b"', '', '""', 'true', "'=1+1")
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    if guarded and FORMULA.match(value):
        value = "'" + value
    return '"' + value.replace('"', '""') + '"' if not value or QUOTED.search(value) else value
