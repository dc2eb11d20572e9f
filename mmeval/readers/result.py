"""A run: one file of predictions, laid out as simple-mmeval's `result.json` or the same as JSON lines."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from mmeval.errors import ResultError
from mmeval.readers.decoding import Flaw, decode_row
from mmeval.readers.identity import Meta, name_of, survey
from mmeval.readers.layout import Loaded
from mmeval.readers.rows import BadRow, Fields, RowReader
from mmeval.types import Sample

_SHOWN = 12


class RunFile:
    """An open run. A context manager: leaving it lets go of the file.

    Attributes:
        path: the file.
        sha256: of its bytes, in hex.
        n_rows: how many rows it holds.
        format: `result.json` (an array), `jsonl`, or the harness that wrote it.
        metas: the distinct dataset_meta blocks, in order of appearance.
        duplicate_ids: canonical id -> how often, for ids that occur more than once.
        rows_without_id: rows that are named by their position.
        warnings: what a reader of the score should know of the file, one sentence each.
    """

    def __init__(self, path: Path, loaded: Loaded) -> None:
        found = survey(path, loaded.rows)
        self.path = path
        self.sha256 = loaded.sha256
        self.n_rows = len(loaded.rows)
        self.format: str = loaded.format
        self.metas: tuple[Meta, ...] = found.metas
        self.duplicate_ids = found.duplicate_ids
        self.rows_without_id = found.rows_without_id
        self._taken = found.taken
        self._rows = loaded.rows
        self._release = loaded.release
        self._changed = loaded.changed

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the score should know of the file."""
        with_block = sum(meta.rows for meta in self.metas)
        if not with_block or with_block == self.n_rows:
            return ()
        return (
            f"{self.n_rows - with_block} of {self.n_rows} rows carry no dataset_meta; "
            "the block of the others holds for them",
        )

    def samples(self, fields: Fields) -> Iterator[Sample | BadRow]:
        """Every row, in file order: a sample, or what is wrong with it. Can be called again.

        Raises:
            ResultError: the gold lies where old inference code put it, no row has a field that was named, or
                the file was written to meanwhile.
        """
        reader = RowReader(self.path, fields)
        columns: set[str] = set()
        for index, raw in enumerate(self._rows):
            data = bytes(raw)
            decoded = decode_row(data)
            if reader.unmet:
                columns.update(decoded.values)
            name = name_of(decoded.values, index, self._taken)
            yield reader.read(data, decoded, name, self.flaw(index, name))
        if reader.unmet:
            raise ResultError(self._no_such_field(sorted(reader.unmet), columns))
        if self._changed():
            raise ResultError(f"{self.path}: was written to while it was read; score it when it is complete")

    def flaw(self, index: int, name: str | int) -> Flaw | None:
        """What is wrong with a row beside its own bytes."""
        if not self.duplicate_ids or str(name) not in self.duplicate_ids:
            return None
        return Flaw("duplicate-id", f"id {name} occurs {self.duplicate_ids[str(name)]} times")

    def _no_such_field(self, missing: list[str], columns: set[str]) -> str:
        there = sorted(columns)
        more = ", ..." if len(there) > _SHOWN else ""
        return (
            f"{self.path}: no row has a field {missing[0]!r}; "
            f"its fields are {', '.join(there[:_SHOWN])}{more}: name one of those"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file. Rows that are still being read keep it mapped until they are gone."""
        self._rows = ()
        with contextlib.suppress(BufferError):
            self._release()
