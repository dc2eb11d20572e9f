"""Boxes drawn: as SVG by hand, as PNG where Pillow is installed."""

from __future__ import annotations

import base64
import io
import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from mmeval import score
from mmeval.cli import main
from mmeval.errors import UsageError
from mmeval.reports import overlay

EVIDENCE: dict[str, Any] = {
    "image": "1",
    "width": 200,
    "height": 100,
    "boxes": [{"box": [20, 20, 60, 40], "category": "a<b&\"c'", "score": 1.0}],
    "golds": [{"box": [20, 20, 60, 50], "category": "a", "area": 1, "crowd": False}],
    "matches": [],
    "absorbed": [],
    "unjudged": [],
}
SVG = "{http://www.w3.org/2000/svg}"


def shown(source: dict[str, Any] | None = None, folder: Path = Path(), **changes: Any) -> overlay.Scene:
    return overlay.scene({"eval-id": 1, "evidence": {**EVIDENCE, **changes}}, source, folder)


def tree(scene: overlay.Scene) -> Any:
    return ET.fromstring(overlay.svg(scene))


def picture(width: int = 20, height: int = 10) -> bytes:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    out = io.BytesIO()
    image.new("RGB", (width, height), "#00ff00").save(out, "PNG")
    return out.getvalue()


PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


def test_boxes_and_a_legend_stand_in_the_svg() -> None:
    root = tree(shown())
    assert root.get("viewBox").startswith("0 0 200 ")
    titles = [each.text for each in root.iter(f"{SVG}title")]
    assert titles == [
        "a gold, missed nearest box: IoU 0.800, a<b&\"c'",
        "a<b&\"c' predicted, no gold score 1",
    ]
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert texts == ["a", "a<b&\"c'", "gold, missed", "predicted, no gold"]
    places = [tuple(each.get(k) for k in ("x", "y", "width", "height")) for each in root.iter(f"{SVG}rect")]
    assert ("20", "20", "60", "40") in places


@pytest.mark.parametrize(
    "category",
    ["</text><script>alert(1)</script>", '"/><image href="http://x/"/>', "\u202e", "&lt;", "a" * 5000],
)
def test_what_a_model_wrote_stays_text(category: str) -> None:
    root = tree(shown(boxes=[{**EVIDENCE["boxes"][0], "category": category}]))
    assert not list(root.iter(f"{SVG}script")) + list(root.iter(f"{SVG}image"))


def test_characters_that_xml_cannot_hold_are_left_out() -> None:
    root = tree(shown(boxes=[{**EVIDENCE["boxes"][0], "category": "a\x00\x1b\ud800b"}]))
    assert "ab" in [each.text for each in root.iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("box", "width"), [([-1e308, 0, 1e308, 10], 200), ([0, 0, 1e300, 1e300], 200), ([5, 5, 0, 0], 200)]
)
def test_boxes_far_outside_are_cut(box: list[float], width: int) -> None:
    root = tree(shown(boxes=[{"box": box, "category": "a", "score": 1.0}]))
    numbers = [float(each.get("width")) for each in root.iter(f"{SVG}rect")]
    assert max(numbers) <= width + 20 * 1


def test_a_canvas_without_a_size_holds_the_boxes() -> None:
    assert shown(width=None, height=None)[:2] == (80, 70)
    assert shown(width=None, height=None, boxes=[], golds=[])[:2] == (512, 512)
    assert (
        shown(width=None, boxes=[{**EVIDENCE["boxes"][0], "box": [0, 0, 1e300, 1]}]).width == overlay.LARGEST
    )


def test_a_point_is_drawn() -> None:
    pointed = {"golds": [{"box": [0, 0, 9, 9]}], "width": 20, "height": 10, "point": [3, 4]}
    found = overlay.scene({"eval-id": 1, "evidence": pointed}, None, Path())
    (circle,) = tree(found).iter(f"{SVG}circle")
    assert (circle.get("cx"), circle.get("cy")) == ("3", "4")


SOURCES = [
    pytest.param({"media": ["i.png"]}, True, id="media"),
    pytest.param({"image_path": "i.png"}, True, id="path"),
    pytest.param({"image": "data:image/png;base64," + base64.b64encode(PNG).decode()}, True, id="data-url"),
    pytest.param({"image": base64.b64encode(PNG).decode()}, True, id="base64"),
    pytest.param({"messages": [{"image": "i.png"}]}, True, id="turn"),
    pytest.param({"media": ["i.png", "j.png"]}, False, id="several"),
    pytest.param({"media": ["nowhere.png"]}, False, id="missing"),
    pytest.param({"media": ["text.png"]}, False, id="no-picture"),
    pytest.param({"image": "https://example.org/i.png"}, False, id="never-fetched"),
    pytest.param({"messages": []}, False, id="none"),
    pytest.param(None, False, id="no-run"),
]


@pytest.mark.parametrize(("source", "there"), SOURCES)
def test_the_image_of_the_run(source: dict[str, Any] | None, there: bool, tmp_path: Path) -> None:
    (tmp_path / "i.png").write_bytes(PNG)
    (tmp_path / "text.png").write_text("no picture")
    found = shown(source, tmp_path)
    assert (found.image is not None) is there
    images = list(tree(found).iter(f"{SVG}image"))
    assert [each.get("href")[:22] for each in images] == ["data:image/png;base64,"] * there


def test_the_png_has_image_boxes_and_legend(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    (tmp_path / "i.png").write_bytes(picture())
    data = overlay.png(shown({"media": ["i.png"]}, tmp_path))
    drawn = image.open(io.BytesIO(data)).convert("RGB")
    assert drawn.width == 200
    assert drawn.height > 100
    assert drawn.getpixel((150, 50)) == (0, 255, 0)
    assert drawn.getpixel((50, 20)) == (0xF4, 0x6D, 0)


def test_a_png_without_pillow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(UsageError, match="needs Pillow"):
        overlay.write(tmp_path / "o.png", shown())


def test_a_broken_picture_leaves_a_blank_canvas(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    (tmp_path / "i.png").write_bytes(PNG[:30])
    data = overlay.png(shown({"media": ["i.png"]}, tmp_path))
    assert image.open(io.BytesIO(data)).convert("RGB").getpixel((150, 50)) == (0xEE, 0xEE, 0xEE)


def test_a_huge_canvas_is_drawn_small() -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    data = overlay.png(shown(width=20_000, height=10_000))
    assert image.open(io.BytesIO(data)).width == overlay.WIDEST


def test_a_wrong_ending(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"end it in \.svg or \.png"):
        overlay.write(tmp_path / "o.gif", shown())
    with pytest.raises(UsageError, match="no such folder"):
        overlay.write(tmp_path / "x" / "o.svg", shown())
    with pytest.raises(UsageError, match="has no boxes"):
        overlay.scene({"eval-id": 1, "evidence": "3 of 10"}, None, tmp_path)


def test_explain_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {
        "eval-id": 1,
        "media": ["i.png"],
        "answer": [{"bbox": [1, 1, 5, 5], "label": "cat"}],
        "messages": [{"question": "?"}, {"response": '[{"bbox": [1, 1, 5, 6], "label": "cat"}]'}],
        "dataset_meta": {
            "score_pipeline": ["box-ap"],
            "score_params": {"grid": "pixels", "form": "xywh"},
            "score_aggregates": [{"name": "counts", "reduce": "box-counts", "headline": True}],
        },
    }
    (tmp_path / "i.png").write_bytes(PNG)
    (tmp_path / "result.json").write_text(json.dumps([row]))
    score(tmp_path / "result.json")
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(["explain", str(tmp_path), "1", "--overlay", str(tmp_path / "o.svg")])
    said = capsys.readouterr()
    assert ended.value.code in (0, None)
    assert "found: cat  [1.0, 1.0, 5.0, 6.0]  IoU 0.833" in said.out
    assert said.err.strip() == f"drawn: {tmp_path / 'o.svg'}"
    assert "data:image/png;base64," in (tmp_path / "o.svg").read_text()


@pytest.mark.parametrize("name", ["o.svg", "o.png"])
def test_it_draws_over_its_own_pictures_and_no_others(tmp_path: Path, name: str) -> None:
    pytest.importorskip("PIL")
    path = tmp_path / name
    overlay.write(path, shown())
    overlay.write(path, shown())
    path.write_bytes(b"the only copy of the image")
    with pytest.raises(UsageError, match="holds something else; give a name that is free"):
        overlay.write(path, shown())
    assert path.read_bytes() == b"the only copy of the image"
