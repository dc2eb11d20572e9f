"""Golds and detections of a whole run as columns: checked, pooled by image, and numbered from 1.

An annotation id of 0 reads as "unmatched" in COCOeval, so names of images and categories become numbers
here, in the order that decides ties: images by their number where every name is one, else as they came;
categories by number, else by name; boxes of an image as they came.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from mmeval.detection.evidence import Corners, SaidBox, TrueBox
from mmeval.errors import StageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]


class Golds(NamedTuple):
    """One entry per gold box: image and category by number, box as x, y, w, h, area, crowd."""

    image: Ints
    category: Ints
    box: Floats
    area: Floats
    crowd: Ints


class Detections(NamedTuple):
    """One entry per detection, in the order that decides ties; category 0 is one without any gold."""

    image: Ints
    category: Ints
    box: Floats
    score: Floats


class Federated(NamedTuple):
    """Of one image: the categories that are verified to be absent, and those not annotated everywhere."""

    negative: tuple[int, ...]
    not_exhaustive: tuple[int, ...]


@dataclass(frozen=True)
class Columns:
    """What an evaluator needs. Image `i` and category `k` are `images[i - 1]` and `categories[k - 1]`.

    Only categories with a gold box count: all others are undefined in every evaluator.
    """

    images: tuple[str, ...]
    categories: tuple[str, ...]
    golds: Golds
    detections: Detections
    federated: tuple[Federated, ...]

    @property
    def stray(self) -> int:
        """How many detections have a category of which there is no gold box anywhere."""
        return int((self.detections.category == 0).sum())

    def drawn(self, chosen: Ints) -> Columns:
        """The images at these places, repeated ones as images of their own."""
        golds, found = self.golds, self.detections
        of_golds = _positions(golds.image, chosen, len(self.images))
        of_found = _positions(found.image, chosen, len(self.images))
        return Columns(
            tuple(self.images[place] for place in chosen.tolist()),
            self.categories,
            Golds(
                of_golds.image,
                golds.category[of_golds.place],
                golds.box[of_golds.place],
                golds.area[of_golds.place],
                golds.crowd[of_golds.place],
            ),
            Detections(
                of_found.image,
                found.category[of_found.place],
                found.box[of_found.place],
                found.score[of_found.place],
            ),
            tuple(self.federated[place] for place in chosen.tolist()),
        )


class _Drawn(NamedTuple):
    image: Ints
    place: Ints


def _positions(image: Ints, chosen: Ints, images: int) -> _Drawn:
    """Where the entries of the chosen images lie, and the number of the image that each belongs to now."""
    import numpy as np

    order = np.argsort(image, kind="stable")
    counts = np.bincount(image - 1, minlength=images)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    sizes = counts[chosen]
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = order[np.repeat(starts[chosen], sizes) + offsets]
    return _Drawn(np.repeat(np.arange(1, len(chosen) + 1), sizes), place)


class Pool:
    """Boxes by image, as they come in: several times an image, each of its gold boxes once."""

    def __init__(self) -> None:
        self._images: dict[str, int] = {}
        self._categories: dict[str, int] = {}
        self._golds: list[dict[int | str, TrueBox]] = []
        self._unnamed: list[Counter[TrueBox]] = []
        self._negative: list[dict[str, None]] = []
        self._not_exhaustive: list[dict[str, None]] = []
        self._image, self._category = array("q"), array("q")
        self._box, self._score = array("d"), array("d")

    def add_image(
        self,
        name: str,
        golds: Iterable[TrueBox],
        negative: Iterable[str] = (),
        not_exhaustive: Iterable[str] = (),
    ) -> None:
        """Know an image and its gold boxes; those that an earlier call gave are not taken twice.

        A gold box with an id is the same where the id is; without one, equal boxes are the same, and an image
        has as many as the call that gives most of them.

        Raises:
            StageError: one id names two different boxes of the image.
        """
        place = self._place(name)
        named, unnamed = self._golds[place], Counter[TrueBox]()
        for gold in golds:
            if gold.id is None:
                unnamed[gold] += 1
            elif named.setdefault(gold.id, gold) != gold:
                raise StageError(
                    f"image {name}: two different gold boxes have the id {gold.id!r}; give each its own"
                )
        self._unnamed[place] |= unnamed
        self._negative[place].update(dict.fromkeys(negative))
        self._not_exhaustive[place].update(dict.fromkeys(not_exhaustive))

    def _place(self, name: str) -> int:
        place = self._images.setdefault(name, len(self._images))
        if place == len(self._golds):
            self._golds.append({})
            self._unnamed.append(Counter())
            self._negative.append({})
            self._not_exhaustive.append({})
        return place

    def add_boxes(
        self,
        name: str,
        boxes: Sequence[SaidBox],
        scores: Sequence[float] | None = None,
        corners: Sequence[Corners] | None = None,
    ) -> None:
        """Add predicted boxes of an image, with other scores and corners than their own where given.

        Raises:
            StageError: other scores or corners are not one per box.
        """
        for lent in (scores, corners):
            if lent is not None and len(lent) != len(boxes):
                raise StageError(
                    f"image {name}: {len(boxes)} boxes, but {len(lent)} scores or boxes for them"
                )
        self.add_columns(
            name,
            [each.category for each in boxes],
            [each.score for each in boxes] if scores is None else scores,
            [each.box for each in boxes] if corners is None else corners,
        )

    def add_columns(
        self,
        name: str,
        categories: Sequence[str],
        scores: Sequence[float],
        corners: Sequence[Sequence[float]],
    ) -> None:
        """Add predicted boxes of an image by columns of one length; corners are x, y, width, height."""
        place, number = self._place(name), self._categories
        self._image.extend(repeat(place, len(categories)))
        self._category.extend([number.setdefault(category, len(number)) for category in categories])
        self._score.extend(scores)
        self._box.extend(chain.from_iterable(corners))

    def columns(self) -> Columns:
        """Everything that was added.

        Raises:
            StageError: a box, a score or an area is no finite number; names the image.
        """
        names = tuple(self._images)
        golds = [
            (place, gold)
            for place in range(len(names))
            for gold in (*self._golds[place].values(), *self._unnamed[place].elements())
        ]
        images = _ordered(names, keep=True)
        categories = _ordered(dict.fromkeys(gold.category for _, gold in golds), keep=False)
        image_of, category_of = _numbers(images), _numbers(categories)
        found = Columns(
            images,
            categories,
            _gold_columns(golds, [image_of[name] for name in names], category_of),
            self._detections(image_of, category_of),
            tuple(self._federated(name, category_of) for name in images),
        )
        _check_finite(found)
        return found

    def _detections(self, image_of: Mapping[str, int], category_of: Mapping[str, int]) -> Detections:
        import numpy as np

        images = np.array([image_of[name] for name in self._images], dtype=np.int64)
        categories = np.array([category_of.get(name, 0) for name in self._categories], dtype=np.int64)
        return Detections(
            images[np.array(self._image)] if self._image else images[:0],
            categories[np.array(self._category)] if self._category else categories[:0],
            np.array(self._box, dtype=np.float64).reshape(-1, 4),
            np.array(self._score, dtype=np.float64),
        )

    def _federated(self, name: str, category_of: Mapping[str, int]) -> Federated:
        place = self._images[name]
        return Federated(
            _known(self._negative[place], category_of), _known(self._not_exhaustive[place], category_of)
        )


def _known(names: Iterable[str], number: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(number[name] for name in names if name in number)


def _numbers(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names, 1)}


def _ordered(names: Iterable[str], keep: bool) -> tuple[str, ...]:
    """Names by the integers that they are; else as they came (`keep`) or by name."""
    listed = list(names)
    if all(_integer(name) for name in listed):
        return tuple(sorted(listed, key=int))
    return tuple(listed if keep else sorted(listed))


def _integer(name: str) -> bool:
    digits = name.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 18


def _gold_columns(
    golds: Sequence[tuple[int, TrueBox]], images: Sequence[int], category_of: Mapping[str, int]
) -> Golds:
    import numpy as np

    return Golds(
        np.array([images[place] for place, _ in golds], dtype=np.int64),
        np.array([category_of[gold.category] for _, gold in golds], dtype=np.int64),
        np.array([gold.box for _, gold in golds], dtype=np.float64).reshape(-1, 4),
        np.array([gold.area for _, gold in golds], dtype=np.float64),
        np.array([gold.crowd for _, gold in golds], dtype=np.int64),
    )


def _check_finite(columns: Columns) -> None:
    import numpy as np

    golds, found = columns.golds, columns.detections
    for what, image, values in (
        ("a gold box", golds.image, golds.box),
        ("the area of a gold box", golds.image, golds.area),
        ("a predicted box", found.image, found.box),
        ("the score of a predicted box", found.image, found.score),
    ):
        sums = values.sum(axis=1) if values.ndim > 1 else values
        odd = ~np.isfinite(sums)
        if odd.any():
            name = columns.images[int(image[odd.argmax()]) - 1]
            raise StageError(
                f"image {name}: {what} is not a finite number; the stage that reads boxes has to drop it"
            )
