"""Which model and dataset a file of VLMEvalKit is of: by `status.json`, the folders, or the library."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from mmeval.readers.tasks import is_known
from mmeval.types import Json

STATUS = "status.json"
_LARGEST = 16 * 1024 * 1024


class Named(NamedTuple):
    """What a file is of, as far as that is known."""

    model: str | None
    dataset: str | None
    judge: str | None = None


class _Entry(msgspec.Struct):
    prediction_file: str | None = None
    judge_model: str | None = None


class _Status(msgspec.Struct):
    model_name: str | None = None
    datasets: dict[str, _Entry] = {}


def named(path: Path) -> Named:
    """Model, dataset and judge of a file of predictions or verdicts.

    `status.json` beside it counts first; then a folder that bears the model's name, in which files are called
    `<model>_<dataset>`; then the longest end of the name that the protocol library knows.
    """
    status = _status(path.parent / STATUS)
    if status is not None:
        for dataset, entry in sorted(status.datasets.items(), key=lambda item: -len(item[0])):
            if _is_of(path.stem, status.model_name, dataset):
                return Named(status.model_name, dataset, entry.judge_model)
    for folder in (path.parent.name, path.parent.parent.name):
        if folder and path.stem.startswith(f"{folder}_"):
            return Named(folder, _without_judge(path.stem[len(folder) + 1 :]))
    pieces = path.stem.split("_")
    for begin in range(1, len(pieces)):
        for end in range(len(pieces), begin, -1):
            name = "_".join(pieces[begin:end])
            if is_known(name):
                return Named("_".join(pieces[:begin]), name)
    return Named(None, path.stem if is_known(path.stem) else None)


def _is_of(stem: str, model: str | None, dataset: str) -> bool:
    front = f"{model}_{dataset}"
    return stem == front or stem.startswith(f"{front}_")


def _without_judge(name: str) -> str:
    """The dataset in `<dataset>_<judge>_result`: the longest beginning that the library knows, else all."""
    pieces = name.split("_")
    for end in range(len(pieces), 0, -1):
        if is_known("_".join(pieces[:end])):
            return "_".join(pieces[:end])
    return name


def _status(path: Path) -> _Status | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        return msgspec.json.decode(path.read_bytes(), type=_Status)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None


def is_damaged(folder: Path) -> bool:
    """Whether a `status.json` lies there that cannot be read as one of VLMEvalKit."""
    path = folder / STATUS
    return path.is_file() and _status(path) is None


def told(name: Named) -> dict[str, Json]:
    """The same for a score file."""
    return {"task": name.dataset, "model": name.model, "judge": name.judge}
