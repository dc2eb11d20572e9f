"""Many comparisons at once: which files to hold against which, and what of it may be claimed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import msgspec

from mmeval.compare.comparison import Comparison, compare
from mmeval.compare.matching import matched
from mmeval.compare.paired import false_discovery, holm
from mmeval.compare.rows import Side, read_side
from mmeval.errors import UsageError
from mmeval.text.counted import many

IDS = 3


class Family(msgspec.Struct, frozen=True):
    """Comparisons that are made together.

    `holm` holds the adjusted p-values of a claim over the whole family, `fdr` those for screening (Benjamini
    and Hochberg), each in the order of the comparisons and None where a comparison has no p-value. `alone`
    are score files that have no partner.
    """

    comparisons: tuple[Comparison, ...]
    holm: tuple[float | None, ...]
    fdr: tuple[float | None, ...]
    alone: tuple[str, ...]


def compare_all(paths: Sequence[Path], pairwise: bool = False, anyway: bool = False) -> Family:
    """Compare every path with the first one, or each with each.

    Args:
        paths: score files, or folders of them; at least two.
        pairwise: hold each against each.
        anyway: compare scores that were made in different ways.

    Raises:
        UsageError: fewer than two paths, no files that belong together or no sample that is in both, or
            scores made in different ways.
        ResultError: a file is no score, or a damaged one.
    """
    if len(paths) < 2:
        raise UsageError("compare needs two score files or folders, or more; give a second one")
    sides: dict[Path, Side] = {}
    made: list[Comparison] = []
    alone: dict[str, None] = {}
    for a, b in _against(paths, pairwise):
        found = matched(a, b)
        alone |= dict.fromkeys(map(str, found.alone))
        made += [compare(_side(x, sides), _side(y, sides), anyway) for x, y in found.pairs]
    if not any(each.matched for each in made):
        raise UsageError(apart(sides[Path(made[0].a.path)], sides[Path(made[0].b.path)]))
    values = [each.p for each in made]
    return Family(tuple(made), tuple(holm(values)), tuple(false_discovery(values)), tuple(alone))


def apart(a: Side, b: Side) -> str:
    """That two scores have no sample in common, with ids of both to see why."""
    told = "; ".join(f"{side.path} has {_some(side)}" for side in (a, b))
    return (
        f"no sample is in both, so there is nothing to compare ({told}); name two scores of the same "
        "samples, with the same eval-id on both sides"
    )


def _some(side: Side) -> str:
    """The first ids that stand for one row, or what there is instead."""
    ids = list(side.lines)
    if ids:
        return f"{many(len(ids), 'id', 'ids')}: {', '.join(ids[:IDS])}{', ...' if len(ids) > IDS else ''}"
    return "no rows" if not side.ambiguous else f"several rows of every id: {', '.join(side.ambiguous[:IDS])}"


def _against(paths: Sequence[Path], pairwise: bool) -> Iterator[tuple[Path, Path]]:
    return combinations(paths, 2) if pairwise else ((paths[0], other) for other in paths[1:])


def _side(path: Path, known: dict[Path, Side]) -> Side:
    if path not in known:
        known[path] = read_side(path)
    return known[path]
