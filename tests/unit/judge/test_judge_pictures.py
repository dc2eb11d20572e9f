from __future__ import annotations

import base64
import logging
from pathlib import Path

import pytest

from mmeval.judge import pictures
from mmeval.judge.pictures import data_url, is_picture, loader, named
from mmeval.types import Json

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 60
JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 60
GIF = b"GIF89a" + b"\0" * 60
WEBP = b"RIFF\0\0\0\0WEBP" + b"\0" * 60


def url(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


@pytest.mark.parametrize(
    ("mime", "data"),
    [("image/png", PNG), ("image/jpeg", JPEG), ("image/gif", GIF), ("image/webp", WEBP)],
)
def test_what_a_picture_is_stands_in_its_bytes(tmp_path: Path, mime: str, data: bytes) -> None:
    (tmp_path / "picture.bin").write_bytes(data)
    load = loader(tmp_path)
    assert data_url(data) == load("picture.bin") == load(str(tmp_path / "picture.bin")) == url(mime, data)
    assert load(base64.b64encode(data).decode()) == url(mime, data)


@pytest.mark.parametrize("address", ["https://a.org/x.png", "HTTP://a.org/x", "data:image/png;base64,AAAA"])
def test_addresses_are_passed_on(tmp_path: Path, address: str) -> None:
    assert loader(tmp_path)(address) == address


@pytest.mark.parametrize(
    "name",
    ["none.png", "text.png", ".", "Image Object", "a\0b", "x" * 5000, "data:text/html,x", "file:///etc"],
)
def test_what_is_no_picture_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "text.png").write_text("not a picture")
    assert loader(tmp_path)(name) is None


def test_damaged_base64_is_none(tmp_path: Path) -> None:
    assert loader(tmp_path)("iVBORw0KGgo" + "A" * 60) is None


def test_a_large_picture_is_sent_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "LARGE", 10)
    (tmp_path / "a.png").write_bytes(PNG)
    with caplog.at_level(logging.WARNING, "mmeval"):
        assert loader(tmp_path)("a.png") == url("image/png", PNG)
    assert "68 bytes" in caplog.text


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("a.png", ["a.png"]),
        (["a.png", "b.png"], ["a.png", "b.png"]),
        ({"path": "a.png", "bytes": None}, ["a.png"]),
        ([{"url": "u"}, {"bytes": "iVBO"}], ["u", "iVBO"]),
        (None, []),
        (" ", []),
        (3, []),
        ([], []),
    ],
)
def test_pictures_that_a_field_names(value: Json, found: list[str]) -> None:
    assert named(value) == found


@pytest.mark.parametrize(
    ("value", "so"),
    [
        ("a/b.PNG", True),
        ("https://a.org/b.jpeg?size=2", True),
        ("data:image/webp;base64,AA", True),
        (base64.b64encode(JPEG).decode(), True),
        (["a.png", "b.gif"], True),
        (["a.png", "a cat"], False),
        ("A cat on a mat.", False),
        (["cat", "dog"], False),
        (None, False),
        (3, False),
    ],
)
def test_what_looks_like_a_picture(value: Json, so: bool) -> None:
    assert is_picture(value) is so
