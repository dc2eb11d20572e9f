"""The protocol that samples carry with them: what the data declares, else what the library knows of it."""

from __future__ import annotations

from mmeval import library
from mmeval.metadata import Block, Unsupported, parse_block
from mmeval.types import Json

IDENTITY = ("dataset_name", "subset", "split", "revision")


def injected(meta: dict[str, Json], protocol: str | None, where: str) -> dict[str, Json]:
    """A `dataset_meta` block with a protocol in it, where one is known.

    Args:
        meta: identity, and the block that the data declares.
        protocol: `NAME`, `NAME:subset` or `NAME@variant` of the library, instead of what the data declares;
            `@variant` is one of the library's protocol by the dataset's name.
        where: what to call the data in messages.

    Returns:
        The declared block if it has a pipeline that can be run; else the library's by the dataset's name,
        without its variants: they are found by that name. A block comes whole from one source.

    Raises:
        UsageError: no such protocol, or the library has several and needs the subset.
    """
    block = parse_block(dict(meta), f"{where}: dataset_meta")
    if protocol is not None:
        own = block.dataset_name or "" if protocol.startswith("@") else ""
        entry = library.named(own + protocol, block.subset)
        return {**_identity(meta), "dataset_name": entry.name, **_dumped(entry.block)}
    supported = block.score_pipeline is not None and not isinstance(block.score_pipeline, Unsupported)
    if supported or block.dataset_name is None:
        return meta
    found = library.find(block.dataset_name, block.subset)
    return meta if found is None else {**_identity(meta), **_dumped(found.block)}


def _identity(meta: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in meta.items() if key in IDENTITY}


def _dumped(block: Block) -> dict[str, Json]:
    dumped: dict[str, Json] = block.model_dump(
        mode="json", by_alias=True, exclude_unset=True, exclude={"variants"}
    )
    return dumped
