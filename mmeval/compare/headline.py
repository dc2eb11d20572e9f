"""The headline of a score made again from its rows, and its paired difference between two scores.

A headline that is a mean of rows or of groups is compared by these. Any other (F1, a ratio, a mean of
several) is compared as a whole: the interval by a grouped jackknife over units, the p-value by exchanging
whole units between the two sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from mmeval.compare.paired import SEED, Paired, detectable, paired
from mmeval.compare.units import said, ties, units
from mmeval.detection.evidence import box_evidence
from mmeval.errors import MmevalError
from mmeval.metadata import Aggregate
from mmeval.stats import Interval, around, mean, t_quantile
from mmeval.summary import Reducer, reduce_all, reducers, selected
from mmeval.types import Row

Value: TypeAlias = Callable[[Sequence[Row]], float | None]

# Aggregates whose value is the mean of what they say of each row by itself.
OF_ROWS = ("mean", "threshold-rate")
OF_GROUPS = ("all-correct",)
NEAR = 1e-9
BLOCKS = 100
EXCHANGES = 999
# With fewer draws or blocks than these nothing is said.
FEWEST = 99
FEWEST_BLOCKS = 20
# Rows that are aggregated at most for one p-value or interval (seconds), for the fewest blocks (two minutes).
WORK = 1_000_000
MOST_WORK = 60_000_000
# How many rows of another aggregate one row of these costs.
COSTS = {"box-ap": 60}
BOXES = ("box-ap", "box-f1", "box-counts")


class Headline(NamedTuple):
    """How the headline of a score is made: its aggregates up to the headline, its own specification."""

    made: tuple[Reducer, ...]
    spec: Aggregate
    specs: tuple[Mapping[str, Any], ...]

    def value(self, rows: Sequence[Row]) -> float | None:
        """The headline of these rows, unscaled."""
        return reduce_all(self.made, rows)[self.spec.name].value

    @property
    def over_subsets(self) -> bool:
        """Whether anything that the headline is made of counts some subsets alone."""
        return any(each.spec.over for each in self.made)

    @property
    def own(self) -> Reducer:
        """The headline's own aggregate."""
        return next(each for each in self.made if each.spec.name == self.spec.name)


def headline_of(config: Mapping[str, Any]) -> Headline | str:
    """The headline as a score declares it; a sentence where its rows alone do not give it."""
    told = tuple(config.get("score_aggregates") or ())
    named = [each for each in told if each.get("headline")]
    if not named:
        return "the score declares no headline"
    needed = _needed(told, named[0])
    try:
        specs = [Aggregate.model_validate(_without_draws(each)) for each in needed]
        made = reducers(specs, "compare")
    except (MmevalError, ValueError) as error:
        return f"its aggregates cannot be made again ({error})"
    found = Headline(made, next(each for each in specs if each.headline), needed)
    return "it is made of files that a score does not hold" if _of_files(found) else found


def _of_files(headline: Headline) -> bool:
    """Whether the headline is one of the numbers that a file beside the rows gives."""
    parts = {name for each in headline.made for name in getattr(each.call, "of", ())}
    for each in headline.made:
        if not getattr(each.call, "resources", ()):
            continue
        own = {each.call.value} if each.spec is headline.spec else set()  # type: ignore[attr-defined]
        asked = own | {name.removeprefix(f"{each.spec.name}.") for name in parts}
        if asked & set(getattr(each.call, "of_files", asked)):
            return True
    return False


def _without_draws(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A specification whose value alone is wanted: no interval of its own by thousands of draws."""
    return {key: value for key, value in spec.items() if (key, value) != ("interval", "bootstrap")}


def _needed(specs: Sequence[Mapping[str, Any]], headline: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The headline and what it is made of, in the order of declaration."""
    wanted = {headline["name"]}
    for each in reversed(specs):
        if each["name"] in wanted:
            of = each.get("of") or ()
            wanted |= {
                other["name"]
                for other in specs
                for name in of
                if name == other["name"] or name.startswith(f"{other['name']}.")
            }
    return tuple(each for each in specs if each["name"] in wanted)


def compared(headline: Headline, a: Sequence[Row], b: Sequence[Row]) -> Paired | str:
    """The paired difference of the headline over rows that both sides have, in the same order.

    A sentence where the rows do not give it.
    """
    if headline.over_subsets and any(row.subset is None for row in (*a, *b)):
        return "it counts some subsets alone, and these scores do not say of each row which one it is of"
    unit = units(a, ties(headline.specs))
    try:
        whole = (headline.value(a), headline.value(b))
        values = (_values(headline, a), _values(headline, b))
    except MmevalError as error:
        return f"it cannot be made of these rows ({error})"
    if whole[0] is None or whole[1] is None:
        return "it is undefined on the rows that both sides have"
    scale = headline.spec.scale
    if values[0] is not None and values[1] is not None and values[0].keys() == values[1].keys():
        numbers = [list(each.values()) for each in values if each is not None]
        if all(_near(mean(each), total) for each, total in zip(numbers, whole, strict=True)):
            owners = [unit[owner] for owner in _owners(headline, a, values[0])]
            return paired(numbers[0], numbers[1], owners, scale)
    return _as_a_whole(headline, a, b, unit, (whole[0], whole[1]))


def _near(value: float | None, total: float | None) -> bool:
    return value is not None and total is not None and math.isclose(value, total, rel_tol=NEAR, abs_tol=NEAR)


def _values(headline: Headline, rows: Sequence[Row]) -> dict[Any, float] | None:
    """The numbers whose mean the headline is, by row or group; None where it is no such mean."""
    if headline.spec.reduce not in (*OF_ROWS, *OF_GROUPS):
        return None
    found: dict[Any, float] = {}
    for key, members in _parts(headline, rows).items():
        value = headline.own.call(members).value
        if value is not None:
            found[key] = value
    return found


def _parts(headline: Headline, rows: Sequence[Row]) -> dict[Any, list[Row]]:
    """The rows of each part that the headline is the mean of."""
    rows = selected(headline.spec, rows)
    if headline.spec.reduce in OF_ROWS:
        return {row.id: [row] for row in rows}
    by = headline.spec.params["by"]
    names = [by] if isinstance(by, str) else by
    parts: dict[Any, list[Row]] = {}
    for row in rows:
        key = tuple(said(row, name) for name in names)
        parts.setdefault(key, []).append(row)
    return parts


def _owners(headline: Headline, rows: Sequence[Row], values: Mapping[Any, float]) -> list[str]:
    """For each number the id of a row that it is made of."""
    parts = _parts(headline, rows)
    return [parts[key][0].id for key in values]


def _as_a_whole(
    headline: Headline,
    a: Sequence[Row],
    b: Sequence[Row],
    unit: Mapping[str, int],
    whole: tuple[float, float],
) -> Paired:
    names = [unit[row.id] for row in a]
    count, scale = len(set(names)), headline.spec.scale
    work = 2 * len(a) * max(COSTS.get(each.spec.reduce, 1) for each in headline.made)
    a, b = _typed(headline, a), _typed(headline, b)
    found, blocks = Interval(), block_count(work, count)
    if blocks:
        found = jackknife(headline.value, a, b, names, blocks).times(scale)
    p, test = _p_value(headline, a, b, names, min(EXCHANGES, WORK // work))
    if p is None and found.stderr is not None:
        p, test = t_test((whole[1] - whole[0]) * scale, found.stderr, blocks - 1), "t of the jackknife"
    return Paired(
        len(a),
        count,
        whole[0] * scale,
        whole[1] * scale,
        (whole[1] - whole[0]) * scale,
        *found,
        p=p,
        test=test,
        detectable=detectable(found),
    )


def block_count(work: int, units: int) -> int:
    """In how many blocks the jackknife leaves out so many units; 0 where the fewest would take minutes.

    `work` is what making the difference once costs, in rows of a plain aggregate.
    """
    fewest = min(FEWEST_BLOCKS, units)
    if fewest * work > MOST_WORK:
        return 0
    return min(BLOCKS, max(fewest, WORK // work), units)


def _typed(headline: Headline, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows with boxes that are read once, not anew for every block."""
    if not all(each.combines or each.spec.reduce in BOXES for each in headline.made):
        return rows
    import msgspec

    return [
        row
        if row.evidence is None
        else msgspec.structs.replace(row, evidence=box_evidence(row.evidence, row.id))
        for row in rows
    ]


def _p_value(
    headline: Headline, a: Sequence[Row], b: Sequence[Row], names: Sequence[int], draws: int
) -> tuple[float | None, str | None]:
    """The p-value of exchanging units, if enough draws are to be had for the work that is allowed."""
    if len(set(names)) < 2 or draws < FEWEST:
        return None, None
    return exchanged(headline.value, a, b, names, draws), f"{draws} exchanges of units"


def t_test(difference: float, stderr: float, df: int) -> float:
    """Two-sided p of a difference by Student's t."""
    from scipy.special import stdtr  # type: ignore[import-untyped]

    return float(2 * stdtr(df, -abs(difference) / stderr))


def jackknife(
    value: Value, a: Sequence[Row], b: Sequence[Row], names: Sequence[int], most: int = BLOCKS
) -> Interval:
    """The error of value(B) - value(A): units are left out in G <= `most` blocks of equal size.

    SE^2 = (G - 1) / G * sum of (theta_g - their mean)^2, t with G - 1 degrees of freedom (Kott 2001, the
    delete-a-group jackknife). Sound for smooth figures such as F1 and ratios. All None for fewer than two
    units, without spread, or where leaving out a block makes the figure undefined.
    """
    order = _shuffled(sorted(set(names)))
    blocks = min(most, len(order))
    if blocks < 2:
        return Interval()
    block = {unit: at % blocks for at, unit in enumerate(order)}
    thetas = []
    for left in range(blocks):
        kept = [at for at, name in enumerate(names) if block[name] != left]
        first, second = value([a[at] for at in kept]), value([b[at] for at in kept])
        if first is None or second is None:
            return Interval()
        thetas.append(second - first)
    centre = math.fsum(thetas) / blocks
    stderr = math.sqrt((blocks - 1) / blocks * math.fsum((theta - centre) ** 2 for theta in thetas))
    whole_a, whole_b = value(a), value(b)
    if whole_a is None or whole_b is None or stderr <= NEAR * max(abs(whole_a), abs(whole_b), NEAR):
        return Interval()
    return around(whole_b - whole_a, stderr, f"jackknife-{blocks}", t_quantile(blocks - 1))


def _shuffled(values: list[int]) -> list[int]:
    import numpy as np

    return [int(each) for each in np.random.default_rng(SEED).permutation(values)]


def exchanged(
    value: Value, a: Sequence[Row], b: Sequence[Row], names: Sequence[int], draws: int = EXCHANGES
) -> float:
    """Two-sided p of the difference when whole units change sides at random, in so many draws.

    p = (1 + draws at least as far from 0 as what was seen) / (1 + draws), from the fixed seed 20240611.
    """
    import numpy as np

    seen = _distance(value(a), value(b))
    differing = sorted({name for name, x, y in zip(names, a, b, strict=True) if x != y})
    if not differing or seen <= NEAR:
        return 1.0
    generator = np.random.default_rng(SEED)
    far = 0
    for _ in range(draws):
        turned = {
            name for name, flip in zip(differing, generator.random(len(differing)), strict=True) if flip < 0.5
        }
        first = [y if name in turned else x for name, x, y in zip(names, a, b, strict=True)]
        second = [x if name in turned else y for name, x, y in zip(names, a, b, strict=True)]
        far += _distance(value(first), value(second)) >= seen - NEAR
    return (1 + far) / (1 + draws)


def _distance(first: float | None, second: float | None) -> float:
    """How far apart two figures are; an undefined one counts as far, so that p is never too small."""
    return math.inf if first is None or second is None else abs(second - first)
