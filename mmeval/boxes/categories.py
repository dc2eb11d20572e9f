"""One name for each category, whether a reply or a gold gives its number or its label."""

from __future__ import annotations

from collections.abc import Sequence

from mmeval.boxes.annotations import Annotations, Category, read_categories
from mmeval.types import Json

ONE = "object"
"""The category of every box where all are one."""


class Names:
    """Categories by number and by label; a label is a category's own, or the same in another case.

    Where nothing is known of the categories, a label is its own name, and so is a number.
    """

    def __init__(self, categories: Sequence[Category], fold: bool) -> None:
        self.fold = fold
        self.known = {str(each.id) for each in categories}
        self._by_label = {
            self.folded(name): str(each.id)
            for each in reversed(categories)
            for name in ((each.name,) if each.name else ())
        }
        self._only = next(iter(self.known)) if len(self.known) == 1 else None

    def folded(self, label: str) -> str:
        """A label as it is compared; folded, `_` and blanks are one, as LVIS writes `baby_buggy`."""
        return " ".join(label.replace("_", " ").split()).casefold() if self.fold else label

    def of(self, label: str | None, number: int | str | None) -> str | None:
        """The category that is meant; None where no category is, or an unknown one."""
        if not self.known:
            return self.folded(label) if label is not None else None if number is None else str(number)
        if number is not None and str(number) in self.known:
            return str(number)
        if label is None:
            return self._only if number is None else None
        return self._by_label.get(self.folded(label), label if label in self.known else None)


class NamesOf:
    """The names of a resource's categories, made once for each resource that was met lately."""

    def __init__(self) -> None:
        self._made: list[tuple[Annotations | Json, bool, Names]] = []

    def __call__(self, source: Annotations | Json, fold: bool) -> Names:
        """The names of a file of annotations or of a list of categories.

        Raises:
            msgspec.ValidationError: it is neither.
        """
        for known, folded, names in self._made:
            if known is source and folded is fold:
                return names
        made = Names(read_categories(source), fold)
        self._made = [*self._made[-31:], (source, fold, made)]
        return made
