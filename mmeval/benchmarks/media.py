"""Where the pictures of a benchmark's rows lie, once those inside the data stand in files of their own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeAlias

from mmeval.benchmarks.pictures import Lost, Picture, pictures
from mmeval.benchmarks.render import Rendered
from mmeval.benchmarks.shelf import Shelf
from mmeval.types import Json

Place: TypeAlias = Callable[[str], str]
# A picture's path; the row that has it; that it cannot be had; None where it stays inside the data.
_Spot: TypeAlias = str | int | Lost | None


class Media:
    """The media of the rows that are asked for.

    Args:
        rows: every row's id and its position.
        shelf: where pictures go; without one they stay in the data.
        place: where a file that a row names lies.
    """

    def __init__(self, rows: Mapping[str, int], shelf: Shelf | None, place: Place) -> None:
        self._rows = rows
        self._shelf = shelf
        self._place = place
        self._spots: dict[int, list[_Spot]] = {}

    def gather(self, read: Callable[[], Iterator[Rendered]], wanted: Collection[int]) -> None:
        """Find the pictures of rows, and of the rows that these refer to.

        Args:
            read: gives every row, from the first; called again where a row refers to one before it.
            wanted: positions.

        Raises:
            UsageError: a picture cannot be written.
            Incomplete: an address does not answer now.
        """
        open_rows = set(wanted)
        while open_rows:
            for position, row in enumerate(read()):
                if position in open_rows:
                    self._spots[position] = self._of(row)
            named = (spot for spots in self._spots.values() for spot in spots if isinstance(spot, int))
            open_rows = set(named) - self._spots.keys()
        if self._shelf is not None:
            self._shelf.check()

    def of(self, position: int) -> list[str] | Lost | None:
        """The paths of a row's media; why one cannot be had; None where one stays inside the data."""
        paths: list[str] = []
        for spot in self._spots[position]:
            for found in self._followed(spot, position):
                if not isinstance(found, str):
                    return found
                paths.append(found)
        return paths

    def _followed(self, spot: _Spot, position: int) -> Iterator[str | Lost | None]:
        """What a spot comes to: itself, or all that the row has to which it refers."""
        seen = {position}
        spots = [spot]
        while len(spots) == 1 and isinstance(spots[0], int) and spots[0] not in seen:
            seen.add(spots[0])
            spots = self._spots[spots[0]]
        return (Lost("circular-reference") if isinstance(each, int) else each for each in spots)

    def _of(self, row: Rendered) -> list[_Spot]:
        sha256 = row.sample.get("image_sha256")
        own = str(row.sample["eval-id"])
        found = pictures(row.media, self._rows, own)
        return [self._spot(each, sha256 if len(found) == 1 else None) for each in found]

    def _spot(self, picture: Picture | Lost, sha256: Json) -> _Spot:
        if isinstance(picture, Lost):
            return picture
        if picture.kind == "row":
            return self._rows[picture.text]
        if picture.kind == "path":
            return self._place(picture.text)
        if self._shelf is None:
            return picture.text or None
        if picture.kind == "bytes":
            return self._shelf.put(picture.data)
        return self._shelf.fetch(picture.text, sha256 if isinstance(sha256, str) else None)
