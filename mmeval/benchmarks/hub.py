"""Datasets from the Hugging Face Hub, or from a folder that is laid out like one of its repositories."""

from __future__ import annotations

import importlib
import os
import re
import sys
from pathlib import Path
from typing import Any

from mmeval.benchmarks.dataset import Dataset, Tree, Wanted
from mmeval.errors import UsageError

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def open_dataset(
    reference: str, subset: str | None = None, split: str | None = None, revision: str | None = None
) -> Dataset:
    """Open one subset and split of a dataset.

    Args:
        reference: a local folder, or `owner/name` on the Hub. A folder needs no network and, for JSON, no
            further library. The Hub's address is `HF_ENDPOINT`; what it sends is kept in its usual cache.
        subset: which of several subsets.
        split: which of several splits.
        revision: a branch, tag or commit on the Hub; the commit that it means is recorded.

    Raises:
        UsageError: no such dataset, subset or split, or a library is missing.
        MetadataError: its metadata.json cannot be used, the retired `score_type` included.
        ResultError: a file of it cannot be read.
    """
    folder = Path(reference)
    if folder.is_dir():
        if revision is not None:
            raise UsageError(f"--revision {revision}: {reference} is a folder, which has none; leave it out")
        return Dataset(_folder(folder), Wanted(subset, split))
    if folder.exists() or not _REPOSITORY.fullmatch(reference):
        raise UsageError(
            f"--dataset {reference}: is neither a folder nor owner/name on the Hub; a file goes to --data"
        )
    tree = _Repository.of(reference, revision)
    return Dataset(tree, Wanted(subset, split))


def fetch(repository: str, path: str, revision: str | None = None) -> Path:
    """One file of a dataset repository on the Hub, from its cache where it is there already.

    Raises:
        UsageError: it cannot be fetched, or huggingface_hub is not installed.
    """
    hub = _hub(repository)
    try:
        found = hub.hf_hub_download(repository, path, repo_type="dataset", revision=revision)
    except _faults(hub) as error:
        raise UsageError(f"{repository}: {path} cannot be fetched ({_said(error)}); {_remedy()}") from None
    return Path(found)


def _folder(root: Path) -> Tree:
    """The files of a folder; links to folders are entered, each once."""
    paths: list[str] = []
    entered: set[str] = set()
    for folder, below, names in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)
        below[:] = [] if real in entered else sorted(name for name in below if not name.startswith("."))
        names = [] if real in entered else names
        entered.add(real)
        paths += [Path(folder, name).relative_to(root).as_posix() for name in sorted(names)]
    return Tree(root.resolve().name, str(root), None, paths, root)


class _Repository(Tree):
    """A repository's files at one commit, fetched one by one when they are asked for."""

    @classmethod
    def of(cls, name: str, revision: str | None) -> Tree:
        hub = _hub(name)
        try:
            info = hub.HfApi().dataset_info(name, revision=revision)
        except _faults(hub) as error:
            return _cached(hub, name, revision, error)
        paths = [file.rfilename for file in info.siblings or ()]
        # Asked for by its branch or tag, a file leaves in the cache which commit that was: for a day offline.
        for small in {"metadata.json", ".gitattributes"} & set(paths):
            fetch(name, small, revision)
        return cls(name, name, info.sha, paths, Path())

    def file(self, path: str) -> Path:
        """One file, from the cache or from the Hub."""
        return fetch(self.name, path, self.revision)


def _hub(name: str) -> Any:
    try:
        library: Any = importlib.import_module("huggingface_hub")
        for part in ("errors", "utils"):
            importlib.import_module(f"huggingface_hub.{part}")
    except ImportError:
        raise UsageError(
            f"{name}: the Hub is read through huggingface_hub, which is not installed; "
            "pip install 'mmeval-score[hub]', or give a local folder"
        ) from None
    library.utils.disable_progress_bars()
    return library


def _faults(hub: Any) -> tuple[type[Exception], ...]:
    """What the library raises: its own errors, and those of whichever HTTP client it came with."""
    clients = [sys.modules.get(name) for name in ("httpx", "httpx2", "requests")]
    names = ("HTTPError", "RequestException")
    transport = [getattr(client, name, None) for client in clients if client for name in names]
    own = (hub.errors.HfHubHTTPError, hub.errors.HFValidationError, hub.errors.LocalEntryNotFoundError)
    return (*own, OSError, *(kind for kind in transport if isinstance(kind, type)))


def _cached(hub: Any, name: str, revision: str | None, error: Exception) -> Tree:
    """The copy that an earlier fetch left, where the Hub cannot be reached.

    Raises:
        UsageError: the Hub was reached and refused, or there is no copy.
    """
    if getattr(error, "response", None) is None:
        try:
            found = Path(
                hub.snapshot_download(name, repo_type="dataset", revision=revision, local_files_only=True)
            )
        except _faults(hub):
            pass
        else:
            tree = _folder(found)
            commit = found.name if _COMMIT.fullmatch(found.name) else None
            return tree._replace(name=name, source=name, revision=commit)
    at = f" at {revision}" if revision else ""
    raise UsageError(f"--dataset {name}{at}: cannot be fetched ({_said(error)}); {_remedy()}") from None


def _said(error: Exception) -> str:
    """What went wrong, in a few words: the name of the status, or the first sentence of the error."""
    response = getattr(error, "response", None)
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__.removesuffix("Error")).lower()
    if response is not None:
        return f"{kind}, HTTP {response.status_code}"
    text = " ".join(str(error).split()).partition(". ")[0].rstrip(".")
    return text[:160] or kind


def _remedy() -> str:
    return "check the name, HF_ENDPOINT and HF_TOKEN, or give a local folder"
