"""Contracts: what kinds of answer a judge may be asked for.

A contract is built from its name and parameters (`build_contract`). It says in words and as a JSON Schema how
the judge must reply, and it alone reads the reply: exactly one verdict, or `Unreadable`. Nothing is guessed:
a word outside the vocabulary, two verdicts, a number out of range, a verdict that stands in a quotation of
what the judge was shown are no verdict.

Loaded only where a judge is asked; the contracts themselves (pydantic) only when one is built.
"""

from __future__ import annotations

import difflib
import importlib
import json
from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache

from mmeval.errors import MetadataError
from mmeval.judge.contracts.base import Contract
from mmeval.types import Json

NAMES = (
    *("binary", "checklist", "extract-option", "extract-value", "pairwise", "partial-credit", "scale"),
    "three-way",
)


def build_contract(name: str, params: Mapping[str, Json], reason: bool = False) -> Contract:
    """The contract of this name with these parameters.

    Args:
        name: one of `NAMES`.
        params: its parameters, as its class documents them.
        reason: whether the judge is asked for a sentence of explanation too.

    Raises:
        MetadataError: no such contract or parameter (the nearest name is given), or a value that it refuses.
    """
    try:
        written = json.dumps(dict(params), ensure_ascii=False)
    except TypeError as error:
        raise MetadataError(f"contract {name}: parameters must be JSON: {error}") from None
    return _build(name, written, reason)


@lru_cache(maxsize=2048)
def _build(name: str, written: str, reason: bool) -> Contract:
    if name not in NAMES:
        raise MetadataError(f"no contract {name!r}; {_nearest(name, NAMES)}")
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    made = getattr(module, "".join(part.capitalize() for part in name.split("-")))
    params = json.loads(written)
    known = sorted(field.name for field in fields(made) if field.name != "reason")
    for each in params:
        if each not in known:
            raise MetadataError(f"contract {name}: no parameter {each!r}; {_nearest(each, known)}")
    try:
        contract: Contract = made(**params, reason=reason)
    except ValueError as error:
        raise MetadataError(f"contract {name}: {_says(error)}") from None
    return contract


def _nearest(name: str, known: tuple[str, ...] | list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"


def _says(error: ValueError) -> str:
    """The first thing that is wrong, in one line."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    says = first["msg"].removeprefix("Value error, ")
    return f"{where}: {says}" if where else says
