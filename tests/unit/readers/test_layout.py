"""Whole files: what loads, what is refused, and with which sentence."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mmeval.errors import ResultError
from mmeval.readers import Fields, layout, open_run

ROW = '{"eval-id":%d,"messages":[{"question":"q"},{"response":"B"}],"answer":"B"}'
A, B = ROW % 0, ROW % 1
DEEP = "[" * 10_000 + "]" * 10_000


def ids(path: Path) -> list[str | int]:
    with open_run(path) as run:
        return [sample.id for sample in run.samples(Fields())]


LOADS = [
    ("array", f"[{A},{B}]", "result.json", "result.json"),
    ("spaced", f"\n [ {A} ,\r\n\t{B} ] \n", "result.json", "result.json"),
    ("bom", f"\ufeff[{A},{B}]", "result.json", "result.json"),
    ("any-name", f"[{A},{B}]", "predictions.txt", "result.json"),
    ("lines", f"{A}\n{B}\n", "run.jsonl", "jsonl"),
    ("no-final-newline", f"{A}\n{B}", "run.jsonl", "jsonl"),
    ("blank-lines", f"\n\n{A}\r\n  \n{B}\n\n", "run.jsonl", "jsonl"),
    ("lines-bom", f"\ufeff{A}\n{B}\n", "run.jsonl", "jsonl"),
    ("an-array-in-a-jsonl", f"[{A},{B}]", "run.jsonl", "result.json"),
    ("upper-case-name", f"{A}\n{B}\n", "RUN.JSONL", "jsonl"),
    ("nan-elsewhere", f'[{A[:-1]},"x":NaN}},{B}]', "result.json", "result.json"),
    ("nan-in-lines", f'{A[:-1]},"x":NaN}}\n\n{B}\n', "run.jsonl", "jsonl"),
    ("surrogate-elsewhere", f'[{A[:-1]},"x":"\\ud800"}},{B}]', "result.json", "result.json"),
    ("raw-control", f'[{A[:-1]},"x":"a\x01\tb"}},{B}]', "result.json", "result.json"),
    ("deep-elsewhere", f'[{A},{{"x":{DEEP},"eval-id":1}}]', "result.json", "result.json"),
    ("out-of-range", f'[{A[:-1]},"x":1e400}},{B}]', "result.json", "result.json"),
]


@pytest.mark.parametrize("text,name,form", [c[1:] for c in LOADS], ids=[c[0] for c in LOADS])
def test_loads(write: Callable[..., Path], text: str, name: str, form: str) -> None:
    path = write(text, name)
    with open_run(path) as run:
        assert (run.n_rows, run.format) == (2, form)
        assert run.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert ids(path) == [0, 1]


def test_bytes_that_are_not_utf8_cost_no_row(write: Callable[..., Path]) -> None:
    path = write(f'[{A[:-1]},"x":"caf\xe9"}},{B}]'.encode("latin-1"))
    with open_run(path) as run:
        first, second = run.samples(Fields())
    assert first.fields["x"] == "caf\ufffd"
    assert second.id == 1


REFUSED = [
    # id, content, file name, what the message must say
    ("empty", "", "result.json", "is empty"),
    ("only-space", " \n\t", "result.json", "is empty"),
    ("only-bom", "\ufeff", "result.json", "is empty"),
    ("empty-array", "[]", "result.json", "holds no rows"),
    ("empty-array-spaced", " [ \n ] ", "result.json", "holds no rows"),
    ("empty-lines", "\n\n", "run.jsonl", "is empty"),
    ("utf-16", "[1]".encode("utf-16"), "result.json", "UTF-16.*UTF-8"),
    ("utf-16-without-mark", "[1]".encode("utf-16-le"), "result.json", "UTF-16.*UTF-8"),
    ("utf-16-other-way", "[1]".encode("utf-16-be"), "result.json", "UTF-16.*UTF-8"),
    ("null-bytes", b"\x00" * 64, "result.json", "null bytes.*write it again"),
    (
        "score-file",
        '{"config":{},"summary":{},"samples":[]}',
        "x.json",
        "it is a score file, not predictions",
    ),
    ("gzip", b"\x1f\x8b\x08\x00rest", "result.json", "compressed"),
    ("spreadsheet", b"PK\x03\x04rest", "result.xlsx", "spreadsheet"),
    ("parquet", b"PAR1rest", "x.parquet", "parquet"),
    ("text", "hello", "result.json", "not an array.*write a JSON array"),
    ("number", "5", "result.json", "not an array"),
    ("object-with-results", f'{{"n":1,"results":[{A}]}}', "result.json", "is an object.*under 'results'"),
    ("object", '{"a":{}}', "result.json", "is an object.*write an array"),
    ("object-broken", '{"a":', "result.json", "is an object"),
    ("object-deep", '{"a":' + DEEP + "}", "result.json", "is an object"),
    ("lines-in-json", f"{A}\n{B}\n", "result.json", "rename it to .jsonl"),
    ("torn-string", f'[{A},{{"eval-id":1,"x":"ab', "result.json", r"byte 95 \(line 1, row 1\).*cut off"),
    ("torn-row", f'[{A},\n{{"eval-id":1,', "result.json", r"line 2, row 1\).*cut off"),
    ("torn-after-row", f"[{A}", "result.json", "row 0.*cut off"),
    ("torn-after-comma", f"[{A},", "result.json", "row 1.*cut off"),
    ("torn-deep", "[" * 10_000, "result.json", "cut off"),
    ("torn-with-nan", f'[{A[:-1]},"x":NaN}},{B[:30]}', "result.json", "row 1.*cut off"),
    ("missing-comma", f"[{A} {B}]", "result.json", r"byte 75 .*row 0.*is a comma missing"),
    ("two-commas", f"[{A},,{B}]", "result.json", "row 1"),
    ("trailing-comma", f"[{A},]", "result.json", "row 1"),
    ("unquoted", f"[{A},{{x:1}}]", "result.json", r"byte 76 \(line 1, row 1\): Expecting property name"),
    ("stray-quote", f'[{A},{{"a":"say "hi""}},{B}]', "result.json", "row 1.*Expecting ',' delimiter"),
    ("bad-escape", f'[{A},\n\n{{"a":"\\q"}}]', "result.json", r"line 3, row 1\): Invalid \\+escape"),
    ("python-literals", f"[{A},{{'a':None}}]", "result.json", "row 1.*Expecting property name"),
    ("true-misspelt", '[{"a":True}]', "result.json", "row 0.*Expecting value"),
    ("trailing-text", f"[{A}] x", "result.json", "something follows the array"),
    ("two-arrays", f"[{A}][{B}]", "result.json", "something follows the array"),
    ("wrong-bracket", f"[{A}}}", "result.json", "wrong bracket"),
    ("broken-line", f"{A}\n{{x}}\n{B}\n", "run.jsonl", r"line 2, row 1\): Expecting"),
    ("torn-line", f"{A}\n{B[:40]}", "run.jsonl", "line 2.*cut off"),
    ("torn-line-in-the-middle", f"{A[:40]}\n{B}\n", "run.jsonl", "line 1"),
    ("not-lines", "a,b\n1,2\n", "run.jsonl", "line 1.*Expecting value"),
]


@pytest.mark.parametrize("content,name,says", [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_refused(write: Callable[..., Path], content: str | bytes, name: str, says: str) -> None:
    path = write(content, name)
    with pytest.raises(ResultError, match=says) as caught:
        open_run(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message


def test_paths(tmp_path: Path) -> None:
    folder = tmp_path / "result.json"
    folder.mkdir()
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "nowhere.json")
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    for path, says in (
        (folder, "is a folder"),
        (link, "link to a file that does not exist"),
        (pipe, "is not a file"),
        (tmp_path / "missing.json", "cannot be read|is not a file"),
        (tmp_path / "pipe.json" / "below.json", "cannot be read|is not a file"),
    ):
        with pytest.raises(ResultError, match=says):
            open_run(path)


def test_an_unreadable_file(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("[1]")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", refuse)
    with pytest.raises(ResultError, match=r"cannot be read \(Permission denied\)"):
        open_run(path)


@pytest.mark.parametrize("name,text", [("result.json", f"\ufeff[{A},{B}]"), ("x.jsonl", f"{A}\n{B}\n")])
def test_large_files_are_mapped(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setattr(layout, "MAP_FROM", 1)
    path = write(text, name)
    assert ids(path) == [0, 1]
    with open_run(path) as run:
        rows = run.samples(Fields())
        next(rows)
    assert [row.id for row in rows] == [1]
    with pytest.raises(ResultError, match="cut off"):
        open_run(write(text.rstrip("]\n")[:-3], name))


def test_reading_twice_gives_the_same(write: Callable[..., Path]) -> None:
    path = write(json.dumps([json.loads(A), json.loads(B)]))
    with open_run(path) as run:
        assert list(run.samples(Fields())) == list(run.samples(Fields()))
