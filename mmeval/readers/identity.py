"""What rows are called and which dataset they say they come from: the cheap first pass over a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from mmeval.errors import MetadataError
from mmeval.fingerprint import canonical, canonical_json
from mmeval.readers.decoding import decode_row, kind, sanitised
from mmeval.readers.layout import RawRow
from mmeval.types import Json

Name: TypeAlias = str | int


class Meta(msgspec.Struct, frozen=True):
    """One distinct dataset_meta block: its content, the first row that carries it, and how many do."""

    block: dict[str, Json]
    first_row: int
    rows: int


class Survey(NamedTuple):
    """What the first pass found."""

    metas: tuple[Meta, ...]
    duplicate_ids: dict[str, int]
    rows_without_id: int
    taken: frozenset[int]


class _Head(msgspec.Struct, rename={"eval_id": "eval-id"}):
    eval_id: int | str | None = None
    id: msgspec.Raw = msgspec.Raw()
    dataset_meta: msgspec.Raw = msgspec.Raw()


_head = msgspec.json.Decoder(_Head).decode


def survey(path: Path, rows: Sequence[RawRow]) -> Survey:
    """Collect ids and dataset_meta blocks over all rows.

    Raises:
        MetadataError: a block is not an object, holds the retired `score_type`, or two blocks disagree on the
            dataset's name or on anything that decides a score.
    """
    ids: list[str] = []
    nameless: list[int] = []
    blocks: dict[bytes, list[int]] = {}
    for index, raw in enumerate(rows):
        name, block = _head_of(raw)
        if name is None:
            nameless.append(index)
        else:
            ids.append(str(name))
        if block:
            known = blocks.setdefault(block, [index, 0])
            known[1] += 1
    counts = Counter(ids) if len(set(ids)) < len(ids) else Counter()
    taken = set(ids) if nameless else set()
    return Survey(
        distinct_metas(path, blocks),
        {name: count for name, count in counts.items() if count > 1},
        len(nameless),
        frozenset(index for index in nameless if str(index) in taken),
    )


def row_name(row: dict[str, Json]) -> Name | None:
    """A row's own name: `eval-id`, else `id`; None where both are missing, null, NaN or blank.

    Anything but text and whole numbers is named by its canonical text (1.0 is "1").
    """
    for key in ("eval-id", "id"):
        value = row.get(key)
        if type(value) is int:
            return value
        value = sanitised(value)
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        text = canonical(value)
        return text if isinstance(text, str) else canonical_json(value).decode()
    return None


def name_of(row: dict[str, Json], index: int, taken: frozenset[int]) -> Name:
    """A row's name, or its position where it has none; `row-3` where another row is called 3."""
    name = row_name(row)
    if name is not None:
        return name
    return f"row-{index}" if index in taken else index


def _head_of(raw: RawRow) -> tuple[Name | None, bytes]:
    """A row's name and the bytes of its dataset_meta (empty where it has none)."""
    try:
        head = _head(raw)
    except (msgspec.DecodeError, RecursionError):
        return _slow_head(bytes(raw))
    name = head.eval_id
    block = bytes(head.dataset_meta)
    if name is None or (isinstance(name, str) and not name.strip()):
        try:
            other = msgspec.json.decode(head.id) if bytes(head.id) else None
        except (msgspec.DecodeError, RecursionError):
            return _slow_head(bytes(raw))
        name = row_name({"eval-id": name, "id": other})
    return name, b"" if block == b"null" else block


def _slow_head(data: bytes) -> tuple[Name | None, bytes]:
    row = decode_row(data).values
    block = sanitised(row.get("dataset_meta"))
    return row_name(row), b"" if block is None else canonical_json(block)


def distinct_metas(path: Path, blocks: dict[bytes, list[int]]) -> tuple[Meta, ...]:
    """The distinct blocks of a file, from their bytes with the first row and the number of rows of each.

    Raises:
        MetadataError: see `survey`.
    """
    merged: dict[bytes, Meta] = {}
    for raw, (first, rows) in blocks.items():
        block = _block(path, raw, first)
        key = canonical_json(block)
        known = merged.get(key)
        merged[key] = (
            Meta(block, first, rows) if known is None else Meta(block, known.first_row, known.rows + rows)
        )
    metas = tuple(merged.values())
    for meta in metas[1:]:
        _agree(path, metas[0], meta)
    return metas


def _block(path: Path, raw: bytes, index: int) -> dict[str, Json]:
    block = decode_row(raw).values if raw[:1] == b"{" else msgspec.json.decode(raw)
    if not isinstance(block, dict):
        raise MetadataError(
            f"{path}: row {index}: dataset_meta is {kind(block)}, not an object; "
            "run the inference again, or remove that column"
        )
    if "score_type" in block:
        raise MetadataError(
            f"{path}: row {index}: dataset_meta holds the retired 'score_type'; "
            "re-push the dataset with 'score_pipeline', then run the inference again"
        )
    clean = sanitised(block)
    return clean if isinstance(clean, dict) else {}


def _agree(path: Path, first: Meta, other: Meta) -> None:
    """Blocks may differ in subset, split and task type; in nothing that says whose protocol it is."""
    for key in sorted(first.block.keys() | other.block.keys()):
        if not (key == "dataset_name" or key.startswith("score_")):
            continue
        if canonical_json(first.block.get(key)) != canonical_json(other.block.get(key)):
            raise MetadataError(
                f"{path}: rows {first.first_row} and {other.first_row} disagree on dataset_meta.{key}; "
                "one file holds one dataset under one protocol: score them as separate files"
            )
