"""Which predicted box found which gold box, whatever the order of either; for diagnostics, not for AP."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
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
        found.extend(
            overlaps(preds, golds, _first(preds, places, len(single[category])), single[category], threshold)
        )
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


def _first(preds: Sequence[Placed], places: Sequence[int], most: int) -> list[int]:
    """The places without those whose box was there `most` times before: no more of them can find a gold.

    A model that runs in circles says one box a hundred thousand times.
    """
    seen: Counter[XYWH] = Counter()
    kept = []
    for place in places:
        box = preds[place].xywh
        if seen[box] < most:
            seen[box] += 1
            kept.append(place)
    return kept


def overlaps(
    preds: Sequence[Placed],
    golds: Sequence[Gold | Placed],
    mine: Sequence[int],
    theirs: Sequence[int],
    threshold: float,
) -> list[tuple[float, XYWH, XYWH, int, int]]:
    """Every pair at or above the threshold: minus IoU, both boxes, their places; of the places given alone.

    Two boxes can only reach an IoU of t if neither is wider than 1/t times the other, and their common part
    is at least t times as wide as the wider one; the same holds for heights. So their centres are near, which
    keeps a hundred thousand boxes on an image of thousands from being compared one by one.
    """
    centred = sorted((*_centre(golds[place].xywh), place) for place in theirs)
    centres = [centre for centre, _, _ in centred]
    found = []
    for place in mine:
        box = preds[place].xywh
        (x, y), across = _centre(box), _reach(box[0], box[2], threshold)
        down = _reach(box[1], box[3], threshold)
        near = centred[bisect_left(centres, x - across) : bisect_right(centres, x + across)]
        for other in [other for _, height, other in near if -down <= height - y <= down]:
            overlap = iou(box, golds[other].xywh)
            if overlap >= threshold:
                found.append((-overlap, box, golds[other].xywh, place, other))
    return found


def _centre(box: XYWH) -> tuple[float, float]:
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def _reach(start: float, length: float, threshold: float) -> float:
    """How far from a box's centre another one's can be, along one side, that overlaps it by the threshold.

    Of lengths w <= v the distance is at most (w + v) / 2 - t v, and v at most w / t: largest at v = w / t for
    t below 0.5, else at v = w. Some is added for what rounding takes.
    """
    if threshold <= 0:
        return math.inf
    exact = length * (1 - threshold) if threshold >= 0.5 else length * (0.5 / threshold - 0.5)
    return exact * _SLACK + (abs(start) + length) * 1e-9


def _greedy(found: list[tuple[float, XYWH, XYWH, int, int]]) -> list[tuple[int, int, float]]:
    """The best pair first, then the best of those whose boxes are both free."""
    pairs, taken, met = [], set(), set()
    for negative, _, _, mine, theirs in sorted(found):
        if mine not in taken and theirs not in met:
            taken.add(mine)
            met.add(theirs)
            pairs.append((mine, theirs, -negative))
    return pairs
