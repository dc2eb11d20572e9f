"""The front matter of a dataset card: which files are which configuration and split.

Only the one key `configs` is read, in the two shapes that the Hub's tools write, so that no YAML library is
needed: a list of `config_name` and `data_files`, the latter one pattern, or a list of `split` and `path`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE = re.compile(r"([ ]*)(-[ ]+)?(?:([\w-]+)[ ]*:(?=[ ]|$))?[ ]*(.*?)[ ]*")


class Pattern(NamedTuple):
    """Files of one configuration that make up one split; `split` is None where the card names none."""

    config: str
    split: str | None
    glob: str


def patterns(card: str) -> tuple[Pattern, ...]:
    """What the card says of its files; empty where it says nothing."""
    lines = [line.rstrip() for line in card.removeprefix("\ufeff").splitlines()]
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        return ()
    return tuple(_patterns(_configs(lines[1 : lines.index("---", 1)])))


def _configs(front: list[str]) -> Iterator[tuple[str | None, str]]:
    """Key and value of every line below `configs:`; list items without a key have None."""
    inside = False
    for line in front:
        found = _LINE.fullmatch(line)
        if found is None or not line.strip() or line.lstrip().startswith("#"):
            continue
        indent, dash, key, value = found.groups()
        if not indent and not dash:
            inside = key == "configs"
        elif inside:
            yield key, _plain(value)


def _plain(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _patterns(lines: Iterator[tuple[str | None, str]]) -> Iterator[Pattern]:
    """Patterns from the lines, each of which speaks for the configuration and split named last."""
    config, split = "default", None
    for key, value in lines:
        if key == "config_name":
            config, split = value, None
        elif key == "split":
            split = value
        elif key == "data_files":
            split = None
        if value and (key in ("path", "data_files") or key is None):
            for glob in _listed(value):
                yield Pattern(config, split, glob)


def _listed(value: str) -> list[str]:
    """One pattern, or several in brackets."""
    if value[0] != "[":
        return [value]
    return [_plain(part.strip()) for part in value.strip("[]").split(",") if part.strip()]
