"""FSCD-147 and FSCD-LVIS: one row for each image, which is asked for all objects of one kind.

Source of the layouts: VinAIResearch/Counting-DETR src/CountDETR_147_2nd_stage/data/fsc147.py and
src/CountDETR_lvis_2nd_stage/offline_lvis_evaluator.py @ 9cbc19ed; the kinds of FSC-147 stand in
ImageClasses_FSC147.txt of cvlab-stonybrook/LearningToCountEverything @ 00ea1888.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from mmeval.benchmarks.annotated.coco import File, read_bytes, read_file
from mmeval.benchmarks.annotated.rows import Benched, Pictures, Row, asked_of, picture_in, sized
from mmeval.boxes.annotations import Annotation, Image
from mmeval.errors import ResultError
from mmeval.types import Json

NAME_147 = "FSCD_147_bbox_val"
NAME_LVIS = "FSCD_LVIS_bbox_val"
BOXES = "instances_val.json"
SPLITS = "Train_Test_Val_FSC_147.json"
KINDS = "ImageClasses_FSC147.txt"


def open_fscd_147(root: Path, images: Path | None) -> Benched:
    """The validation images of FSCD-147, in the order of the split.

    Args:
        root: a folder that holds `instances_val.json`, `Train_Test_Val_FSC_147.json` and
            `ImageClasses_FSC147.txt`.
        images: the folder of the pictures; `images_384_VarV2` in the root without it.

    Raises:
        ResultError: a file is not there or cannot be used, or an image of the split has no boxes or no kind.
    """
    found = read_file(root / BOXES)
    split, kinds = read_bytes(root / SPLITS), read_bytes(root / KINDS)
    order, kind_of = _split(root / SPLITS, split), _kinds(root / KINDS, kinds)
    by_name = {image.file_name: image for image in found.images}
    lacking = [name for name in order if name not in by_name or name not in kind_of]
    if lacking:
        file = BOXES if lacking[0] not in by_name else KINDS
        raise ResultError(
            f"{root}: {len(lacking)} of {len(order)} images of the split are not in {file} "
            f"(first: {lacking[0]}); the files belong to different versions"
        )
    place = picture_in(images or root / "images_384_VarV2")
    files = {
        BOXES: found.sha256,
        SPLITS: hashlib.sha256(split).hexdigest(),
        KINDS: hashlib.sha256(kinds).hexdigest(),
    }
    return Benched(
        NAME_147,
        None,
        "val",
        files,
        lambda: (_row(by_name[name], found, [kind_of[name]], place) for name in order),
    )


def open_fscd_lvis(root: Path, images: Path | None) -> Benched:
    """The validation images of FSCD-LVIS, in the order of its file.

    Args:
        root: a folder that holds `annotations/instances_val.json`.
        images: the folder of the pictures; `images/all_images` in the root without it.

    Raises:
        ResultError: the file cannot be used.
    """
    found = read_file(root / "annotations" / BOXES)
    place = picture_in(images or root / "images" / "all_images")
    return Benched(NAME_LVIS, None, "val", {BOXES: found.sha256}, lambda: _lvis_rows(found, place))


def _lvis_rows(found: File, place: Pictures) -> Iterator[Row]:
    for image in found.images:
        numbers = dict.fromkeys(each.category_id for each in found.boxes(image))
        names = [found.names[number].replace("_", " ") for number in numbers]
        yield _row(image, found, names or list(found.names.values()), place)


def _row(image: Image, found: File, kinds: Sequence[str], place: Pictures) -> Row:
    """One image. All boxes are of one class, whatever they are called; see the protocol."""
    fields: dict[str, Json] = {**sized(image), "category": " or ".join(kinds)}
    return Row(image.id, _bare(found.boxes(image)), fields, asked_of(kinds), place(image))


def _bare(boxes: Sequence[Annotation]) -> list[Json]:
    return [{"bbox": list[Json](each.bbox)} for each in boxes]


def _split(path: Path, data: bytes) -> list[str]:
    try:
        splits = msgspec.json.decode(data, type=dict[str, list[str]])
    except msgspec.DecodeError as error:
        raise ResultError(f"{path}: is not the split file of FSC-147 ({error}); fetch it again") from None
    if not splits.get("val"):
        raise ResultError(f"{path}: names no split val; fetch it again")
    return splits["val"]


def _kinds(path: Path, data: bytes) -> Mapping[str, str]:
    """Image to the kind of things to find in it: a name, a tab, the kind, one a line."""
    lines = data.decode("utf-8", "replace").splitlines()
    pairs = [line.split("\t") for line in lines if line.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise ResultError(f"{path}: is no list of image and kind with a tab between them; fetch it again")
    return {name.strip(): kind.strip() for name, kind in pairs}
