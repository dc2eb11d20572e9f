"""Pictures and names: what a page may show of the disk it was made on."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from report_pages import LETTERS, Page, sample, scored

from mmeval.errors import UsageError
from mmeval.reports.html.finding import found
from mmeval.reports.html.pictures import Album
from mmeval.reports.html.report import Wanted, write

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 50


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder of runs with pictures beside it, and a file outside that is nobody's business."""
    (tmp_path / "work" / "runs" / "a").mkdir(parents=True)
    (tmp_path / "work" / "runs" / "a" / "one.png").write_bytes(PNG)
    (tmp_path / "work" / "runs" / "notes.png").write_text("no picture")
    (tmp_path / "secret.png").write_bytes(PNG)
    return tmp_path / "work" / "runs"


def shown(album: Album, runs: Path, *names: str) -> list[str]:
    return album.of(names, runs / "a", (runs,))


def test_pictures_below_the_page_are_linked(runs: Path) -> None:
    album = Album("link", runs.parent / "report.html")
    assert shown(album, runs, "one.png", "./one.png", "../a/one.png") == ["runs/a/one.png"] * 3
    (runs / "a" / "a b#?%.png").write_bytes(PNG)
    assert shown(album, runs, "a b#?%.png") == ["runs/a/a%20b%23%3F%25.png"]
    assert shown(album, runs, str(runs / "a" / "one.png")) == ["runs/a/one.png"]


def test_a_page_elsewhere_names_no_folder_of_the_machine(runs: Path, tmp_path: Path) -> None:
    album = Album("link", tmp_path / "elsewhere" / "report.html")
    assert shown(album, runs, "one.png") == []
    assert album.left_out == 1


def test_pictures_are_embedded_once_and_within_the_budget(runs: Path) -> None:
    album = Album("embed", runs / "report.html", budget=200)
    assert shown(album, runs, "one.png", "one.png") == ["#0", "#0"]
    assert album.embedded == [f"data:image/png;base64,{base64.b64encode(PNG).decode()}"]
    (runs / "a" / "two.png").write_bytes(PNG * 9)
    assert shown(album, runs, "two.png") == []
    assert album.left_out == 1


@pytest.mark.parametrize("mode", ["link", "embed"])
@pytest.mark.parametrize(
    "name",
    [
        "../../../secret.png",
        "../notes.png",
        "nowhere.png",
        "..",
        "https://example.invalid/x.png",
        "data:image/svg+xml;base64,PHN2Zz4=",
        "data:text/html;base64,PHN2Zz4=",
        "data:image/png;base64,<script>",
        "a\x00b",
        "x" * 5000,
    ],
    ids=lambda name: ascii(name[:30]),
)
def test_nothing_else_is_shown(name: str, mode: str, runs: Path, tmp_path: Path) -> None:
    for path in (name, str(tmp_path / "secret.png")):
        album = Album(mode, runs.parent / "report.html")  # type: ignore[arg-type]
        assert shown(album, runs, path) == []
        assert album.embedded == []


def test_a_link_out_of_the_run_is_not_followed(runs: Path, tmp_path: Path) -> None:
    (runs / "a" / "sly.png").symlink_to(tmp_path / "secret.png")
    assert shown(Album("embed", runs.parent / "report.html"), runs, "sly.png") == []


@pytest.mark.parametrize("head", [b"\xff\xd8\xff", b"GIF89a", b"BM", b"RIFF\x00\x00\x00\x00WEBP"], ids=ascii)
def test_pictures_of_every_kind(head: bytes, runs: Path) -> None:
    (runs / "a" / "two.dat").write_bytes(head + b"x" * 20)
    assert shown(Album("link", runs / "r.html"), runs, "two.dat") == ["a/two.dat"]
    (runs / "a" / "two.dat").write_bytes(b"<svg onload=x()>")
    assert shown(Album("link", runs / "r.html"), runs, "two.dat") == []


def test_pictures_inside_the_predictions(runs: Path) -> None:
    url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    album = Album("link", runs / "report.html")
    assert shown(album, runs, url, url + "\n") == ["#0", "#1"]
    assert album.embedded == [url, url]
    assert shown(Album("none", runs / "report.html"), runs, url, "one.png") == []


@pytest.mark.parametrize(("images", "told"), [("link", "runs/a/one.png"), ("embed", "#0"), ("none", None)])
def test_pictures_of_rows(images: str, told: str | None, runs: Path) -> None:
    scored(
        runs / "a", [sample(1, "A", "A", kind="near", media=[{"type": "image", "path": "one.png"}])], LETTERS
    )
    done = write(Wanted([runs], runs.parent / "report.html", images=images))
    page = Page(done.page.read_text())
    assert page.rows()[0].get("pictures") == (None if told is None else [told])
    assert ("picture-0" in page.blocks) == (images == "embed")


def test_runs_are_called_by_their_place(tmp_path: Path) -> None:
    for place in ("a/score.json", "b/c/score.json", "b/x.score.json", ".hidden/score.json", "b/other.json"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("{}")
    assert [run.name for run in found([tmp_path])] == ["a", "b/c", "b/x"]
    assert [run.name for run in found([tmp_path / "a"])] == ["a"]
    assert [run.name for run in found([tmp_path / "a" / "score.json"])] == ["a"]
    assert [run.name for run in found([tmp_path / "b", tmp_path / "a", tmp_path])] == ["c", "x", "a"]
    with pytest.raises(UsageError, match="no such file"):
        found([tmp_path / "z"])


def test_runs_of_the_same_name_are_numbered(tmp_path: Path) -> None:
    for place in ("one/a", "two/a"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "score.json").write_text("{}")
    assert [run.name for run in found([tmp_path / "one", tmp_path / "two"])] == ["a (1)", "a (2)"]
