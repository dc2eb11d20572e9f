"""A dataset as Hugging Face keeps them: metadata.json, and the files of one subset and split."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mmeval.benchmarks.card import patterns
from mmeval.benchmarks.records import Record, count, records
from mmeval.benchmarks.render import Rendered, rendered
from mmeval.benchmarks.splits import data_paths, pick_subset, split_files
from mmeval.errors import MetadataError, ResultError
from mmeval.metadata import Metadata, Subset, read_metadata
from mmeval.types import Json

_CHUNK = 1 << 20


class Wanted(NamedTuple):
    """What of a dataset is meant."""

    subset: str | None
    split: str | None


class Tree(NamedTuple):
    """A dataset's files: what lies there, and how to have one of them on this disk."""

    name: str
    source: str
    revision: str | None
    paths: Sequence[str]
    root: Path

    def file(self, path: str) -> Path:
        """One file, on this disk."""
        return self.root / path


class Dataset:
    """One subset and split of a dataset; a `Benchmark`. Rows are read as they are asked for.

    Attributes:
        name: what metadata.json calls it, else the repository or folder.
        subset: the subset's name; None where there are none.
        split: the split's name.
        revision: the commit, where it comes from the Hub.
        sha256: over the name and bytes of every file that was read.
        source: the repository or folder as it was given.
        warnings: what a reader of a score should know.
        n_rows: rows of the files; a row with several questions is one.
    """

    def __init__(self, tree: Tree, wanted: Wanted) -> None:
        self._tree = tree
        self._known = frozenset(tree.paths)
        paths = data_paths(tree.paths)
        metadata = _metadata(tree)
        card = patterns(_text(tree.file("README.md"))) if "README.md" in tree.paths else ()
        names = list(metadata.subsets) if metadata else _configs(card)
        self.subset = pick_subset(names, wanted.subset, tree.source)
        self.split, inside = split_files(paths, card, self.subset, wanted.split, tree.source)
        self.name = metadata.dataset_name if metadata and metadata.dataset_name else tree.name
        self.revision = tree.revision
        self.source = tree.source
        self.warnings: tuple[str, ...] = () if metadata else (_without_metadata(tree.source),)
        self.deviations: tuple[str, ...] = ()
        self._files = [tree.file(path) for path in inside]
        read = [*(["metadata.json"] if metadata else []), *inside]
        self.sha256 = _identity({path: tree.file(path) for path in read}, tree.source)
        self.n_rows = sum(count(path) for path in self._files)
        self._block = _block(metadata, self.subset)

    @property
    def meta(self) -> dict[str, Json]:
        """`dataset_meta` of every row: the dataset's identity, and the block that it declares."""
        identity: dict[str, Json] = {"dataset_name": self.name, "subset": self.subset, "split": self.split}
        if self.revision is not None:
            identity["revision"] = self.revision
        return {**identity, **self._block}

    def rows(self) -> Iterator[dict[str, Json]]:
        """Every sample in the layout of `result.json`, without an answer and without its pictures."""
        for one in self._rendered(pictures=False):
            yield one.sample

    def with_media(self) -> Iterator[Rendered]:
        """The same samples, each with the cells that hold its media."""
        return self._rendered(pictures=True)

    def holds(self, path: Path) -> bool:
        """Whether a file lies in the dataset's folder."""
        return path.resolve().is_relative_to(self._tree.root.resolve()) and self._tree.root != Path()

    def place(self, path: str) -> str:
        """Where a file that a row names lies: in the dataset, fetched if need be; else the path as it is."""
        inside = posixpath.normpath(path)
        return str(self._tree.file(inside)) if inside in self._known else path

    def _rendered(self, pictures: bool) -> Iterator[Rendered]:
        meta = self.meta
        for position, record in enumerate(self._records(pictures)):
            yield from rendered(record, position, meta)

    def _records(self, pictures: bool) -> Iterator[Record]:
        for path in self._files:
            yield from records(path, pictures)


def _metadata(tree: Tree) -> Metadata | None:
    if "metadata.json" not in tree.paths:
        return None
    metadata = read_metadata(tree.file("metadata.json"))
    if not metadata.subsets:
        raise MetadataError(f"{tree.source}: metadata.json declares no subset; name at least one")
    return metadata


def _configs(card: Sequence[Any]) -> list[str]:
    """The configurations that stand in for subsets where no metadata.json names any."""
    names = list(dict.fromkeys(pattern.config for pattern in card))
    return [] if names == ["default"] else names


def _block(metadata: Metadata | None, subset: str | None) -> Mapping[str, Json]:
    """The declared block of a subset, as the metadata has it."""
    if metadata is None:
        return {}
    declared: Subset = metadata.subsets.get(subset or "*") or metadata.subsets["*"]
    block: dict[str, Json] = declared.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return block


def _without_metadata(source: str) -> str:
    return (
        f"{source} has no metadata.json, so it declares no protocol; the library's of that name holds, if any"
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ResultError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None


def _identity(files: Mapping[str, Path], source: str) -> str:
    """SHA-256 over the names and bytes of files."""
    parts: list[tuple[str, str]] = []
    for name, path in files.items():
        digest = hashlib.sha256()
        try:
            with path.open("rb") as file:
                while block := file.read(_CHUNK):
                    digest.update(block)
        except OSError as error:
            raise ResultError(f"{source}: {name} cannot be read ({error.strerror}); fetch it again") from None
        parts.append((name, digest.hexdigest()))
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
