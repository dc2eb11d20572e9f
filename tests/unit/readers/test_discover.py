"""Which files are runs."""

from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import UsageError
from mmeval.readers import discover

TREE = (
    "b/result.json",
    "a/result.json",
    "a/score.json",
    "a/metadata.json",
    "b/judge_config.json",
    "a/result.rows.jsonl",
    "c/run.jsonl",
    "c/run.score.json",
    "c/run.score.rows.jsonl",
    "c/run.score.rows.parquet",
    "c/m.result.json",
    "c/notes.txt",
    "d/.cache/result.json",
    ".hidden.jsonl",
    "d/result.json.part",
    "d/x.jsonl.tmp",
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in TREE:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[]")
    return tmp_path


def names(root: Path, pattern: str | None = None) -> list[str]:
    return [path.relative_to(root).as_posix() for path in discover(root, pattern)]


def test_every_run_sorted_and_nothing_of_ours(tree: Path) -> None:
    assert names(tree) == ["a/result.json", "b/result.json", "c/m.result.json", "c/run.jsonl"]


PATTERNS = [
    ("name", "result.json", ["a/result.json", "b/result.json"]),
    ("at-every-depth", "*.jsonl", ["c/run.jsonl"]),
    ("folder", "c/*", ["c/m.result.json", "c/notes.txt", "c/run.jsonl"]),
    ("double-star", "**/result.json", ["a/result.json", "b/result.json"]),
    ("never-ours", "*.json", ["a/metadata.json", "a/result.json", "b/result.json", "c/m.result.json"]),
]


@pytest.mark.parametrize("pattern,expected", [c[1:] for c in PATTERNS], ids=[c[0] for c in PATTERNS])
def test_patterns(tree: Path, pattern: str | None, expected: Any) -> None:
    assert names(tree, pattern) == expected


def test_a_file_is_a_run_by_itself(tree: Path) -> None:
    assert discover(tree / "c" / "notes.txt", None) == [tree / "c" / "notes.txt"]


def test_a_link_to_nothing_is_not_passed_over(tree: Path) -> None:
    (tree / "d" / "result.json").symlink_to("nowhere")
    assert "d/result.json" in names(tree)
    assert discover(tree / "d" / "result.json", None) == [tree / "d" / "result.json"]


def test_linked_folders_are_entered_once(tree: Path) -> None:
    (tree / "a" / "loop").symlink_to(tree)
    assert names(tree) == ["a/result.json", "b/result.json", "c/m.result.json", "c/run.jsonl"]
    outside = tree / "d" / "view"
    outside.mkdir()
    (outside / "linked").symlink_to(tree / "b")
    assert names(outside) == ["linked/result.json"]


def test_a_folder_named_like_a_run_is_a_folder(tree: Path) -> None:
    inner = tree / "e" / "result.json"
    inner.mkdir(parents=True)
    (inner / "run.jsonl").write_text("{}")
    assert "e/result.json/run.jsonl" in names(tree)


REFUSED = [
    ("missing", "nowhere", None, "no such file or folder"),
    ("ours", "a/score.json", None, "mmeval wrote"),
    ("nothing-here", "d", None, "no result.json or .jsonl below it; it holds result.json.part, x.jsonl.tmp"),
    ("no-match", "a", "*.csv", r"nothing that matches '\*.csv' below it; it holds metadata.json"),
    ("empty-pattern", "a", " ", "--score_result_glob is empty"),
    ("absolute-pattern", "a", "/etc/*", "is no pattern below a folder"),
]


@pytest.mark.parametrize("folder,pattern,says", [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_refused(tree: Path, folder: str, pattern: str | None, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        discover(tree / folder, pattern)


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="it holds no files"):
        discover(tmp_path, None)


def test_many_other_files_are_summed_up(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.csv").write_text("")
    with pytest.raises(UsageError, match=r"it holds 0.csv, .*4.csv and 4 more; name the right ones"):
        discover(tmp_path, None)


def test_a_folder_that_cannot_be_looked_into(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    def scandir(folder: object) -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(UsageError, match=r"cannot be looked into \(Permission denied\)"):
        discover(tree, None)
