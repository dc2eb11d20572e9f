"""The boxes of one sample drawn on its image, or on a blank canvas of its size."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mmeval.errors import UsageError
from mmeval.reports.box_report import Drawn, Kind, drawn, has_boxes
from mmeval.scorefile import atomic

if TYPE_CHECKING:
    from PIL.Image import Image

# Within the first bytes of every picture that is drawn here.
MARK = "mmeval overlay"
GLANCE = 4096
IMAGE_FIELDS = ("media", "image", "images", "image_path", "image_url", "file_name")
LARGEST = 20_000
MOST = 2_000
WIDEST = 4_000
_SIDE = 512
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Style(NamedTuple):
    """How a kind of box is drawn: colour, dashes, and what the legend calls it."""

    colour: str
    dashes: str
    words: str


STYLES: dict[Kind, _Style] = {
    "found": _Style("#1a9850", "", "gold, found"),
    "missed": _Style("#d73027", "6 4", "gold, missed"),
    "gold": _Style("#1a9850", "", "gold"),
    "matched": _Style("#2166ac", "", "predicted, matches"),
    "false": _Style("#f46d00", "2 3", "predicted, no gold"),
    "read": _Style("#2166ac", "", "predicted"),
    "aside": _Style("#808080", "1 3", "counts neither way"),
}


class Scene(NamedTuple):
    """What is drawn: a canvas in pixels, boxes, a point, and the image as a data URL where it can be had."""

    width: float
    height: float
    boxes: list[Drawn]
    point: tuple[float, float] | None
    image: str | None


def scene(row: Mapping[str, Any], source: Mapping[str, Any] | None, folder: Path) -> Scene:
    """What is to be drawn of a row.

    Args:
        row: the row of the score.
        source: the row of the run, which may name the image.
        folder: where the run lies.

    Raises:
        UsageError: the row has no boxes.
    """
    evidence = row.get("evidence")
    if not has_boxes(evidence) or not isinstance(evidence, Mapping):
        raise UsageError(
            f"--overlay: sample {row['eval-id']} has no boxes; name one that a stage for boxes read"
        )
    boxes = drawn(evidence)[:MOST]
    reach = [(each.box[0] + each.box[2], each.box[1] + each.box[3]) for each in boxes]
    width = evidence["width"] or max((x for x, _ in reach), default=_SIDE) or _SIDE
    height = evidence["height"] or max((y for _, y in reach), default=_SIDE) or _SIDE
    point = evidence.get("point")
    return Scene(
        min(max(width, 1), LARGEST),
        min(max(height, 1), LARGEST),
        boxes,
        (point[0], point[1]) if point else None,
        _image(source, folder),
    )


def _image(source: Mapping[str, Any] | None, folder: Path) -> str | None:
    """The one picture of a row as a data URL; nothing is fetched from the web."""
    from mmeval.judge.pictures import loader, named

    if source is None:
        return None
    messages = source.get("messages")
    turn = messages[0] if isinstance(messages, list) and messages and isinstance(messages[0], dict) else {}
    for holder in (source, turn):
        for field in IMAGE_FIELDS:
            texts = named(holder.get(field))
            url = loader(folder)(texts[0]) if len(texts) == 1 else None
            if url is not None and url.lower().startswith("data:image/"):
                return url
    return None


def write(path: Path, shown: Scene) -> None:
    """Draw a scene into a file that ends in `.svg` or `.png`.

    Raises:
        UsageError: another ending, PNG without Pillow, or a folder that cannot be written to.
    """
    kind = path.suffix.lower()
    if kind not in (".svg", ".png"):
        raise UsageError(f"--overlay {path}: end it in .svg or .png")
    _refuse_foreign(path)
    data = svg(shown).encode() if kind == ".svg" else png(shown)
    if not path.parent.is_dir():
        raise UsageError(f"--overlay {path}: there is no such folder; make it first")
    with atomic(path) as file:
        file.write(data)


def _refuse_foreign(path: Path) -> None:
    """Never draw over a picture that is not ours: it may be the very image of the sample.

    Raises:
        UsageError: something else lies there.
    """
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            ours = MARK.encode() in file.read(GLANCE)
    except OSError as error:
        raise UsageError(f"--overlay {path}: cannot be read ({error.strerror}); give another name") from None
    if not ours:
        raise UsageError(f"--overlay {path}: holds something else; give a name that is free")


def _unit(shown: Scene) -> float:
    """The width of a line: thin on small images, visible on large ones."""
    return max(1.0, max(shown.width, shown.height) / 400)


def _clipped(shown: Scene, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """A box cut to a little more than the canvas, so that its edges outside stay outside."""
    edge = 10 * _unit(shown)
    left, right = (min(max(x, -edge), shown.width + edge) for x in (box[0], box[0] + box[2]))
    top, bottom = (min(max(y, -edge), shown.height + edge) for y in (box[1], box[1] + box[3]))
    return left, top, right - left, bottom - top


def _kinds(shown: Scene) -> list[Kind]:
    return [kind for kind in STYLES if any(each.kind == kind for each in shown.boxes)]


def svg(shown: Scene) -> str:
    """The scene as SVG; every text is escaped, and nothing is loaded from elsewhere."""
    unit = _unit(shown)
    font, row = 9 * unit, 12 * unit
    kinds = _kinds(shown)
    height = shown.height + row * (len(kinds) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {shown.width:g} {height:g}" '
        f'width="{shown.width:g}" height="{height:g}" font-family="sans-serif" font-size="{font:g}">',
        f"<desc>{MARK}</desc>",
        f'<rect width="{shown.width:g}" height="{height:g}" fill="#ffffff"/>',
        f'<rect width="{shown.width:g}" height="{shown.height:g}" fill="#eeeeee"/>',
    ]
    if shown.image is not None:
        parts.append(
            f'<image href="{escape(shown.image)}" width="{shown.width:g}" height="{shown.height:g}" '
            'preserveAspectRatio="none"/>'
        )
    parts += [_svg_box(shown, each, unit) for each in shown.boxes]
    if shown.point is not None:
        x, y, *_ = _clipped(shown, (*shown.point, 0, 0))
        parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{3 * unit:g}" fill="#2166ac" stroke="#ffffff"/>')
    for number, kind in enumerate(kinds, 1):
        style, y = STYLES[kind], shown.height + row * number
        parts.append(
            f'<rect x="{2 * unit:g}" y="{y - 6 * unit:g}" width="{16 * unit:g}" height="{6 * unit:g}" '
            f'{_stroke(style, unit)}/><text x="{22 * unit:g}" y="{y:g}">{escape(style.words)}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _stroke(style: _Style, unit: float) -> str:
    dashes = " ".join(f"{float(part) * unit:g}" for part in style.dashes.split())
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'fill="none" stroke="{style.colour}" stroke-width="{unit:g}"{dashed}'


def _svg_box(shown: Scene, each: Drawn, unit: float) -> str:
    x, y, width, height = _clipped(shown, each.box)
    style = STYLES[each.kind]
    title = " ".join(part for part in (each.category, style.words, each.more) if part)
    label = _label(each)
    text = ""
    if label:
        place = _label_place(each, (x, y, width, height), unit)
        text = (
            f'<text x="{place[0]:g}" y="{place[1]:g}" fill="{style.colour}" stroke="#ffffff" '
            f'stroke-width="{unit * 0.8:g}" paint-order="stroke">{_text_of(label)}</text>'
        )
    return (
        f'<g><title>{_text_of(title)}</title><rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
        f"{_stroke(style, unit)}/>{text}</g>"
    )


def _text_of(text: str) -> str:
    """A text as XML can hold it: escaped, without the characters that it has no form for."""
    return escape(_NO_XML.sub("", text))


def _label(each: Drawn) -> str:
    """What stands at a box: category and IoU. A gold that was found is named by the box that found it."""
    if each.kind == "found":
        return ""
    told = each.more.startswith("IoU ") and each.kind in ("matched", "read")
    return " ".join(part for part in (each.category[:40], each.more[4:8] if told else "") if part)


def _label_place(each: Drawn, box: tuple[float, float, float, float], unit: float) -> tuple[float, float]:
    """Golds are named inside at the bottom, predictions inside at the top, so that both can be read."""
    x, y, _, height = box
    if each.kind in ("missed", "gold"):
        return max(x, 0) + 2 * unit, y + height - 3 * unit
    return max(x, 0) + 2 * unit, max(y, 0) + 9 * unit


def png(shown: Scene) -> bytes:
    """The scene as PNG.

    Raises:
        UsageError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw, PngImagePlugin
    except ImportError:
        raise UsageError(
            "--overlay FILE.png needs Pillow; pip install 'mmeval-score[pictures]', or give FILE.svg"
        ) from None
    shown = _shrunk(shown)
    unit = _unit(shown)
    kinds = _kinds(shown)
    size = (round(shown.width), round(shown.height))
    legend = round(14 * unit)
    canvas = Image.new("RGB", (size[0], size[1] + legend * len(kinds) + round(4 * unit)), "#ffffff")
    canvas.paste(_picture(shown, size), (0, 0))
    draw = ImageDraw.Draw(canvas)
    for each in shown.boxes:
        x, y, width, height = _clipped(shown, each.box)
        colour = STYLES[each.kind].colour
        draw.rectangle((x, y, x + width, y + height), outline=colour, width=round(unit))
        if _label(each):
            place = _label_place(each, (x, y - 8 * unit, width, height), unit)
            _text(draw, place, _label(each), colour, unit)
    if shown.point is not None:
        x, y, *_ = _clipped(shown, (*shown.point, 0, 0))
        draw.ellipse((x - 3 * unit, y - 3 * unit, x + 3 * unit, y + 3 * unit), fill="#2166ac")
    for number, kind in enumerate(kinds):
        y = size[1] + legend * number + 2 * unit
        draw.rectangle(
            (2 * unit, y + 2 * unit, 18 * unit, y + 10 * unit), outline=STYLES[kind].colour, width=round(unit)
        )
        _text(draw, (22 * unit, y), STYLES[kind].words, STYLES[kind].colour, unit)
    out = io.BytesIO()
    marked = PngImagePlugin.PngInfo()
    marked.add_text("Software", MARK)
    canvas.save(out, "PNG", pnginfo=marked)
    return out.getvalue()


def _shrunk(shown: Scene) -> Scene:
    """A scene that is no larger than a picture can well be."""
    ratio = WIDEST / max(shown.width, shown.height, WIDEST)
    boxes = [_times(each, ratio) for each in shown.boxes]
    point = None if shown.point is None else (shown.point[0] * ratio, shown.point[1] * ratio)
    return Scene(max(1, shown.width * ratio), max(1, shown.height * ratio), boxes, point, shown.image)


def _times(each: Drawn, ratio: float) -> Drawn:
    x, y, width, height = each.box
    return each._replace(box=(x * ratio, y * ratio, width * ratio, height * ratio))


def _text(draw: Any, place: tuple[float, float], text: str, colour: str, unit: float) -> None:
    from PIL import ImageFont

    font = ImageFont.load_default(size=10 * unit)
    draw.text(
        place, text, fill=colour, font=font, stroke_width=max(1, round(unit / 2)), stroke_fill="#ffffff"
    )


def _picture(shown: Scene, size: tuple[int, int]) -> Image:
    """The image in the canvas' size; a blank one where there is none that can be read."""
    from PIL import Image, UnidentifiedImageError

    blank = Image.new("RGB", size, "#eeeeee")
    if shown.image is None:
        return blank
    try:
        data = base64.b64decode(shown.image.partition(",")[2])
        return Image.open(io.BytesIO(data)).convert("RGB").resize(size)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError):
        return blank
