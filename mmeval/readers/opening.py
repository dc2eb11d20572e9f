"""A file of predictions, whoever wrote it: ours as it lies, another harness's through its reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

import msgspec

from mmeval.errors import ResultError
from mmeval.readers.decoding import Flaw
from mmeval.readers.foreign import Choice, Foreign, encoded
from mmeval.readers.glimpse import Form, form_of, glimpse
from mmeval.readers.layout import Loaded, load
from mmeval.readers.result import RunFile

Reader: TypeAlias = Callable[[Path, Choice], Foreign]

# Module and function by form; loaded where such a file is met.
_READERS: dict[Form, tuple[str, str]] = {
    "vlmevalkit": ("vlmevalkit", "read"),
    "lm-eval": ("lmms_eval", "read_lm"),
    "lmms-eval": ("lmms_eval", "read_lmms"),
    "inspect": ("inspect_log", "read"),
    "lighteval": ("lighteval", "read"),
    "evalscope": ("evalscope", "read"),
    "evalscope-reviews": ("evalscope", "read"),
    "helm": ("helm", "read"),
    "damaged": ("damaged", "read"),
}
PICKLE = (
    "is a pickle, and opening one can run code of its author: it is never opened; let the harness write its "
    "predictions as tsv or json (VLMEvalKit: PRED_FORMAT=tsv)"
)


class ForeignRun(RunFile):
    """The same surface as `RunFile`, over a run of another harness.

    Attributes:
        foreign: what its reader gave, without the rows.
    """

    def __init__(self, path: Path, found: Foreign) -> None:
        rows = [msgspec.Raw(encoded(row)) for row in found.rows]
        self.foreign = replace(found, rows=())
        self._flaws = dict(found.flaws)
        super().__init__(path, Loaded(rows, found.sha256, "result.json", lambda: None, lambda: False))
        self.format = found.by

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the score should know of the file: what was not carried, among the rest."""
        return (*super().warnings, *self.foreign.warnings)

    def flaw(self, index: int, name: str | int) -> Flaw | None:
        """What is wrong with a row beside its own bytes."""
        return super().flaw(index, name) or self._flaws.get(index)


def open_run(path: Path) -> RunFile:
    """Open a file of predictions.

    Raises:
        ResultError: it cannot be read, or is of no layout that is known.
        MetadataError: its dataset_meta blocks cannot be used.
        UsageError: a library that reads such files is not installed.
    """
    found = read_foreign(path, Choice())
    return RunFile(path, load(path)) if found is None else ForeignRun(path, found)


def read_foreign(path: Path, choice: Choice) -> Foreign | None:
    """What the reader of another harness makes of a file; None where it is none of theirs.

    Raises:
        ResultError: it is a pickle, or cannot be read.
    """
    seen = glimpse(path)
    if seen.kind == "pickle":
        raise ResultError(f"{path}: {PICKLE}")
    form = form_of(seen)
    return None if form is None else reader(form)(path, choice)


def reader(form: Form) -> Reader:
    """The reader of a form."""
    module, function = _READERS[form]
    found: Reader = getattr(import_module(f"mmeval.readers.{module}"), function)
    return found
