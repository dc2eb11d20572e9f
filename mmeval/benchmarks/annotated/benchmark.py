"""A benchmark of boxes as samples: `Benchmark` over the annotation files of its authors."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import msgspec

from mmeval.benchmarks.annotated.fscd import open_fscd_147, open_fscd_lvis
from mmeval.benchmarks.annotated.lvis import Queries, open_lvis
from mmeval.benchmarks.annotated.odinw import open_odinw
from mmeval.benchmarks.annotated.rows import Benched, Row
from mmeval.benchmarks.render import Rendered
from mmeval.errors import UsageError
from mmeval.types import Json

Layout: TypeAlias = Literal["lvis", "odinw13", "fscd147", "fscd-lvis"]
_FOLDERS: Mapping[str, Callable[[Path, Path | None], Benched]] = {
    "odinw13": open_odinw,
    "fscd147": open_fscd_147,
    "fscd-lvis": open_fscd_lvis,
}


class Annotated:
    """The rows that annotation files make; a `Benchmark`.

    Attributes:
        name: the protocol of the library that scores it.
        subset: the protocol's subset, where it has several.
        split: the split.
        sha256: over the names and bytes of every file that was read.
        source: the file or folder as it was given.
        warnings: that the pictures do not lie where they are looked for, if so.
        n_rows: its rows.
    """

    revision: str | None = None
    deviations: tuple[str, ...] = ()

    def __init__(self, benched: Benched, source: str) -> None:
        self._benched = benched
        self.name, self.subset, self.split = benched.name, benched.subset, benched.split
        self.source = source
        self.sha256 = hashlib.sha256(msgspec.json.encode(sorted(benched.files.items()))).hexdigest()
        first = next(iter(benched.rows()), None)
        self.warnings = _unseen(first)
        self.n_rows = sum(1 for _ in benched.rows())

    def rows(self) -> Iterator[dict[str, Json]]:
        """Every row as a sample without an answer; see `Benchmark`."""
        return (row.sample for row in self.with_media())

    def with_media(self) -> Iterator[Rendered]:
        """The same samples, each with the cell that says where its picture lies."""
        meta: dict[str, Json] = {"dataset_name": self.name, "subset": self.subset, "split": self.split}
        for row in self._benched.rows():
            yield Rendered(_sample(row, meta), {"image_path": row.picture})


def open_annotations(path: Path, layout: str | None, queries: str | None, images: Path | None) -> Annotated:
    """Open the annotations of a benchmark of boxes.

    Args:
        path: a file (`lvis`), or the folder that holds the files (the other layouts).
        layout: one of `Layout`.
        queries: which queries of LVIS; `federated` by default.
        images: the folder of the pictures, where it is not the usual one.

    Raises:
        UsageError: no such layout or queries, or `queries` where there are none.
        ResultError: a file is not there, or cannot be used.
    """
    if layout is None or layout not in get_args(Layout):
        raise UsageError(f"--layout {layout}: give one of {', '.join(get_args(Layout))}")
    if queries not in (None, *get_args(Queries)):
        raise UsageError(f"--queries {queries}: give one of {', '.join(get_args(Queries))}")
    if layout == "lvis":
        chosen: Queries = "positive" if queries == "positive" else "federated"
        return Annotated(open_lvis(path, images, chosen), str(path))
    if queries is not None:
        raise UsageError(f"--queries {queries}: only --layout lvis has queries; leave it out")
    return Annotated(_FOLDERS[layout](path, images), str(path))


def _sample(row: Row, meta: dict[str, Json]) -> dict[str, Json]:
    return {
        "eval-id": row.name,
        "messages": [{"role": "user", "question": row.question}],
        "answer": row.answer,
        "question_type": "detection",
        **row.fields,
        "dataset_meta": dict(meta),
    }


def _unseen(first: Row | None) -> tuple[str, ...]:
    if first is None or Path(first.picture).is_file():
        return ()
    return (f"the picture of the first row is not at {first.picture}; --images DIR says where they lie",)
