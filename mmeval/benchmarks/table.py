"""Benchmarks as one table of text each: the TSV files that VLMEvalKit and OpenVLHarness read.

Source of the layout: open-compass/VLMEvalKit `vlmeval/dataset/image_base.py` @ e8e78f0. Unlike there, where
pandas reads the file, a cell that says "None", "NA" or "nan" is that text: an option may well be called so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_uppercase

from mmeval import library
from mmeval.benchmarks.delimited import Cell, Grid, columns_shown, iterate, read_grid
from mmeval.benchmarks.locate import Found, locate
from mmeval.benchmarks.records import embedded
from mmeval.benchmarks.render import Rendered, rendered
from mmeval.errors import ResultError
from mmeval.metadata import DataFile
from mmeval.types import Json

INDEX = "index"
# Columns that hold pictures in base64; too wide to keep, and nothing that a protocol reads.
_PICTURES = re.compile(r"image(?:_?\d+)?")
_WHOLE = re.compile(r"[+-]?\d{1,18}(?:\.0+)?")


class Table:
    """One table, read; a `Benchmark`. Columns of pictures are not kept.

    Attributes:
        path: the file.
        name: the file's name without its ending, or the name that was asked for.
        sha256: of the file's bytes, in hex.
        source: the path as it was given, or what was fetched.
        warnings: what a reader of a score should know of the file.
        deviations: that its MD5 is not the declared one, where that is so.
        n_rows: its rows.
    """

    subset: str | None = None
    split: str | None = None

    def __init__(self, found: Found) -> None:
        grid = read_grid(found.path, lambda name: _PICTURES.fullmatch(name) is not None)
        if INDEX not in grid.header:
            raise ResultError(
                f"{found.source}: has no column {INDEX!r} that names its rows; "
                f"its columns are {columns_shown(grid.header)}"
            )
        self.name = found.name
        self.sha256 = grid.sha256
        self.source = found.source
        self.revision = found.revision
        self.n_rows = len(grid.rows)
        declared = library.data_file(found.name) or DataFile()
        self.warnings = _warnings(found.path.name, grid)
        self.deviations = _deviations(found.path.name, grid, declared)
        self.path = found.path
        self._grid = grid
        self._lists = frozenset(declared.lists)
        self._labels = frozenset(ascii_uppercase if "A" in grid.header else ())
        self._whole = all(_WHOLE.fullmatch(cell) for cell in _column(grid, INDEX) if cell is not None)

    @property
    def meta(self) -> dict[str, Json]:
        """`dataset_meta` of every row: the name; where the library does not know it, how it is read then."""
        identity: dict[str, Json] = {"dataset_name": self.name, "subset": None, "split": None}
        if self.revision is not None:
            identity["revision"] = self.revision
        known = library.index().get(self.name.casefold()) is not None
        return identity if known else {**identity, **_undeclared(self.name, self._grid)}

    def rows(self) -> Iterator[dict[str, Json]]:
        """Every row as a sample without an answer; see `Benchmark`."""
        meta, header = self.meta, self._grid.header
        for position, cells in enumerate(self._grid.rows):
            yield self._row(dict(zip(header, cells, strict=True)), position, meta).sample

    def with_media(self) -> Iterator[Rendered]:
        """The same samples, each with the cells that hold its media; reads the file once more."""
        meta = self.meta
        for position, cells in enumerate(iterate(self.path)):
            yield self._row(cells, position, meta)

    def _row(self, cells: dict[str, Cell], position: int, meta: dict[str, Json]) -> Rendered:
        record: dict[str, Json] = {
            name: embedded(cell) if cell is not None and name in self._lists else cell
            for name, cell in cells.items()
            if cell is not None or name not in self._labels
        }
        index = cells[INDEX]
        record[INDEX] = int(index.partition(".")[0]) if index and self._whole else index
        record["eval-id"] = f"row-{position}" if index is None else record[INDEX]
        (row,) = rendered(record, position, meta)
        places = [cell for name, cell in row.media.items() if not _PICTURES.fullmatch(name) and cell]
        row.sample.update({name: cell for name, cell in row.media.items() if not _PICTURES.fullmatch(name)})
        if places:
            row.sample["media"] = places
        return row


def open_table(reference: str) -> Table:
    """Open a table: a file, or the name of a benchmark (see `locate`).

    Raises:
        UsageError: there is no such file, and no such name that could be fetched.
        ResultError: it cannot be read as a table of text, or has no column `index`.
    """
    return Table(locate(reference))


def _column(grid: Grid, name: str) -> list[Cell]:
    number = grid.header.index(name)
    return [cells[number] for cells in grid.rows]


def _warnings(name: str, grid: Grid) -> tuple[str, ...]:
    said = []
    nameless = _column(grid, INDEX).count(None)
    if nameless:
        said.append(f"{name}: {nameless} rows have no index; they are called by their position (row-7)")
    if grid.short:
        said.append(f"{name}: {grid.short} rows have fewer cells than the header; what they lack is null")
    return tuple(said)


def _deviations(name: str, grid: Grid, declared: DataFile) -> tuple[str, ...]:
    if declared.md5 is None or declared.md5 == grid.md5:
        return ()
    return (
        f"{name}: its MD5 is {grid.md5}, the protocol library declares {declared.md5}: "
        "it is another version of the data",
    )


def _undeclared(name: str, grid: Grid) -> dict[str, Json]:
    """The block of a benchmark that the library does not know.

    With columns A and B it is multiple choice by the VLMEvalKit reading, unless it has no picture. Anything
    else has no protocol. Source: the OpenVLHarness loader's rule for unknown tables.
    """
    if not {"A", "B"} <= set(grid.header):
        return _refusal(f"the library has no benchmark {name}, and the table has no option columns A and B")
    if not {"image", "image_path"} & {*grid.header, *grid.dropped}:
        return _refusal(
            f"the library has no benchmark {name}, and the table has options but neither image nor image_path"
        )
    return {
        "task_type": "mcq",
        "score_pipeline": ["rule-match"],
        "score_params": {"option_rules": "vlmevalkit", "settle_misses": True},
        "score_question_type": "mcq",
        "score_protocol": {
            "status": "derived",
            "note": "no protocol is known under this name; a table with options is read as multiple choice",
        },
    }


def _refusal(reason: str) -> dict[str, Json]:
    return {"score_pipeline": {"unsupported": "no protocol", "reason": reason}}
