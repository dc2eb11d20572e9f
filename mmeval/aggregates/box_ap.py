"""Average precision of boxes: box-ap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from mmeval.aggregates._boxes import Boxed, boxed
from mmeval.aggregates._table import Keys, groups, keys, name_of, sample_fields
from mmeval.detection.backends import Backend, Choice, backend
from mmeval.detection.columns import Columns, Pool
from mmeval.detection.evidence import BoxEvidence, Corners
from mmeval.detection.figures import GROUPS, names
from mmeval.detection.frequencies import frequencies_of
from mmeval.detection.measure import Numbers, measure
from mmeval.detection.protocol import Caps, Evaluator, caps
from mmeval.errors import MetadataError
from mmeval.stats import UNKNOWN, Interval, mean
from mmeval.types import Reduced, Row

Mode: TypeAlias = Literal["primary", "response", "constant", "original"]

DRAWS = 1000
TIES = "every score is equal: ties are settled by image, then by place in the reply, and AP depends on it"


class _Lent(NamedTuple):
    """Scores and boxes in place of a row's own; None leaves its own."""

    scores: Sequence[float] | None = None
    corners: Sequence[Corners] | None = None


@dataclass(frozen=True)
class BoxAp:
    """Average precision of boxes over a run, exactly as COCOeval or LVISEval define it.

    AP = mean over IoU 0.50, 0.55 ... 0.95, over 101 recall points and over categories with a gold box of the
    interpolated precision; AP50, AP75 at one IoU; APs, APm, APl for golds below 32^2, up to 96^2 and above
    square pixels; AR = mean of the largest recall. All 0..1. `coco`: `max_dets` per image and category, 100
    with AR1 and AR10, or a list; crowds absorb. `lvis`: `max_dets` (300) per image over all categories; only
    categories with a gold box in the image or verified to be absent from it count; APr, APc, APf by the
    frequency of a category. Nothing to measure (the official -1) is None, and so is all of a run without
    gold boxes; without a predicted box AP is 0. `value` chooses the headline, all numbers are parts;
    `per_category` adds `AP:<category>`.

    All rows of one image are pooled first, its golds taken once. Ties keep the order of images (by number
    where their ids are numbers, else as they come), then of rows, then of the reply. `mode` chooses the
    scores: `response` and its own boxes; `constant`, all equal; `original`, scores and boxes lent by a tool's
    detections; `primary`, the lent ones where there are any, else the response's. `by` names fields: the
    value and each number are unweighted means over the groups that have one, parts `<group>.AP` etc.
    `categories` counts only these. `frequencies` gives the group (r, c, f) of
    each LVIS category, else the resource `categories` or `annotations` does.

    A row without a prediction is an image without detections; failed rows, and those without a usable gold,
    are left out and named. Interval: none, for AP is no mean over rows; with `interval: bootstrap` a seeded
    percentile interval over 1,000 draws of images (as many evaluations).

    `group_decimals`: each group's numbers as a script prints them, rounded to so many decimals and -1 where
    there is nothing to measure, before the mean over groups (Qwen3-VL: 3). `groups`: the groups that the
    mean is over as published; those of them that have no value here, and others, are named.

    `backend`: `hotcoco`, `reference` (pycocotools, LVISEval), or `auto`; they give the same bits, and a note
    says which ran.

    Source: cocodataset/cocoapi PythonAPI/pycocotools/cocoeval.py@8c9bcc3c; lvis-dataset/lvis-api
    lvis/eval.py@7d7f07de.
    """

    reduce: ClassVar[str] = "box-ap"
    version: ClassVar[int] = 1
    resources: ClassVar[tuple[str, ...]] = ("categories", "annotations")
    evaluator: Evaluator = "coco"
    value: str = "AP"
    max_dets: int | tuple[int, ...] | None = None
    mode: Mode = "primary"
    by: Keys = ()
    categories: tuple[str, ...] = ()
    per_category: bool = False
    frequencies: dict[str, str] | None = None
    interval: Literal["none", "bootstrap"] = "none"
    backend: Choice = "auto"
    group_decimals: int | None = None
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        known = names(self._caps)
        if self.value not in known:
            raise MetadataError(
                f"aggregate {self.reduce}: value {self.value!r} must be one of {', '.join(known)}"
            )

    @property
    def _caps(self) -> Caps:
        return caps(self.evaluator, self.max_dets)

    def with_resources(self, given: Mapping[str, Any]) -> BoxAp:
        """The same aggregate, knowing what a file says of the categories' frequency."""
        if self.evaluator == "coco" or self.frequencies is not None:
            return self
        for name in self.resources:
            found = frequencies_of(given[name], name) if name in given else {}
            if found:
                return replace(self, frequencies=found)
        return self

    @property
    def of_files(self) -> tuple[str, ...]:
        """The numbers that the rows alone do not give: those by the frequency of a category."""
        by_file = self.evaluator == "lvis" and self.frequencies is None
        return tuple(f"AP{group}" for group in GROUPS) if by_file else ()

    @property
    def libraries(self) -> tuple[str, ...]:
        """The library that evaluates here; its version is part of the score."""
        return (backend(self.backend, self.evaluator).name.partition(" ")[0],)

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(*keys(self.by))

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The numbers of these rows."""
        found = boxed(rows)
        lacking = [row.id for row, said in zip(found.rows, found.evidence, strict=True) if self._lacks(said)]
        if not found.complete or not found.rows or lacking:
            unknown = dict.fromkeys(names(self._caps))
            return Reduced(None, 0, parts=unknown, notes=(*found.notes, *_no_tool(lacking, len(rows))))
        asked = backend(self.backend, self.evaluator)
        columns = self._columns_by_group(found)
        made = {name: measure(each, self._caps, asked, self.frequencies) for name, each in columns.items()}
        official = self._over_groups([each.official for each in made.values()])
        notes = (f"backend {asked.name}", *self._notes(columns, made), *self._unlent(found), *found.notes)
        notes = (*notes, *self._shared(found))
        n = sum(len(each.images) for each in columns.values())
        interval = self._bootstrap(list(columns.values()), asked)
        return Reduced(official[self.value], n, *interval, {**official, **self._parts(made)}, notes)

    def _columns_by_group(self, found: Boxed) -> dict[str, Columns]:
        """The boxes of each group; of all rows where `by` names no field."""
        if not keys(self.by):
            return {"": self._columns(found.evidence)}
        return {
            name_of(group): self._columns(found.evidence[place] for place in where)
            for group, where in groups(found.rows, self.by, self.reduce).items()
        }

    def _lacks(self, said: BoxEvidence) -> bool:
        """Whether a tool's detections are asked for, and none were there for these boxes."""
        return (
            self.mode == "original"
            and bool(said.boxes)
            and (said.modes is None or said.modes.original is None)
        )

    def _columns(self, evidence: Iterable[BoxEvidence]) -> Columns:
        """The boxes of these rows, by image."""
        pool = Pool()
        counted = set(self.categories)
        for said in evidence:
            golds = [gold for gold in said.golds if not counted or gold.category in counted]
            lent = self._lent(said)
            pool.add_image(said.image, golds, said.negative, said.not_exhaustive)
            pool.add_boxes(said.image, said.boxes, lent.scores, lent.corners)
        return pool.columns()

    def _lent(self, said: BoxEvidence) -> _Lent:
        """The scores and boxes that the mode takes."""
        modes = said.modes
        if self.mode == "constant":
            given = None if modes is None else modes.constant
            return _Lent([1.0] * len(said.boxes) if given is None else given)
        if self.mode in ("original", "primary") and modes is not None and modes.original is not None:
            return _Lent(modes.original.scores, modes.original.boxes)
        return _Lent()

    def _unlent(self, found: Boxed) -> tuple[str, ...]:
        """How many rows a tool has no file for, where its detections count."""
        if self.mode not in ("original", "primary"):
            return ()
        lent = [
            (row.id, said.modes.original.missing)
            for row, said in zip(found.rows, found.evidence, strict=True)
            if said.modes is not None and said.modes.original is not None
        ]
        without = [name for name, missing in lent if missing]
        if not without:
            return ()
        return (
            f"{len(without)} of {len(lent)} rows have no file of the tool: their boxes score 0.5 "
            f"(first: sample {without[0]})",
        )

    def _shared(self, found: Boxed) -> tuple[str, ...]:
        """How many images rows of several subsets are about, which are pooled."""
        first: dict[tuple[object, ...], str | None] = {}
        shared: dict[str, None] = {}
        for row, said in zip(found.rows, found.evidence, strict=True):
            key = (*(row.fields.get(name) for name in keys(self.by)), said.image)
            if first.setdefault(key, row.subset) != row.subset:
                shared[said.image] = None
        told = "1 image is" if len(shared) == 1 else f"{len(shared)} images are"
        where = f"{told} in several subsets (first: {next(iter(shared), '')})"
        return (f"{where}: all boxes of one count together, its golds once",) if shared else ()

    def _over_groups(self, figures: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
        """The unweighted mean of each number over the groups that have it, or of what a script prints."""
        columns = {name: [each[name] for each in figures] for name in figures[0]}
        if self.group_decimals is not None:
            places = self.group_decimals
            return {name: mean([_printed(each, places) for each in said]) for name, said in columns.items()}
        return {name: mean([each for each in said if each is not None]) for name, said in columns.items()}

    def _parts(self, made: Mapping[str, Numbers]) -> dict[str, float | None]:
        """The numbers of each group, and AP of each category."""
        parts: dict[str, float | None] = {}
        for group, each in made.items():
            before = f"{group}." if keys(self.by) else ""
            if before:
                parts |= {f"{before}{name}": value for name, value in each.official.items()}
            if self.per_category:
                parts |= {f"{before}AP:{name}": value for name, value in each.categories.items()}
        return parts

    def _notes(self, columns: Mapping[str, Columns], made: Mapping[str, Numbers]) -> tuple[str, ...]:
        """What a reader must know of these numbers, each once."""
        notes = [note for each in made.values() for note in each.notes]
        stray = sum(each.stray for each in columns.values())
        if stray and not self.categories:
            notes.append(
                f"{stray} predicted boxes are of categories without any gold box, which count nowhere"
            )
        if any(_all_equal(each) for each in columns.values()):
            notes.append(TIES)
        empty = [name for name, each in made.items() if each.official[self.value] is None]
        if keys(self.by) and empty:
            notes.append(f"{len(empty)} of {len(made)} groups have no {self.value}: {', '.join(empty)}")
        return tuple(dict.fromkeys([*notes, *self.partial(self._parts(made))]))

    def partial(self, parts: Mapping[str, float | None]) -> tuple[str, ...]:
        """What to tell of a mean over other groups than those that are published."""
        if not self.groups:
            return ()
        end = f".{self.value}"
        there = {name.removesuffix(end): value for name, value in parts.items() if name.endswith(end)}
        lacking = [name for name in self.groups if there.get(name) is None]
        strange = [name for name in there if name not in self.groups]
        said = []
        if lacking:
            whole = len(self.groups)
            said.append(
                f"the mean is over {whole - len(lacking)} of the {whole} published groups; without a value: "
                + ", ".join(lacking)
            )
        if strange:
            said.append(f"the mean counts groups that are none of the published ones: {', '.join(strange)}")
        return tuple(said)

    def _bootstrap(self, columns: Sequence[Columns], asked: Backend) -> Interval:
        """A percentile interval over draws of images within each group."""
        if self.interval == "none" or all(len(each.images) < 2 for each in columns):
            return UNKNOWN
        import numpy as np

        generator = np.random.Generator(np.random.PCG64(0))
        drawn = []
        for _ in range(DRAWS):
            chosen = [np.sort(generator.integers(0, len(each.images), len(each.images))) for each in columns]
            draws = [each.drawn(places) for each, places in zip(columns, chosen, strict=True)]
            figures = [measure(each, self._caps, asked, self.frequencies).official for each in draws]
            drawn.append(self._over_groups(figures)[self.value])
        values = np.array([value for value in drawn if value is not None])
        stderr = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        if not stderr:
            return UNKNOWN
        low, high = (float(end) for end in np.quantile(values, [0.025, 0.975]))
        return Interval(stderr, (low, high), "bootstrap")


def _printed(value: float | None, decimals: int) -> float:
    """A number as a script prints it that rounds, and that knows of -1 for nothing to measure."""
    import numpy as np

    return -1.0 if value is None else float(np.round(value, decimals))


def _all_equal(columns: Columns) -> bool:
    scores = columns.detections.score
    return len(scores) > 1 and bool((scores == scores[0]).all())


def _no_tool(lacking: Sequence[str], total: int) -> tuple[str, ...]:
    if not lacking:
        return ()
    return (
        f"{len(lacking)} of {total} rows have no detections of a tool to lend scores "
        f"(first: sample {lacking[0]})",
    )
