"""The boxes of one sample in words: which were found, missed and made up, and what was dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from mmeval.boxes.geometry import iou

Evidence: TypeAlias = Mapping[str, Any]
Kind: TypeAlias = Literal["found", "matched", "missed", "false", "aside", "gold", "read"]
SHOWN = 30


class Drawn(NamedTuple):
    """One box of a sample: what became of it, its place (x, y, width, height), its category and more."""

    kind: Kind
    box: tuple[float, float, float, float]
    category: str
    more: str


def has_boxes(evidence: object) -> bool:
    """Whether this is what a stage for boxes says of a row."""
    return isinstance(evidence, Mapping) and isinstance(evidence.get("golds"), list) and "width" in evidence


def drawn(evidence: Evidence) -> list[Drawn]:
    """Every box of a row: the golds first (`found`, `missed`, `aside`, or `gold` where nobody matched).

    Then the reply's (`matched`, `false`, `aside`, or `read`).
    """
    labels = evidence.get("labels", {})
    golds, boxes = _called(evidence["golds"], labels), _called(evidence.get("boxes", []), labels)
    if "matches" not in evidence:
        overlap = f"IoU {evidence['iou']:.3f}" if "iou" in evidence else ""
        return [
            *(_drawn("gold", gold, "") for gold in golds),
            *(_drawn("read", box, overlap) for box in boxes),
        ]
    pairs = {box: (gold, overlap) for box, gold, overlap in evidence["matches"]}
    met = dict(pairs.values())
    aside = {*evidence["absorbed"], *evidence["unjudged"]}
    found = [_gold(place, gold, met, boxes) for place, gold in enumerate(golds)]
    lent = _lent(evidence)
    return [*found, *(_said(place, box, pairs, aside, lent) for place, box in enumerate(boxes))]


def _lent(evidence: Evidence) -> Sequence[float]:
    """The scores that a tool's detections lend to the boxes of a row; none where they do not."""
    original = (evidence.get("modes") or {}).get("original") or {}
    scores: Sequence[float] = original.get("scores", ())
    return scores


def _called(boxes: Sequence[Evidence], labels: Mapping[str, str]) -> Sequence[Evidence]:
    """Boxes whose category is as people read it: its label, and the number that stands for it."""
    return [
        {**box, "category": f"{labels[box['category']]} ({box['category']})"}
        if box.get("category") in labels
        else box
        for box in boxes
    ]


def _gold(place: int, gold: Evidence, met: Mapping[int, float], boxes: Sequence[Evidence]) -> Drawn:
    if gold["crowd"]:
        return _drawn("aside", gold, "a crowd")
    if place in met:
        return _drawn("found", gold, f"IoU {met[place]:.3f}")
    best = max(
        ((iou(tuple(box["box"]), tuple(gold["box"])), box["category"]) for box in boxes), default=(0.0, "")
    )
    nearest = (
        f"nearest box: IoU {best[0]:.3f}, {best[1] or '(no label)'}" if best[0] else "no box overlaps it"
    )
    return _drawn("missed", gold, nearest)


def _said(
    place: int,
    box: Evidence,
    pairs: Mapping[int, tuple[int, float]],
    aside: set[int],
    lent: Sequence[float],
) -> Drawn:
    score = f"score {box['score']:g}" + (f", {lent[place]:g} by the tool" if lent else "")
    if place in pairs:
        return _drawn("matched", box, f"IoU {pairs[place][1]:.3f}, {score}")
    return _drawn("aside" if place in aside else "false", box, score)


def _drawn(kind: Kind, box: Evidence, more: str) -> Drawn:
    x, y, width, height = box["box"]
    return Drawn(kind, (x, y, width, height), str(box.get("category", "")), more)


def lines(evidence: Evidence) -> list[str]:
    """What a row's evidence says of its boxes, one line each."""
    boxes = drawn(evidence)
    said = [_headline(evidence)]
    for kind, words in (
        ("matched", "found"),
        ("missed", "missed"),
        ("false", "no gold"),
        ("aside", "counts neither way"),
        ("gold", "gold"),
        ("read", "read"),
    ):
        said += _listed(words, [each for each in boxes if each.kind == kind])
    if evidence.get("point"):
        said.append(f"point: {', '.join(f'{value:g}' for value in evidence['point'])}")
    if evidence.get("dropped"):
        counted = ", ".join(f"{count} {reason}" for reason, count in evidence["dropped"].items())
        said.append(f"dropped: {counted}")
    return [*said, *(f"note: {note}" for note in evidence.get("notes", ()))]


def _headline(evidence: Evidence) -> str:
    width, height = evidence["width"], evidence["height"]
    size = f", {width:g} x {height:g} pixels" if width and height else ""
    image = (
        f"image {evidence['image']}{size}" if "image" in evidence else f"image{size}".replace(", ", " of ")
    )
    if "tp" not in evidence:
        return image
    counts = f"{evidence['tp']} found, {evidence['fn']} missed, {evidence['fp']} without a gold"
    mean = "" if evidence["mean_iou"] is None else f", mean IoU {evidence['mean_iou']:.3f}"
    return f"{image}: {counts} at IoU 0.5; F1 {evidence['f1']:.3f}{mean}"


def _listed(words: str, boxes: Sequence[Drawn]) -> Iterable[str]:
    for each in boxes[:SHOWN]:
        place = ", ".join(f"{value:.1f}" for value in each.box)
        parts = [part for part in (each.category, f"[{place}]", each.more) if part]
        yield f"{words}: {'  '.join(parts)}"
    if len(boxes) > SHOWN:
        yield f"{words}: {len(boxes) - SHOWN} more"
