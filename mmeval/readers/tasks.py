"""How runs of other harnesses name their datasets, and which of these names the protocol library knows."""

from __future__ import annotations

from collections.abc import Sequence

from mmeval import library
from mmeval.types import Json


def is_known(name: str) -> bool:
    """Whether the library has a protocol of this name or alias."""
    return name.casefold() in library.index()


def dataset_name(names: Sequence[str | None]) -> str | None:
    """The first of several names that the library knows, by itself or behind its last slash or bar.

    Where it knows none, the first name there is: a task's name is kept as its harness writes it.
    """
    given = [name for name in names if name]
    for name in given:
        pieces = [name, name.rpartition("/")[2], *name.split("|")]
        for piece in pieces:
            if piece and is_known(piece):
                return piece
    return given[0] if given else None


def identity(name: str | None) -> dict[str, Json]:
    """`dataset_meta` of every row of a run, nothing but its identity; empty where no name is known."""
    return {} if name is None else {"dataset_name": name}
