"""The files that a protocol needs beside the predictions: where they lie, their hashes, what they hold.

Every file is hashed before the run, for the fingerprint, and read when it is first asked for: once per
process as long as it stays the same.
"""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from mmeval.errors import MetadataError, UsageError
from mmeval.metadata import Resource
from mmeval.registry import nearest
from mmeval.types import Json

if TYPE_CHECKING:
    from mmeval.boxes.annotations import Annotations

V = TypeVar("V")
_CHUNK = 1 << 22


class _Stamp(NamedTuple):
    """A file as it is now: while these stay the same, it is not read again."""

    path: str
    changed: int
    size: int


class _Place(NamedTuple):
    """A resource that was found: its files by key, and under which names a score tells of them."""

    files: dict[str, Path]
    told: str
    resource: Resource


class Lazy(Mapping[str, V]):
    """A mapping whose values are made when they are first asked for."""

    def __init__(self, makers: Mapping[str, partial[V]]) -> None:
        self._makers = makers

    def __getitem__(self, name: str) -> V:
        return self._makers[name]()

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class Resources(NamedTuple):
    """What stages and aggregates may read, by name; what a score tells of it; what is odd about it."""

    values: Mapping[str, Any]
    told: dict[str, Json]
    deviations: tuple[str, ...]


NONE = Resources({}, {}, ())


def find(
    declared: Mapping[str, Resource],
    given: Mapping[str, Path],
    readable: frozenset[str],
    folder: Path,
    environment: Mapping[str, str],
    kinds: Mapping[str, str] | None = None,
) -> Resources:
    """Find and hash the resources that somebody reads.

    Args:
        declared: what the protocol declares.
        given: files and folders of the command line, which stand above it.
        readable: the names that stages and aggregates of this run ask for.
        folder: where the run lies.
        environment: the variables that may name folders.
        kinds: the kind of file that a resource must be for who reads it, where that is not any JSON.

    Raises:
        UsageError: the command line names a resource that nobody reads.
        MetadataError: a file is not where it should be; the message names the variable and the path. Or a
            resource is declared as of a kind that its reader cannot use.
    """
    strange = [name for name in given if name not in readable]
    if strange:
        raise UsageError(
            f"--resource {strange[0]}: no stage or aggregate of this run reads it; "
            f"{nearest(strange[0], readable)}"
        )
    places: dict[str, _Place] = {}
    for name in sorted((declared.keys() | given.keys()) & readable):
        known = _of_kind(name, declared.get(name), (kinds or {}).get(name), given.get(name))
        if name in given:
            places[name] = _given(name, known, given[name])
            continue
        found = _place(name, known, folder, environment)
        if found is not None:
            places[name] = found
    return _resources(places, declared)


def _resources(places: Mapping[str, _Place], declared: Mapping[str, Resource]) -> Resources:
    told: dict[str, Json] = {}
    odd = []
    for name, place in places.items():
        sha256 = _hash_all(place)
        told[name] = {"file": place.told, "sha256": sha256}
        if name not in declared:
            odd.append(f"--resource gives {name!r}, which the protocol does not declare")
        elif declared[name].sha256 not in (None, sha256):
            odd.append(
                f"resource {name!r} has SHA-256 {sha256[:12]}..., the protocol has "
                f"{str(declared[name].sha256)[:12]}..."
            )
    values = Lazy({name: partial(_value, name, place) for name, place in places.items()})
    return Resources(values, told, tuple(odd))


def _of_kind(name: str, declared: Resource | None, needed: str | None, given: Path | None) -> Resource:
    """A resource as it is declared; or, given for one call alone, as its reader needs it."""
    if declared is None:
        assert given is not None
        return Resource.model_validate({"path": given.name or ".", "kind": needed or _likely(given)})
    if needed is not None and declared.kind != needed:
        raise MetadataError(
            f"score_resources declares {name!r} as of the kind {declared.kind!r}, and a stage reads it as "
            f'{needed!r}; write "kind": "{needed}"'
        )
    return declared


def _likely(path: Path) -> str:
    return "rows" if path.is_dir() else "json"


def _place(name: str, declared: Resource, folder: Path, environment: Mapping[str, str]) -> _Place | None:
    """Where a resource lies; None where it may be absent, and nothing lies there."""
    root, variable = _root(declared, folder, environment)
    paths = declared.paths or {"": declared.path}
    files = {key: root / path if path else root for key, path in paths.items()}
    if root.is_file() and not declared.paths:
        files = {"": root}
    missing = [path for path in files.values() if not _is_there(path, declared.kind)]
    if not missing:
        told = declared.path or ", ".join(sorted(declared.paths.values())) or _name(root)
        return _Place(files, told, declared)
    if declared.optional and len(missing) == len(files) and not any(map(os.path.lexists, missing)):
        return None
    raise MetadataError(f"resource {name!r} is missing: {_remedy(name, declared, missing[0], variable)}")


def _given(name: str, resource: Resource, path: Path) -> _Place:
    files = {"": path}
    if resource.paths:
        files = {key: path / each for key, each in resource.paths.items()}
    missing = [each for each in files.values() if not _is_there(each, resource.kind)]
    if missing:
        what = "folder" if resource.kind == "rows" else "file"
        raise UsageError(f"--resource {name}={path}: no {what} {missing[0]}; check the path")
    return _Place(files, _name(path), resource)


def _name(path: Path) -> str:
    return path.name.encode("utf-8", "replace").decode()


def _root(declared: Resource, folder: Path, environment: Mapping[str, str]) -> tuple[Path, str | None]:
    """The folder that the paths start from, and the variable that says so."""
    for each in declared.env:
        variable, _, below = each.partition("/")
        if environment.get(variable):
            root = Path(environment[variable]).expanduser()
            return (root / below if below else root), variable
    return folder, None


def _is_there(path: Path, kind: str) -> bool:
    return path.is_dir() if kind == "rows" else path.is_file()


def _remedy(name: str, declared: Resource, path: Path, variable: str | None) -> str:
    if os.path.lexists(path):
        what = "folder" if declared.kind == "rows" else "file"
        return f"{path} is no {what} that can be read; put one there, or give --resource {name}=PATH"
    if variable is not None:
        return f"{variable} is set, but {path} is not there; put it there, or give --resource {name}=PATH"
    if declared.env:
        below = declared.path or next(iter(declared.paths.values()), "")
        what = f"the folder that holds {below}" if below else "the file"
        first = declared.env[0].partition("/")[0]
        return f"set {first} to {what} (looked for {path}), or give --resource {name}=PATH"
    return f"{path} is not there; put it there, or give --resource {name}=PATH"


def _hash_all(place: _Place) -> str:
    """The SHA-256 of the one file, or that of all files' sorted hashes, one a line."""
    files = list(place.files.values())
    if place.resource.kind == "rows":
        (folder,) = files
        lines = [f"{name} {_sha256(_stamp(path))}" for name, path in sorted(_row_files(folder).items())]
    elif len(files) == 1:
        return _sha256(_stamp(files[0]))
    else:
        lines = sorted(_sha256(_stamp(path)) for path in files)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError as error:
        raise MetadataError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    return _Stamp(str(path.resolve()), found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=1 << 14)
def _sha256(stamp: _Stamp) -> str:
    digest = hashlib.sha256()
    try:
        with open(stamp.path, "rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise MetadataError(f"{stamp.path}: cannot be read ({error.strerror}); check the path") from None
    return digest.hexdigest()


def _value(name: str, place: _Place) -> Any:
    """What a resource holds."""
    kind = place.resource.kind
    if kind == "rows":
        return _rows(name, place.files[""])
    read: Callable[[str, _Stamp], Any] = _annotations if kind == "coco" else _json
    makers = {key: partial(read, name, _stamp(path)) for key, path in place.files.items()}
    if place.resource.by is None:
        return makers[""]()
    if kind == "coco":
        from mmeval.boxes.annotations import AnnotationSets

        return AnnotationSets(place.resource.by, Lazy(makers))
    return Lazy(makers)


@lru_cache(maxsize=32)
def _json(name: str, stamp: _Stamp) -> Json:
    import orjson

    try:
        value: Json = orjson.loads(Path(stamp.path).read_bytes().removeprefix(codecs.BOM_UTF8))
    except orjson.JSONDecodeError as error:
        raise _no_json(name, stamp, error) from None
    return value


@lru_cache(maxsize=32)
def _annotations(name: str, stamp: _Stamp) -> Annotations:
    from mmeval.boxes.annotations import read_annotations

    try:
        return read_annotations(Path(stamp.path).read_bytes())
    except msgspec.MsgspecError as error:
        raise _no_json(name, stamp, error) from None


def _no_json(name: str, stamp: _Stamp, error: Exception) -> MetadataError:
    return MetadataError(f"resource {name!r}: {stamp.path}: {error}; fetch the file again")


def _rows(name: str, folder: Path) -> Mapping[str, Json]:
    """The files of a folder by the row that they belong to, each read when that row asks."""
    return Lazy({key: partial(_json_of, name, path) for key, path in _row_files(folder).items()})


def _json_of(name: str, path: Path) -> Json:
    return _json.__wrapped__(name, _stamp(path))


def _row_files(folder: Path) -> dict[str, Path]:
    try:
        entries = list(os.scandir(folder))
    except OSError as error:
        raise MetadataError(f"{folder}: cannot be looked into ({error.strerror}); check the path") from None
    found = {each.name[: -len(".json")]: Path(each.path) for each in entries if _is_json(each)}
    return dict(sorted(found.items()))


def _is_json(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(".json") and not entry.name.startswith(".") and Path(entry.path).is_file()
