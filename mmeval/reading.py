"""Rule sets: named ways of reading an answer and comparing it with the gold.

One package per kind of question: `mmeval.options` (letters), `mmeval.yes_no`, `mmeval.numbers`,
`mmeval.answers` (free text). Each public module in such a package is one rule set and holds `RULES:
RuleSet`. A rule set named `vlmevalkit-head` is the module `vlmevalkit_head`.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Literal, TypeAlias

import msgspec

from mmeval.errors import UsageError
from mmeval.types import Found, Sample


class Knobs(msgspec.Struct, frozen=True, gc=False):
    """The tolerances and modes that a protocol may set for every rule set.

    `numeric_rel_tol` is relative to the gold and off for gold 0; `numeric_abs_tol` is absolute; both
    inclusive. `string_match`: whole answer (`exact`), reference inside the answer (`contains`), or ANLS
    above `anls_threshold`. `percent`: `strip` reads 24% as 24, `fraction` as 0.24, `refuse` reads no number
    there.
    """

    numeric_rel_tol: float = 0.0
    numeric_abs_tol: float = 0.0
    string_match: Literal["exact", "contains", "anls"] = "exact"
    anls_threshold: float = 0.5
    percent: Literal["strip", "fraction", "refuse"] = "strip"


class Reading(msgspec.Struct, frozen=True, gc=False):
    """What a rule set says of one prediction.

    `found.value` is None where nothing (or more than one thing) was read; then `hit` is None too. `hit` says
    whether what was read is the gold. `invalid` is a reason code where the gold itself cannot be used.
    """

    found: Found
    hit: bool | None = None
    invalid: str | None = None


Grade: TypeAlias = Callable[[str, Sample, Knobs], Reading]


class RuleSet(msgspec.Struct, frozen=True):
    """`exact` reads an answer that is nothing else (stage exact-match), `rule` reads prose (rule-match)."""

    name: str
    exact: Grade
    rule: Grade


@cache
def names(package: str) -> tuple[str, ...]:
    """The rule sets that a package offers, sorted."""
    found = importlib.import_module(package)
    modules = (info.name for info in pkgutil.iter_modules(found.__path__))
    return tuple(sorted(name.replace("_", "-") for name in modules if not name.startswith("_")))


def check(package: str, name: str) -> None:
    """Refuse a rule set that a package such as `mmeval.options` does not have, without loading any.

    Raises:
        UsageError: no such rule set; the message names the nearest one.
    """
    known = names(package)
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}."
        raise UsageError(f"no rule set {name!r} for {package.rpartition('.')[2]}; {hint}")


@cache
def rule_set(package: str, name: str) -> RuleSet:
    """The rule set `name` of a package such as `mmeval.options`, loaded when it is first asked for.

    Raises:
        UsageError: no such rule set; the message names the nearest one.
    """
    check(package, name)
    module = importlib.import_module(f"{package}.{name.replace('-', '_')}")
    rules: RuleSet = module.RULES
    return rules
