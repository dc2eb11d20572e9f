"""Benchmark data as the command line names it: one table, or one dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mmeval.benchmarks.annotated.benchmark import Annotated
    from mmeval.benchmarks.dataset import Dataset
    from mmeval.benchmarks.table import Table


class Where(NamedTuple):
    """What of a dataset is meant."""

    subset: str | None
    split: str | None
    revision: str | None


class Boxed(NamedTuple):
    """Annotations of boxes: their file or folder, its layout, which queries, and where the pictures lie."""

    annotations: Path | None
    layout: str | None
    queries: str | None
    images: Path | None


def chosen(boxed: Boxed, data: str | None, dataset: str | None, where: Where) -> Table | Dataset | Annotated:
    """The benchmark that `--annotations`, `--data` or `--dataset` names.

    Raises:
        UsageError: not exactly one of them, or a flag that belongs to another.
    """
    from mmeval.errors import UsageError

    if boxed.annotations is None:
        if any(part is not None for part in boxed):
            raise UsageError(
                "--layout, --queries and --images belong to --annotations; give it, or leave them"
            )
        return opened(data, dataset, where)
    if data is not None or dataset is not None or any(part is not None for part in where):
        raise UsageError(
            "--annotations is a benchmark of its own; leave out --data, --dataset and their flags"
        )
    from mmeval.benchmarks.annotated.benchmark import open_annotations

    return open_annotations(boxed.annotations, boxed.layout, boxed.queries, boxed.images)


def opened(data: str | None, dataset: str | None, where: Where) -> Table | Dataset:
    """The benchmark that `--data` or `--dataset` names.

    Raises:
        UsageError: not exactly one of them, or a flag that belongs to the other.
    """
    from mmeval.errors import UsageError

    if data is not None and dataset is not None:
        raise UsageError("give exactly one of --data (a table) and --dataset (a folder or repository)")
    if dataset is not None:
        from mmeval.benchmarks.hub import open_dataset

        return open_dataset(dataset, *where)
    if any(part is not None for part in where):
        raise UsageError("--subset, --split and --revision belong to --dataset; a table has none")
    if data is None:
        raise UsageError("give exactly one of --data (a table) and --dataset (a folder or repository)")
    from mmeval.benchmarks.table import open_table

    return open_table(data)


def answers(found: list[Path], results: Path, benchmark: Table | Dataset) -> list[Path]:
    """The files among these that are predictions: the benchmark's own files are none.

    Raises:
        UsageError: none is left.
    """
    from mmeval.benchmarks.dataset import Dataset
    from mmeval.errors import UsageError

    if isinstance(benchmark, Dataset):
        own = [path for path in found if results.is_dir() and benchmark.holds(path)]
    else:
        own = [path for path in found if path.samefile(benchmark.path)]
    if len(own) == len(found):
        raise UsageError(f"{results}: holds the benchmark's own files alone; give --results the predictions")
    return [path for path in found if path not in own]
