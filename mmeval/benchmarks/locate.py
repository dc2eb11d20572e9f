"""Where a benchmark's table lies: a path, the data folder of VLMEvalKit, or the declared repository."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import NamedTuple

from mmeval import library
from mmeval.errors import UsageError
from mmeval.metadata import DataFile

# As VLMEvalKit spells it.
_FOLDER = "LMUData"
# Endings of what holds rows, but not as a table of text.
_NO_TABLES = (".xlsx", ".xls", ".json", ".jsonl", ".parquet")
_NAME = re.compile(r"[\w.+-]+")


class Found(NamedTuple):
    """A table on this disk: the benchmark's name, the file, and what to call it in messages."""

    name: str
    path: Path
    source: str
    revision: str | None = None


def locate(reference: str) -> Found:
    """Find a table.

    1. A path to a file: that file; its name without the ending is the benchmark's.
    2. A name: `NAME.tsv` in the folder that the environment variable LMUData names, else in `~/LMUData`.
    3. The same name in the protocol library, where it declares a repository: fetched through huggingface_hub
       (its cache, its HF_ENDPOINT and HF_TOKEN) and held against the declared MD5.

    Raises:
        UsageError: nothing of this is there, or what was fetched is not what was declared.
    """
    path = Path(reference)
    if path.exists():
        if path.suffix.lower() in _NO_TABLES:
            raise UsageError(
                f"--data {reference}: is no table of text; save it as .tsv, or give a folder of "
                ".jsonl, .json or .parquet files to --dataset"
            )
        return Found(path.stem, path, reference)
    if not _NAME.fullmatch(reference) or path.suffix.lower() in (".tsv", ".csv"):
        raise UsageError(f"--data {reference}: no such file; give a table, or the name of a benchmark")
    local = data_folder() / f"{reference}.tsv"
    if local.exists():
        return Found(reference, local, str(local))
    declared = library.data_file(reference)
    if declared is None or declared.repo is None or declared.file is None:
        raise UsageError(
            f"--data {reference}: no such file, nor {local}, and the protocol library declares no address to "
            f"fetch it from; put the table there, or give its path"
        )
    return _fetched(reference, declared.repo, declared.file, declared)


def data_folder() -> Path:
    """Where VLMEvalKit keeps its tables: the folder LMUData names, if it exists, else `~/LMUData`."""
    named = os.environ.get(_FOLDER)
    return Path(named) if named and Path(named).exists() else Path.home() / "LMUData"


def _fetched(name: str, repo: str, file: str, declared: DataFile) -> Found:
    from mmeval.benchmarks.hub import fetch

    path = fetch(repo, file, declared.revision)
    source = f"{repo}/{file}"
    if declared.md5 is not None:
        with path.open("rb") as opened:
            found = hashlib.file_digest(opened, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
        if found != declared.md5:
            raise UsageError(
                f"--data {name}: {source} has MD5 {found}, declared is {declared.md5}: it was changed, or "
                f"damaged on the way; put the right table at {data_folder() / name}.tsv, or give its path"
            )
    return Found(name, path, source, declared.revision)
