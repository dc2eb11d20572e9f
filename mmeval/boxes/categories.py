"""One name for each category, whether a reply or a gold gives its number or its label."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import normalize

import msgspec

from mmeval.boxes.annotations import Annotations, Category, read_categories
from mmeval.errors import MetadataError
from mmeval.types import Json

ONE = "object"
"""The category of every box where all are one."""


class Names:
    """Categories by number and by label; a label is a category's own, or the same in another case.

    A category's own spelling comes first; a label that could be that of two categories is neither's. Where
    nothing is known of the categories, a label is its own name, and so is a number.
    """

    def __init__(self, categories: Sequence[Category], fold: bool) -> None:
        self.fold = fold
        self.known = {str(each.id) for each in categories}
        self._by_label: dict[str, str | None] = {}
        self._by_folded: dict[str, str | None] = {}
        for each in categories:
            for name, known in (
                (each.name, self._by_label),
                (self.folded(each.name or ""), self._by_folded),
            ):
                if name:
                    known[name] = str(each.id) if known.get(name, str(each.id)) == str(each.id) else None
        self._names = {str(each.id): each.name for each in categories if each.name}
        self._only = next(iter(self.known)) if len(self.known) == 1 else None

    def folded(self, label: str) -> str:
        """A label as it is compared; folded, `_` and blanks are one, as LVIS writes `baby_buggy`.

        An accent that is a sign of its own is the same as one that is part of its letter.
        """
        label = label if label.isascii() else normalize("NFC", label)
        return " ".join(label.replace("_", " ").split()).casefold() if self.fold else label

    def label(self, category: str) -> str | None:
        """What people call a category that is known by its number; None where it has no other name."""
        return self._names.get(category)

    def of(self, label: str | None, number: int | str | None) -> str | None:
        """The category that is meant; None where no category is, or an unknown one."""
        if not self.known:
            return self.folded(label) if label is not None else None if number is None else str(number)
        if number is not None and str(number) in self.known:
            return str(number)
        if label is None:
            return self._only if number is None else None
        if label in self._by_label:
            return self._by_label[label]
        return self._by_folded.get(self.folded(label), label if label in self.known else None)


class NamesOf:
    """The names of a resource's categories, made once for each resource that was met lately."""

    def __init__(self) -> None:
        self._made: list[tuple[Annotations | Json, bool, Names]] = []

    def __call__(self, source: Annotations | Json, fold: bool) -> Names:
        """The names of a file of annotations or of a list of categories.

        Raises:
            MetadataError: it is neither.
        """
        for known, folded, names in self._made:
            if known is source and folded is fold:
                return names
        try:
            made = Names(read_categories(source), fold)
        except msgspec.ValidationError as error:
            raise MetadataError(
                f"resource 'categories' lists no categories ({error}); give objects with id and name"
            ) from None
        self._made = [*self._made[-31:], (source, fold, made)]
        return made
