"""Several files of one dataset as one run: subsets that were inferred one by one, scored in one table."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import msgspec

from mmeval.errors import MetadataError, ResultError, UsageError
from mmeval.readers.identity import Meta
from mmeval.readers.opening import open_run
from mmeval.readers.parts import Part
from mmeval.readers.result import RunFile
from mmeval.readers.rows import BadRow, Fields
from mmeval.types import Json, Sample


class CombinedRun:
    """The same surface as `RunFile`, over several files. A sample's id is `<folder>/<id>`.

    Attributes:
        path: the common folder and the dataset's name; no file lies there, messages name it.
        root: the common folder.
        sha256: over the files' own hashes and names.
        metas: the distinct dataset_meta blocks of all files.
        parts: the files.
    """

    format: Literal["combined"] = "combined"

    def __init__(self, root: Path, runs: Sequence[RunFile]) -> None:
        self.root = root
        self.path = root / Path(_dataset(runs[0])).name
        self.parts = tuple(Part(str(run.path.relative_to(root)), run.n_rows, run.sha256) for run in runs)
        self.sha256 = hashlib.sha256(msgspec.json.encode(self.parts)).hexdigest()
        self.n_rows = sum(run.n_rows for run in runs)
        self.metas: tuple[Meta, ...] = tuple(meta for run in runs for meta in run.metas)
        self.rows_without_id = sum(run.rows_without_id for run in runs)
        self._runs = tuple(runs)

    @property
    def duplicate_ids(self) -> dict[str, int]:
        """Ids that occur more than once within their file."""
        return {
            f"{_prefix(part)}/{name}": often
            for part, run in zip(self.parts, self._runs, strict=True)
            for name, often in run.duplicate_ids.items()
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the score should know of the files."""
        return tuple(
            f"{part.file}: {text}"
            for part, run in zip(self.parts, self._runs, strict=True)
            for text in run.warnings
        )

    def samples(self, fields: Fields) -> Iterator[Sample | BadRow]:
        """Every row of every file, in order."""
        for part, run in zip(self.parts, self._runs, strict=True):
            prefix = _prefix(part)
            for item in run.samples(fields):
                yield msgspec.structs.replace(item, id=f"{prefix}/{item.id}")

    def home(self, sample: str) -> Path:
        """The folder of the file that a sample of this id comes from."""
        prefixes = [(_prefix(part), part) for part in self.parts]
        owners = [each for each in prefixes if sample.startswith(f"{each[0]}/")]
        _, part = max(owners, key=lambda each: len(each[0]))
        return (self.root / part.file).parent

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for run in self._runs:
            run.close()


def _prefix(part: Part) -> str:
    path = Path(part.file)
    return str(path.parent if path.name == "result.json" else path.with_suffix(""))


def open_combined(paths: Sequence[Path], root: Path) -> list[CombinedRun]:
    """The files below `root`, one combined run per dataset that they name.

    Raises:
        ResultError: a file cannot be read, or does not name its dataset.
        UsageError: two files hold the same subset, so which one counts would be a guess.
        MetadataError: two files of one dataset declare different protocols.
    """
    base = root if root.is_dir() else root.parent
    groups: dict[str, list[RunFile]] = {}
    for path in paths:
        run = open_run(path)
        groups.setdefault(_dataset(run), []).append(run)
    for name, runs in groups.items():
        _check(name, runs)
    return [CombinedRun(base, runs) for runs in groups.values()]


def _dataset(run: RunFile) -> str:
    name = run.metas[0].block.get("dataset_name") if run.metas else None
    if not isinstance(name, str):
        raise ResultError(
            f"{run.path}: names no dataset in dataset_meta, so it cannot be combined with others; "
            "leave it out with --score_result_glob, or score it without --combine"
        )
    return name


def _check(name: str, runs: Sequence[RunFile]) -> None:
    owner: dict[tuple[Json, Json], RunFile] = {}
    declared = _declared(runs[0])
    for run in runs:
        if _declared(run) != declared:
            raise MetadataError(
                f"{runs[0].path} and {run.path} declare different protocols for {name}; "
                "score them without --combine"
            )
        for meta in run.metas:
            subset, split = meta.block.get("subset"), meta.block.get("split")
            other = owner.setdefault((str(subset), str(split)), run)
            if other is not run:
                raise UsageError(
                    f"{other.path} and {run.path} both hold subset {subset!r} of {name}; --combine needs "
                    "every subset once: choose the files with --score_result_glob"
                )


def _declared(run: RunFile) -> dict[str, Json]:
    return {key: value for key, value in run.metas[0].block.items() if key.startswith("score_")}
