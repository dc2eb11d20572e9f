"""Predictions and benchmark data from separate files, joined on the row's name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import msgspec

from mmeval.benchmarks import Benchmark
from mmeval.errors import ResultError
from mmeval.fingerprint import canonical_json
from mmeval.readers.decoding import Columns, Flaw
from mmeval.readers.identity import Meta, distinct_metas
from mmeval.readers.parts import Part
from mmeval.readers.predictions import ANSWERS, Predictions, Value, name_of, open_predictions
from mmeval.readers.rows import BadRow, Fields, RowReader
from mmeval.types import Json, Sample

_SHOWN = 5
_ASKED = "question"


class JoinedRun:
    """The same surface as `RunFile`, over a file of predictions and the benchmark that it answers.

    The rows are the benchmark's, in its order; each takes the prediction of its name, or is a row whose
    prediction is missing. Predictions that no row asks for are reported.

    Attributes:
        path: the file of predictions.
        sha256: over the hashes of both.
        metas: the distinct dataset_meta blocks of the benchmark.
        parts: predictions and data, by name and hash.
    """

    format: Literal["joined"] = "joined"

    def __init__(self, predictions: Predictions, benchmark: Benchmark) -> None:
        self.path = predictions.path
        self.benchmark = benchmark
        self.parts = (
            Part(_readable(predictions.path), len(predictions.rows), predictions.sha256),
            Part(_readable(Path(benchmark.source)), benchmark.n_rows, benchmark.sha256),
        )
        self.sha256 = hashlib.sha256(msgspec.json.encode(self.parts)).hexdigest()
        self._predictions = predictions
        named = zip(predictions.names, predictions.rows, strict=True)
        self._answers = {name: row for name, row in named if name is not None}
        self._survey()

    def _survey(self) -> None:
        """One pass over the benchmark: names, blocks, and what does not match."""
        names: list[str | None] = []
        blocks: dict[bytes, list[int]] = {}
        asked = _ASKED in self._predictions.columns
        others: list[str] = []
        for number, row in enumerate(self.benchmark.rows()):
            name = name_of(row.get("eval-id"))
            names.append(name)
            if row.get("dataset_meta") is not None:
                known = blocks.setdefault(canonical_json(row["dataset_meta"]), [number, 0])
                known[1] += 1
            if asked and name in self._answers and self._asks_otherwise(row, self._answers[name]):
                others.append(name)
        self.n_rows = len(names)
        self.rows_without_id = names.count(None)
        self.metas: tuple[Meta, ...] = distinct_metas(Path(self.benchmark.source), blocks)
        self._repeated = _repeated([name for name in names if name is not None])
        self._unanswered = [
            name or f"row-{number}" for number, name in enumerate(names) if name not in self._answers
        ]
        known_names = set(names)
        self._unasked = [name for name in self._answers if name not in known_names]
        self._others = others

    def _asks_otherwise(self, row: dict[str, Json], answer: Sequence[Value]) -> bool:
        """Whether the predictions carry another question for this row; space does not count."""
        theirs = answer[self._predictions.column(_ASKED)]
        ours = _turn(row).get(_ASKED)
        return isinstance(theirs, str) and isinstance(ours, str) and theirs.split() != ours.split()

    @property
    def duplicate_ids(self) -> dict[str, int]:
        """Names that occur more than once, in the benchmark or among the predictions."""
        unasked = set(self._unasked)
        theirs = self._predictions.repeated.items()
        return {**{name: often for name, often in theirs if name not in unasked}, **self._repeated}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the score should know of the two."""
        data, file = self.parts[1].file, self.parts[0].file
        nameless = self._predictions.names.count(None)
        said = [
            (
                self._unanswered,
                f"of {self.n_rows} rows of {data} have no prediction; what the protocol keeps is invalid",
            ),
            (self._unasked, f"predictions of {file} belong to no row of {data} and were left out"),
            (
                self._others,
                f"predictions of {file} carry another question than {data} does",
            ),
        ]
        return (
            *self.benchmark.warnings,
            *self._predictions.warnings,
            *(f"{len(names)} {text} ({_some(names)})" for names, text in said if names),
            *([f"{nameless} rows of {file} have no index and were left out"] if nameless else []),
        )

    @property
    def deviations(self) -> tuple[str, ...]:
        """Why the benchmark is not the data that the protocol library declares."""
        return self.benchmark.deviations

    def samples(self, fields: Fields) -> Iterator[Sample | BadRow]:
        """Every row of the benchmark, in its order. Can be called again.

        Raises:
            ResultError: the predictions have no column `prediction` (or the one that was named), or no row of
                the benchmark has the field that was named for the gold.
        """
        column = self._predictions.first([fields.pred] if fields.pred else ANSWERS)
        reader = RowReader(self.path, Fields(fields.gt, None, fields.question_type))
        duplicates = self.duplicate_ids
        for number, row in enumerate(self.benchmark.rows()):
            key = name_of(row.get("eval-id"))
            name = row["eval-id"] if key is not None else f"row-{number}"
            assert isinstance(name, str | int)
            flaw = None
            if key is not None and key in duplicates:
                flaw = Flaw("duplicate-id", f"id {key} occurs {duplicates[key]} times")
            yield self._read(reader, row, name, self._answer(key, column), flaw)
        if reader.unmet:
            raise ResultError(
                f"{self.benchmark.source}: no row has a field {min(reader.unmet)!r} for the gold; "
                "check --score_gt_field"
            )

    def _answer(self, key: str | None, column: int) -> Value:
        row = self._answers.get(key) if key is not None else None
        return None if row is None else row[column]

    def _read(
        self, reader: RowReader, row: dict[str, Json], name: str | int, answer: Value, flaw: Flaw | None
    ) -> Sample | BadRow:
        response: Json = None
        if isinstance(answer, Flaw):
            flaw = flaw or answer
        else:
            response = answer
        row["messages"] = [_turn(row), {"role": "assistant", "response": response}]
        return reader.read(msgspec.json.encode(row), Columns(row), name, flaw)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Both files were read and closed."""


def open_joined(path: Path, benchmark: Benchmark) -> JoinedRun:
    """Open a file of predictions, and join it to the benchmark that it answers.

    Raises:
        ResultError: it cannot be read, or lacks `index` or `prediction`.
        MetadataError: the benchmark's blocks cannot be used.
    """
    return JoinedRun(open_predictions(path), benchmark)


def _turn(row: dict[str, Json]) -> dict[str, Json]:
    messages = row.get("messages")
    turn = messages[0] if isinstance(messages, list) and messages else None
    return turn if isinstance(turn, dict) else {}


def _readable(path: Path) -> str:
    """A file's name, as a score file can hold it."""
    return path.name.encode("utf-8", "replace").decode()


def _repeated(names: list[str]) -> dict[str, int]:
    if len(set(names)) == len(names):
        return {}
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return {name: often for name, often in counts.items() if often > 1}


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
