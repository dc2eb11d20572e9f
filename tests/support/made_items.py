"""What a made-up question is, without its place in a run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Item(NamedTuple):
    """A question without its place in a run: gold, perfect reply, and the dataset's fields."""

    kind: str
    answer: Any
    reply: str
    options: dict[str, str] | None = None
    fields: Mapping[str, Any] = MappingProxyType({})
    subset: str | None = None
