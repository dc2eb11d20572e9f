"""Which predicted box found which gold box, whatever the order of either; for diagnostics, not for AP."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from mmeval.boxes.geometry import iou
from mmeval.boxes.golds import Gold
from mmeval.boxes.model import XYWH, Placed

_SLACK = 1 + 1e-9


class Matches(msgspec.Struct, frozen=True):
    """Who met whom: `pairs` of (prediction, gold, IoU) by place, sorted by the prediction's.

    `absorbed` are predictions that a crowd region took up: neither found nor false. A crowd is never among
    the `unmatched_golds`.
    """

    pairs: tuple[tuple[int, int, float], ...]
    unmatched_preds: tuple[int, ...]
    unmatched_golds: tuple[int, ...]
    absorbed: tuple[int, ...] = ()

    @property
    def f1(self) -> float:
        """2 TP / (2 TP + FP + FN), 0..1; 1 where there is nothing to find and nothing was predicted."""
        wrong = len(self.unmatched_preds) + len(self.unmatched_golds)
        return 2 * len(self.pairs) / (2 * len(self.pairs) + wrong) if self.pairs or wrong else 1.0

    @property
    def mean_iou(self) -> float | None:
        """The mean IoU of the pairs; None without one."""
        return sum(pair[2] for pair in self.pairs) / len(self.pairs) if self.pairs else None


def match(preds: Sequence[Placed], golds: Sequence[Gold], threshold: float = 0.5) -> Matches:
    """Pair boxes of the same category one to one, best IoU first, at least `threshold`.

    Ties are broken by the boxes' coordinates, so that shuffled predictions give the same pairs of boxes.
    A prediction left over that lies in a crowd (intersection over its own area at least `threshold`) is
    absorbed.
    """
    found: list[tuple[float, XYWH, XYWH, int, int]] = []
    crowds: dict[str, list[Gold]] = defaultdict(list)
    single: dict[str, list[int]] = defaultdict(list)
    for place, gold in enumerate(golds):
        if gold.crowd:
            crowds[gold.category].append(gold)
        else:
            single[gold.category].append(place)
    mine: dict[str, list[int]] = defaultdict(list)
    for place, pred in enumerate(preds):
        mine[pred.category].append(place)
    for category, places in mine.items():
        found.extend(_overlaps(preds, golds, places, single[category], threshold))
    pairs = _greedy(found)
    taken, met = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    absorbed = [
        place
        for place, pred in enumerate(preds)
        if place not in taken
        and any(iou(pred.xywh, each.xywh, True) >= threshold for each in crowds[pred.category])
    ]
    left = set(range(len(preds))) - taken - set(absorbed)
    missed = [place for place, gold in enumerate(golds) if not gold.crowd and place not in met]
    return Matches(tuple(sorted(pairs)), tuple(sorted(left)), tuple(missed), tuple(absorbed))


def _overlaps(
    preds: Sequence[Placed], golds: Sequence[Gold], mine: list[int], theirs: list[int], threshold: float
) -> list[tuple[float, XYWH, XYWH, int, int]]:
    """Every pair of one category at or above the threshold, with what it is sorted by.

    Two boxes can only reach an IoU of t if neither area is below t times the other.
    """
    sized = sorted((golds[place].xywh[2] * golds[place].xywh[3], place) for place in theirs)
    areas = [area for area, _ in sized]
    found = []
    for place in mine:
        box = preds[place].xywh
        area = box[2] * box[3]
        first = bisect_left(areas, area * threshold / _SLACK)
        last = bisect_right(areas, area / threshold * _SLACK) if threshold else len(areas)
        for _, other in sized[first:last]:
            overlap = iou(box, golds[other].xywh)
            if overlap >= threshold:
                found.append((-overlap, box, golds[other].xywh, place, other))
    return found


def _greedy(found: list[tuple[float, XYWH, XYWH, int, int]]) -> list[tuple[int, int, float]]:
    """The best pair first, then the best of those whose boxes are both free."""
    pairs, taken, met = [], set(), set()
    for negative, _, _, mine, theirs in sorted(found):
        if mine not in taken and theirs not in met:
            taken.add(mine)
            met.add(theirs)
            pairs.append((mine, theirs, -negative))
    return pairs
