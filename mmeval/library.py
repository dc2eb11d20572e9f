"""The protocol library: benchmark names and aliases to blocks."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import msgspec

from mmeval.errors import MetadataError, UsageError
from mmeval.metadata import Block, DataFile, Metadata, Subset, parse_metadata
from mmeval.registry import nearest, protocol_folders


class Entry(NamedTuple):
    """A block of the library, and how it is called."""

    name: str
    variant: str | None
    block: Block


class _Head(msgspec.Struct, frozen=True):
    dataset_name: str | None = None
    aliases: tuple[str, ...] = ()


@cache
def index() -> dict[str, str]:
    """Every benchmark name and alias, case-folded, to its folder.

    Raises:
        MetadataError: two folders claim one name.
    """
    claimed: dict[str, str] = {}
    for folder, entry in protocol_folders().items():
        for name in {folder, *_names((entry / "metadata.json").read_bytes(), folder)}:
            other = claimed.setdefault(name.casefold(), folder)
            if other != folder:
                raise MetadataError(
                    f"the protocols {other} and {folder} both claim the name {name!r}; rename one"
                )
    return claimed


def _names(data: bytes, folder: str) -> tuple[str, ...]:
    """The names that a folder claims, read without its blocks: a run needs one folder's blocks, not all."""
    try:
        head = msgspec.json.decode(data, type=_Head)
    except msgspec.MsgspecError as error:
        raise MetadataError(f"protocols/{folder}/metadata.json: {error}; mend the file") from None
    return (head.dataset_name or folder, *head.aliases)


@cache
def load(folder: str) -> Metadata:
    """The metadata of one protocol folder."""
    path = protocol_folders()[folder] / "metadata.json"
    return parse_metadata(path.read_bytes(), f"protocols/{folder}/metadata.json")


def find(name: str, subset: str | None) -> Entry | None:
    """The library's main block for a dataset name or alias, or None where it has no such benchmark."""
    folder = index().get(name.casefold())
    if folder is None:
        return None
    metadata = load(folder)
    return Entry(metadata.dataset_name or folder, None, _subset(metadata, folder, subset))


def data_file(name: str) -> DataFile | None:
    """What the library declares of a benchmark's table, by the table's name; None where that is nothing."""
    folder = index().get(name.casefold())
    declared = load(folder).score_data if folder is not None else {}
    return next((data for table, data in declared.items() if table.casefold() == name.casefold()), None)


def named(reference: str, subset: str | None) -> Entry:
    """The block that `NAME`, `NAME@variant` or `NAME:subset@variant` means.

    Raises:
        UsageError: no such benchmark, subset or variant; names the nearest.
    """
    name, at, variant = reference.partition("@")
    name, colon, chosen = name.partition(":")
    if (at and not variant) or (colon and not chosen):
        raise UsageError(f"--protocol {reference}: a name must follow : and @")
    folder = index().get(name.casefold())
    if folder is None:
        known = {load(each).dataset_name or each for each in protocol_folders()}
        raise UsageError(f"no protocol {name!r} in the library; {nearest(name, known)}")
    metadata = load(folder)
    block = _subset(metadata, folder, chosen or subset)
    title = metadata.dataset_name or folder
    if not variant:
        return Entry(title, None, block)
    if variant not in block.variants:
        raise UsageError(f"protocol {title} has no variant {variant!r}; {nearest(variant, block.variants)}")
    return Entry(title, variant, block.variants[variant])


def _subset(metadata: Metadata, folder: str, subset: str | None) -> Subset:
    subsets = metadata.subsets
    if subset is not None and subset in subsets:
        return subsets[subset]
    if "*" in subsets:
        return subsets["*"]
    if subset is None and len(subsets) == 1:
        return next(iter(subsets.values()))
    raise UsageError(
        f"protocol {folder} has no subset {subset!r}; {nearest(subset or '', subsets)}; "
        f"name one with --protocol {folder}:SUBSET"
    )
