"""Boxes of a reply beside those of the gold, for average precision over the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from mmeval.boxes import truth
from mmeval.boxes.annotations import Annotations, AnnotationSets
from mmeval.boxes.categories import ONE, Names, NamesOf
from mmeval.boxes.geometry import Form, Frame, frame, strange, to_xywh
from mmeval.boxes.golds import Gold
from mmeval.boxes.lending import lend, read_detections
from mmeval.boxes.matching import match
from mmeval.boxes.model import Box, Placed
from mmeval.boxes.reading import read_boxes
from mmeval.boxes.truth import Truth
from mmeval.errors import UsageError
from mmeval.fingerprint import canonical
from mmeval.types import Case, Invalid, Json, Measured, Outcome, Sample

_names_of = NamesOf()
_NO_FILE: Json = {"no file": "of the tool"}


class _Scene(NamedTuple):
    """What is known of a row before its reply is read."""

    image: str
    truth: Truth
    names: Names
    asked: str | None


@dataclass(frozen=True)
class BoxAp:
    """What a reply's boxes found and missed; the number, AP, is made over the whole run.

    Formula: none per row. Evidence: the boxes in pixels as x, y, width, height, in the reply's order, with
    score and category; the golds; what was dropped and why; and one-to-one matches at IoU 0.5, best overlap
    first and whatever the order of the boxes (tp, fp, fn, mean_iou, f1 = 2 tp / (2 tp + fp + fn), 0..1).

    The coordinates are declared, never found out: `grid` (1000, 1024, 999, 100, 1: the number at the image's
    far edge; or pixels) and `form` (xyxy, yxyx, xywh, cxcywh); `gold_grid` and `gold_form` those of the row's
    own golds. A grid needs the row's width and height. Golds come from the resource `annotations` where
    there is one, else from the row's `answer`; an empty list is an image without objects.

    Categories: `single_class` takes all for one; `category_field` names the field of the category that the
    row asks for, which every box of it then has; else a box's own number or label, compared by `label_match`
    with the resource `categories` or the annotations' own. A label that is in neither is dropped.
    `image_field` names the image where several rows are about one; without it each row is an image.

    Scores: `response`, the model's own (1 without one); `constant`, 1 for every box, so that AP depends on
    order; `original`, the resource `tool_detections` lends score and place at IoU 0.5 or more, 0.5 for boxes
    that it does not lend to; `auto`, both where there are tool detections (`original` counts), else
    `constant`. A row's file is called by its field `index`, by its id where it has none. Boxes scored below
    `min_score` are dropped; of more than `max_boxes` the best scored stay.
    `evaluator: lvis` passes on which categories are absent and which not labelled in full.

    A reply without boxes has none, which is an answer; a row without a reply is invalid, and its golds stay
    to be found. Source: cocodataset/cocoapi PythonAPI/pycocotools/cocoeval.py @ 8c9bcc3c; coordinates after
    QwenLM/Qwen3-VL evaluation @ 96588727e44c.
    """

    version: ClassVar[int] = 1
    grader: ClassVar[bool] = True
    own_gold: ClassVar[bool] = True
    per_row: ClassVar[bool] = True
    resources: ClassVar[tuple[str, ...]] = ("annotations", "categories", "tool_detections")
    resource_kinds: ClassVar[dict[str, str]] = {"annotations": "coco", "tool_detections": "rows"}
    environment: ClassVar[dict[str, str]] = {"score_mode": "SCORE_MODE"}

    grid: str | int = "1000"
    form: Form = "xyxy"
    gold_grid: str | int = "pixels"
    gold_form: Form = "xywh"
    tool_grid: str | int = "pixels"
    tool_form: Form = "xyxy"
    single_class: bool = False
    category_field: str | None = None
    image_field: str | None = None
    label_match: Literal["case_insensitive", "exact"] = "case_insensitive"
    score_mode: Literal["auto", "response", "constant", "original"] = "auto"
    evaluator: Literal["coco", "lvis"] = "coco"
    min_score: float | None = None
    max_boxes: int = 100_000

    def __post_init__(self) -> None:
        """Refuse unknown names with the known ones."""
        for grid, form in (
            (self.grid, self.form),
            (self.gold_grid, self.gold_form),
            (self.tool_grid, self.tool_form),
        ):
            frame(grid, form)
        for name, value, known in (
            ("label_match", self.label_match, ("case_insensitive", "exact")),
            ("score_mode", self.score_mode, ("auto", "response", "constant", "original")),
            ("evaluator", self.evaluator, ("coco", "lvis")),
        ):
            if value not in known:
                raise UsageError(f"{name} is {value!r}; choose one of {', '.join(known)}")
        if self.max_boxes < 1:
            raise UsageError(f"max_boxes is {self.max_boxes}; at least 1 box has to stay")

    def __call__(self, case: Case) -> Outcome:
        """Read the boxes of one reply, and put them beside the golds of its image."""
        scene = self._scene(case.sample, case.resources)
        if isinstance(scene, str):
            return Invalid(scene)
        where = frame(self.grid, self.form, scene.truth.width, scene.truth.height)
        if not where.sized:
            return Invalid("missing-image-size")
        if self.score_mode == "original" and "tool_detections" not in case.resources:
            return Invalid("no-tool-detections")
        read = read_boxes(case.prediction)
        dropped = Counter(read.dropped)
        boxes, unscored = self._placed(read.boxes, where, scene, dropped)
        notes = [*strange(read.boxes, where), *_apart(read.boxes, scene), *unscored]
        evidence = self._evidence(scene, boxes)
        evidence |= _labels(evidence, scene.names)
        evidence |= self._modes(case, scene, boxes, notes)
        evidence |= {"dropped": dict(sorted(dropped.items())), "how": read.how, "notes": notes}
        return Measured(evidence, f"{len(boxes)} boxes" if boxes else None)

    def _scene(self, sample: Sample, resources: dict[str, Any]) -> _Scene | str:
        """The image, what there is to find on it, and how its categories are called."""
        image = str(sample.id)
        if self.image_field is not None:
            told = canonical(sample.fields.get(self.image_field))
            if not isinstance(told, str) or not told:
                return "no-image-name"
            image = told
        source = resources.get("annotations")
        found = None
        if isinstance(source, Annotations | AnnotationSets):
            found = truth.file_of(source, sample.fields)
            if found is None:
                return "no-annotations"
            there = truth.from_file(found, sample, truth.image_names(sample, self.image_field))
        else:
            there = truth.from_row(sample, lambda w, h: frame(self.gold_grid, self.gold_form, w, h))
        if isinstance(there, str):
            return there
        names = _names_of(resources.get("categories", found), self.label_match == "case_insensitive")
        scene = self._asked(_Scene(image, there, names, None), sample)
        return scene if isinstance(scene, str) else _named_golds(scene)

    def _asked(self, scene: _Scene, sample: Sample) -> _Scene | str:
        """The scene with the one category that the row asks for, if it does."""
        if self.single_class:
            return scene._replace(asked=ONE)
        if self.category_field is None:
            return scene
        told = canonical(sample.fields.get(self.category_field))
        asked = scene.names.of(told, None) if isinstance(told, str) else None
        if asked is None:
            return "no-category-named"
        golds = truth.of_category(scene.truth.golds, scene.names, asked)
        there = Truth(
            golds,
            scene.truth.width,
            scene.truth.height,
            scene.truth.negative,
            scene.truth.not_exhaustive,
        )
        return scene._replace(truth=there, asked=asked)

    def _placed(
        self, boxes: Sequence[Box], where: Frame, scene: _Scene, dropped: Counter[str]
    ) -> tuple[list[Placed], list[str]]:
        """The boxes that can be used, in pixels and in the reply's order; the others are counted."""
        placed, unscored = [], 0
        for box in boxes:
            if self.min_score is not None and box.score is not None and box.score < self.min_score:
                dropped["low-score"] += 1
                continue
            xywh = to_xywh(box.values, where)
            if isinstance(xywh, str):
                dropped[xywh] += 1
                continue
            category = scene.asked or scene.names.of(box.label, box.category_id)
            if category is None:
                dropped["no-label" if box.label is None and box.category_id is None else "unknown-label"] += 1
                continue
            unscored += box.score is None
            placed.append(Placed(xywh, category, self._score(box)))
        kept = _best(placed, self.max_boxes)
        if len(kept) < len(placed):
            dropped["over-limit"] += len(placed) - len(kept)
        said = self.score_mode == "response" and unscored
        return kept, [f"{unscored} boxes have no score of their own and count with 1"] if said else []

    def _score(self, box: Box) -> float:
        return 1.0 if self.score_mode != "response" or box.score is None else box.score

    def _evidence(self, scene: _Scene, boxes: Sequence[Placed]) -> dict[str, Json]:
        """Boxes, golds, and who met whom."""
        golds = [_named(gold, scene) for gold in scene.truth.golds]
        met = match(boxes, golds)
        negative, partly = self._federated(scene, golds)
        unjudged = self._unjudged(
            boxes, met.unmatched_preds, {gold.category for gold in golds}, negative, partly
        )
        return {
            "image": scene.image,
            "width": scene.truth.width,
            "height": scene.truth.height,
            "boxes": [{"box": list(b.xywh), "score": b.score, "category": b.category} for b in boxes],
            "golds": [_written(gold) for gold in golds],
            "negative": negative,
            "not_exhaustive": partly,
            "tp": len(met.pairs),
            "fp": len(met.unmatched_preds) - len(unjudged),
            "fn": len(met.unmatched_golds),
            "mean_iou": met.mean_iou,
            "f1": _f1(len(met.pairs), len(met.unmatched_preds) - len(unjudged), len(met.unmatched_golds)),
            "matches": [list(pair) for pair in met.pairs],
            "absorbed": list(met.absorbed),
            "unjudged": unjudged,
        }

    def _federated(self, scene: _Scene, golds: Sequence[Gold]) -> tuple[list[Json], list[Json]]:
        """The categories that are verified to be absent, and those that are not labelled in full."""
        if self.evaluator == "coco":
            return [], []
        negative = [str(number) for number in scene.truth.negative]
        partly = [str(number) for number in scene.truth.not_exhaustive]
        if self.category_field is None or self.single_class:
            return [*negative], [*partly]
        asked = scene.asked
        absent = not golds and (asked in negative or not negative)
        return [asked] if absent else [], [asked] if asked in partly else []

    def _unjudged(
        self,
        boxes: Sequence[Placed],
        alone: Sequence[int],
        positive: set[str],
        negative: Sequence[Json],
        partly: Sequence[Json],
    ) -> list[Json]:
        """The boxes without a gold of which LVIS does not say that they are false."""
        if self.evaluator == "coco":
            return []
        judged = (positive | {str(each) for each in negative}) - {str(each) for each in partly}
        return [place for place in alone if boxes[place].category not in judged]

    def _modes(self, case: Case, scene: _Scene, boxes: Sequence[Placed], notes: list[str]) -> dict[str, Json]:
        """What a tool's detections lend, where there are any; what is odd about them is noted."""
        tools = case.resources.get("tool_detections")
        if self.score_mode not in ("auto", "original") or tools is None:
            return {}
        where = frame(self.tool_grid, self.tool_form, scene.truth.width, scene.truth.height)
        if not where.sized:
            return {}
        index = canonical(case.sample.fields.get("index"))
        key = index if isinstance(index, str) and index else str(case.sample.id)
        told = tools.get(key, _NO_FILE)
        found, unusable = read_detections([] if told is _NO_FILE else told, where, scene.names)
        if unusable:
            notes.append(f"{unusable} detections of the tool are no box with a score, and lend nothing")
        if scene.asked is not None:
            found = tuple(Placed(each.xywh, "", each.score) for each in found)
        scores, places = lend(boxes, found)
        lent: dict[str, Json] = {"scores": [*scores], "boxes": [list(place) for place in places]}
        if told is _NO_FILE:
            lent["missing"] = True
        return {"modes": {"constant": [1.0] * len(boxes), "original": lent}}


def _apart(boxes: Sequence[Box], scene: _Scene) -> tuple[str, ...]:
    """Whether golds and boxes are called in two ways that nothing brings together."""
    golds = scene.truth.golds
    if scene.asked is not None or scene.names.known or not boxes or not golds:
        return ()
    labelled = {each.label is not None for each in boxes}
    if labelled & {each.label is not None for each in golds}:
        return ()
    mine, theirs = ("label", "number") if True in labelled else ("number", "label")
    return (
        f"the boxes tell their category by {mine}, the golds by {theirs}; the resource categories, a list "
        "with both, brings them together",
    )


def _labels(evidence: dict[str, Json], names: Names) -> dict[str, Json]:
    """What the numbers of this row's categories stand for, where that is known."""
    listed = [*_dicts(evidence["golds"]), *_dicts(evidence["boxes"])]
    labels: dict[str, Json] = {
        category: label
        for category in dict.fromkeys(str(each["category"]) for each in listed)
        if (label := names.label(category))
    }
    return {"labels": labels} if labels else {}


def _dicts(value: Json) -> list[dict[str, Json]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _named_golds(scene: _Scene) -> _Scene | str:
    """The scene; or what is wrong with a gold of no category where none is asked for: nobody can find it."""
    for place, gold in enumerate(scene.truth.golds if scene.asked is None else ()):
        if gold.label is None and gold.category_id is None:
            return f"unparsable-gold: box {place} has no category; single_class takes all for one"
    return scene


def _f1(tp: int, fp: int, fn: int) -> float:
    return 2 * tp / (2 * tp + fp + fn) if tp or fp or fn else 1.0


def _best(boxes: list[Placed], most: int) -> list[Placed]:
    """The best scored boxes in their own order; of equal ones the first."""
    if len(boxes) <= most:
        return boxes
    ranked = sorted(range(len(boxes)), key=lambda place: -boxes[place].score)
    return [boxes[place] for place in sorted(ranked[:most])]


def _named(gold: Gold, scene: _Scene) -> Gold:
    """A gold with the one name of its category; one that nobody knows keeps its own."""
    name = scene.asked or scene.names.of(gold.label, gold.category_id) or gold.category
    return Gold(gold.xywh, gold.area, name, None, gold.crowd, gold.id)


def _written(gold: Gold) -> dict[str, Json]:
    written: dict[str, Json] = {
        "box": list(gold.xywh),
        "category": gold.category,
        "area": gold.area,
        "crowd": gold.crowd,
    }
    return written if gold.id is None else {**written, "id": gold.id}
