"""Which weights a local judge has: a commit of the Hugging Face Hub, or the hash of a folder's files."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

from mmeval.errors import JudgeError
from mmeval.judge import store

MEMORY = "weights.json"
# What changes no reply: descriptions, and pictures in them.
_PROSE = frozenset({".md", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"})


class Weights(NamedTuple):
    """A model's weights.

    Attributes:
        source: what an engine loads: a folder, a file, or a name on the Hub.
        name: what the judge is called: the last part of a path, or the name on the Hub.
        revision: `sha256:` and the hash of the content, or the Hub's commit.
        commit: the commit to be loaded; None where the source is a path.
    """

    source: str
    name: str
    revision: str
    commit: str | None = None


def find_weights(model: str) -> Weights:
    """The weights that a name means: a path if there is one, else a model of the Hub.

    Of the Hub, what lies in its cache counts before what the Hub has by now, so that a run repeated is a run
    with the same weights.

    Raises:
        JudgeError: it is neither, or cannot be read.
    """
    path = Path(model).expanduser()
    if path.exists():
        try:
            return Weights(str(path), path.resolve().name, f"sha256:{content_hash(path)}")
        except OSError as error:
            raise JudgeError(f"--judge_model {model}: cannot be read ({error.strerror})") from None
    commit = _commit(model)
    return Weights(model, model, commit, commit)


def content_hash(path: Path) -> str:
    """SHA-256 over the names and contents of a model's files: weights, configuration, tokenizer, template.

    Hidden files, descriptions and pictures do not count. The hash of a file is remembered beside the reply
    cache for as long as its size, inode and times of change stay the same.

    Raises:
        OSError: a file cannot be read.
        JudgeError: the folder holds no `config.json`.
    """
    if path.is_file():
        return _Memory().hashes([path])[0]
    if not (path / "config.json").is_file():
        raise JudgeError(f"--judge_model {path}: the folder holds no model (no config.json)")
    files = sorted(_files(path), key=lambda file: file.relative_to(path).as_posix())
    whole = hashlib.sha256()
    for file, digest in zip(files, _Memory().hashes(files), strict=True):
        whole.update(f"{digest}  {file.relative_to(path).as_posix()}\n".encode())
    return whole.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*"):
        parts = file.relative_to(folder).parts
        if file.is_file() and not any(part.startswith(".") for part in parts) and file.suffix not in _PROSE:
            yield file


class _Memory:
    """Hashes of files that were read before. It only saves time, so nothing is lost where it is."""

    def __init__(self) -> None:
        self._path = store.place(None).parent / MEMORY
        self._known: dict[str, str] = {}
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            self._known = msgspec.json.decode(self._path.read_bytes(), type=dict[str, str])

    def hashes(self, files: list[Path]) -> list[str]:
        """The hash of each file, in the same order.

        Raises:
            OSError: one cannot be read.
        """
        keys = [_state(file) for file in files]
        missing = [(key, file) for key, file in zip(keys, files, strict=True) if key not in self._known]
        with ThreadPoolExecutor(max_workers=4) as pool:
            found = list(pool.map(_hash, [file for _, file in missing]))
        self._known |= {key: digest for (key, _), digest in zip(missing, found, strict=True)}
        if missing:
            self._keep()
        return [self._known[key] for key in keys]

    def _keep(self) -> None:
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new = self._path.with_suffix(f".{os.getpid()}")
            new.write_bytes(msgspec.json.encode(self._known))
            new.replace(self._path)


def _state(file: Path) -> str:
    """A file as it is now. Whoever writes into it changes its `ctime`, which cannot be set back."""
    stat = file.stat()
    return f"{file.resolve()}:{stat.st_size}:{stat.st_ino}:{stat.st_mtime_ns}:{stat.st_ctime_ns}"


def _hash(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _commit(model: str) -> str:
    """The commit of a model of the Hub: the one in its cache, else the newest.

    Raises:
        JudgeError: there is no such model, or nobody can be asked.
    """
    advice = f"--judge_model {model}: is no folder here, and not to be had from the Hugging Face Hub"
    try:
        hub = importlib.import_module("huggingface_hub")
        errors = importlib.import_module("huggingface_hub.errors")
    except ImportError:
        raise JudgeError(f"{advice}, for huggingface_hub is not installed") from None
    with contextlib.suppress(OSError, ValueError):
        return Path(hub.snapshot_download(model, local_files_only=True)).name
    try:
        return str(hub.HfApi().model_info(model).sha)
    except (errors.HfHubHTTPError, errors.OfflineModeIsEnabled, OSError, ValueError) as error:
        raise JudgeError(f"{advice} ({error})") from None
