"""What a cell says of a picture."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from mmeval.benchmarks.pictures import Lost, Picture, pictures, suffix

PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)
CODED = base64.b64encode(PNG).decode()
ROWS = {"7": 0, "8": 1, "a.png": 2, "v1": 3}

CELLS = [
    pytest.param({"image": PNG}, [Picture("bytes", data=PNG)], id="bytes"),
    pytest.param({"image": {"bytes": PNG, "path": "x.png"}}, [Picture("bytes", data=PNG)], id="structure"),
    pytest.param(
        {"image": {"bytes": None, "path": "x.png"}}, [Picture("path", "x.png")], id="structure-path"
    ),
    pytest.param({"image": CODED}, [Picture("bytes", data=PNG)], id="base64"),
    pytest.param({"image": CODED.rstrip("=")}, [Picture("bytes", data=PNG)], id="base64-unpadded"),
    pytest.param({"image": f"{CODED[:40]}\n{CODED[40:]}"}, [Picture("bytes", data=PNG)], id="base64-wrapped"),
    pytest.param({"image": f"data:image/png;base64,{CODED}"}, [Picture("bytes", data=PNG)], id="data-url"),
    pytest.param({"image": "https://x.org/a.png"}, [Picture("address", "https://x.org/a.png")], id="address"),
    pytest.param(
        {"image_url": "http://x.org/a"}, [Picture("address", "http://x.org/a")], id="address-column"
    ),
    pytest.param({"image": "sub/a b.JPG"}, [Picture("path", "sub/a b.JPG")], id="path"),
    pytest.param({"image": "7"}, [Picture("row", "7")], id="another-row"),
    pytest.param({"image": 7}, [Picture("row", "7")], id="another-row-as-number"),
    pytest.param({"image": 7.0}, [Picture("row", "7")], id="another-row-as-float"),
    pytest.param({"image": "a.png"}, [Picture("row", "a.png")], id="another-row-named-as-a-file"),
    pytest.param({"image": "own.png"}, [Picture("path", "own.png")], id="its-own-name-is-a-path"),
    pytest.param({"image": "99"}, [Lost("no-such-row")], id="no-such-row"),
    pytest.param({"image": "A" * 400 + "*"}, [Lost("undecodable")], id="not-base64"),
    pytest.param({"image": "QUJD" * 100}, [Lost("not-a-picture")], id="base64-of-text"),
    pytest.param({"image": b"<html>"}, [Lost("not-a-picture")], id="bytes-of-text"),
    pytest.param({"image": ["7", "x.png"]}, [Picture("row", "7"), Picture("path", "x.png")], id="list"),
    pytest.param(
        {"image": "['x.png', 'y.png']"}, [Picture("path", "x.png"), Picture("path", "y.png")], id="text"
    ),
    pytest.param({"image": CODED, "image_path": "x.png"}, [Picture("bytes", data=PNG)], id="itself-first"),
    pytest.param({"image": None, "image_path": "x.png"}, [Picture("path", "x.png")], id="then-its-path"),
    pytest.param(
        {"image_1": "x.png", "image_2": None, "image_3": "y.png"},
        [Picture("path", "x.png"), Picture("path", "y.png")],
        id="columns",
    ),
    pytest.param({"video": "v1"}, [Picture("path", "v1")], id="a-film-is-no-row"),
    pytest.param({"video": "8qz"}, [Picture("path", "8qz")], id="a-film-without-ending"),
    pytest.param({"image": None}, [], id="empty"),
    pytest.param({"image": ""}, [], id="blank"),
    pytest.param({"image": []}, [], id="empty-list"),
]


@pytest.mark.parametrize(("cells", "found"), CELLS)
def test_pictures_of_a_row(cells: dict[str, Any], found: list[Picture | Lost]) -> None:
    assert pictures(cells, ROWS, "own.png") == found


@pytest.mark.parametrize(
    ("data", "ending"),
    [
        (b"\xff\xd8\xff\xe0", "jpg"),
        (b"RIFF\0\0\0\0WEBPVP8", "webp"),
        (b"RIFF\0\0\0\0WAVE", None),
        (b"\0\0\0\x20ftypavif", "avif"),
        (b"\0\0\0\x20ftypisom", "mp4"),
        (b"\x1a\x45\xdf\xa3", "webm"),
        (b"II*\0", "tif"),
        (b"", None),
    ],
)
def test_the_ending_follows_the_bytes(data: bytes, ending: str | None) -> None:
    assert suffix(data) == ending
