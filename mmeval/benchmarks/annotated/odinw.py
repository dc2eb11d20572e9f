"""ODinW-13: one row for each image of its 13 data sets, which are asked for all of their categories at once.

Source of names, files and folders: microsoft/GLIP configs/odinw_13/*.yaml @ 9dda955, the entry `test` of each
(that of PascalVOC is its valid split).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from mmeval.benchmarks.annotated.coco import File, read_file
from mmeval.benchmarks.annotated.rows import Benched, Row, asked_of, golds, picture_in, sized

NAME = "ODinW13_bbox_val_qwen3"
_PLAIN = "annotations_without_background.json"
_FOLDERS = {
    "AerialMaritimeDrone": "AerialMaritimeDrone/large/test",
    "Aquarium": "Aquarium/Aquarium Combined.v2-raw-1024.coco/test",
    "CottontailRabbits": "CottontailRabbits/test",
    "EgoHands": "EgoHands/generic/test",
    "NorthAmericaMushrooms": "NorthAmericaMushrooms/North American Mushrooms.v1-416x416.coco/test",
    "Packages": "Packages/Raw/test",
    "PascalVOC": "PascalVOC/valid",
    "Raccoon": "Raccoon/Raccoon.v2-raw.coco/test",
    "ShellfishOpenImages": "ShellfishOpenImages/raw/test",
    "VehiclesOpenImages": "VehiclesOpenImages/416x416/test",
    "pistols": "pistols/export",
    "pothole": "pothole/test",
    "thermalDogsAndPeople": "thermalDogsAndPeople/test",
}
# Domain to its annotations, below the folder that GLIP_ROOT names.
FILES: Mapping[str, str] = MappingProxyType(
    {
        domain: f"odinw/{folder}/{'test_' if domain == 'pistols' else ''}{_PLAIN}"
        for domain, folder in _FOLDERS.items()
    }
)


def open_odinw(root: Path, images: Path | None) -> Benched:
    """The images of all 13 data sets.

    Args:
        root: the folder that holds `odinw/`, as GLIP_ROOT does.
        images: another folder with the same folders, where the pictures lie elsewhere.

    Raises:
        ResultError: a file is not there, or cannot be used.
    """
    found = {domain: read_file(root / path) for domain, path in FILES.items()}
    pictures = images or root
    files = {FILES[domain]: each.sha256 for domain, each in found.items()}
    return Benched(
        NAME,
        None,
        "test",
        files,
        lambda: _numbered(found, pictures),
    )


def _numbered(found: Mapping[str, File], pictures: Path) -> Iterator[Row]:
    """All rows, called by their place from 0: where scores are equal, it orders the images."""
    every = (row for domain, each in found.items() for row in _rows(domain, each, pictures))
    return (row._replace(name=place) for place, row in enumerate(every))


def _rows(domain: str, found: File, pictures: Path) -> Iterator[Row]:
    """The images of one data set in the order of its file."""
    names = list(found.names.values())
    question = asked_of(names)
    place = picture_in(pictures / "odinw" / _FOLDERS[domain])
    for image in found.images:
        yield Row(
            f"{domain}-{image.id}",
            golds(found.boxes(image), found.names),
            {"domain": domain, **sized(image), "categories": list(names)},
            question,
            place(image),
        )
