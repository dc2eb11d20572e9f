"""What many tests share: runs written to a temporary folder, and the command in this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mmeval import library
from mmeval.cli import main

# What tests import by name, such as `judge_server`.
sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))

Row = dict[str, Any]


class Ran(NamedTuple):
    """What a command left: its exit code, and what it said."""

    code: int
    out: str
    err: str


def row(number: int, answer: Any, response: Any, **columns: Any) -> Row:
    """One sample of a run; `question` and `options` go into the user's turn, the rest stays on top."""
    turn = {"role": "user", "question": columns.pop("question", "What is it?")}
    if "options" in columns:
        turn["options"] = columns.pop("options")
    made = {"eval-id": number, "answer": answer, **columns}
    made["messages"] = [turn, {"role": "assistant", "response": response}]
    return made


@pytest.fixture
def sample_row() -> Callable[..., Row]:
    return row


@pytest.fixture
def write_run(tmp_path: Path) -> Callable[..., Path]:
    """`write_run(rows, meta=None, name="run")`: the path of a `result.json` with these rows."""

    def write(rows: Sequence[Row], meta: Row | None = None, name: str = "run") -> Path:
        folder = tmp_path / name
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "result.json"
        made = [dict(each) if meta is None else {**each, "dataset_meta": meta} for each in rows]
        path.write_text(json.dumps(made, ensure_ascii=False, indent=1), encoding="utf-8")
        return path

    return write


@pytest.fixture
def mmeval(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """`mmeval("score", "--results", path)`: the command, in this process."""

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        code: object = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as left:
            code = left.code or 0
        said = capsys.readouterr()
        assert isinstance(code, int)
        return Ran(code, said.out, said.err)

    return run


@pytest.fixture
def protocols(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """`protocols(Folder={...metadata...})`: a protocol library of our own in place of the one that ships."""
    root = tmp_path / "protocols"
    folders: dict[str, Path] = {}

    def add(**metadata: Any) -> None:
        for name, content in metadata.items():
            folders[name] = root / name
            folders[name].mkdir(parents=True)
            text = content if isinstance(content, str) else json.dumps(content)
            (folders[name] / "metadata.json").write_text(text, encoding="utf-8")
        library.index.cache_clear()
        library.load.cache_clear()

    monkeypatch.setattr(library, "protocol_folders", lambda: folders)
    add()
    yield add
    library.index.cache_clear()
    library.load.cache_clear()
