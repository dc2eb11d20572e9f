"""Files whose ending promises a run, and that are something else: each is named, with what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Never

from mmeval.errors import ResultError
from mmeval.readers.foreign import Choice
from mmeval.readers.glimpse import POINTER, WIDE

_WHAT = {".xlsx": "workbook (.xlsx)", ".eval": "log of Inspect (.eval)", ".parquet": "parquet file"}


def read(path: Path, choice: Choice) -> Never:
    """Say what is wrong with a file.

    Raises:
        ResultError: always.
    """
    try:
        with path.open("rb") as file:
            head = file.read(len(POINTER))
    except OSError as error:
        raise ResultError(
            f"{path}: cannot be read ({error.strerror}); check its path and permissions"
        ) from None
    if not head:
        raise ResultError(f"{path}: is empty; was the inference finished?")
    if head == POINTER:
        raise ResultError(
            f"{path}: is a pointer of Git LFS in the place of a file; fetch it with git lfs pull"
        )
    if head.startswith(WIDE):
        raise ResultError(f"{path}: is UTF-16; save it as UTF-8")
    what = _WHAT.get(path.suffix.lower(), "file of predictions")
    raise ResultError(f"{path}: is no {what}, or one that was cut off or damaged; copy or write it again")
