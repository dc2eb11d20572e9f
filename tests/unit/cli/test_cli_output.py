"""What is printed cannot command the terminal, and every name can be printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.text.terminal_cells import visible

COMMAND = Path(sys.executable).with_name("mmeval")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 中 𝄞\n", "plain é 中 𝄞\n"),
        ("\x1b[2J", "\\u001b[2J"),
        ("a\rb\x07\x00\x7f", "a\\u000db\\u0007\\u0000\\u007f"),
        ("\x9b31m", "\\u009b31m"),
        ("a\u202eb\u2066\u2028", "a\\u202eb\\u2066\\u2028"),
        ('{"a": "\x9b"}', '{"a": "\\u009b"}'),
    ],
)
def test_controls_are_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_json_stays_json() -> None:
    assert json.loads(visible(json.dumps({"a": "\x9b\x7f\x1b"}, ensure_ascii=False))) == {"a": "\x9b\x7f\x1b"}


def test_an_answer_cannot_command_the_terminal(
    mmeval: Callable[..., Any], write_run: Callable[..., Path], sample_row: Callable[..., Any]
) -> None:
    path = write_run(
        [sample_row("\x1b]0;x\x07", "B", "\x1b[2J B \x9b31m", options={"A": "\x1b[1m", "B": "y"})]
    )
    said = [
        mmeval("score", "--results", path),
        mmeval("explain", path.parent, "\x1b]0;x\x07"),
        mmeval("explain", path.parent, "nobody"),
        mmeval("explain", path.parent, "\x1b]0;x\x07", "--json"),
        mmeval("show", path.parent),
    ]
    for ran in said:
        assert not {"\x1b", "\x9b", "\x07"} & set(ran.out + ran.err)
    assert "\\u001b[2J B" in said[1].out


@pytest.mark.parametrize("flags", [[], ["--json"]])
@pytest.mark.parametrize("name", [b"caf\xff", "café".encode()])
def test_any_name_of_a_file_and_any_terminal(tmp_path: Path, name: bytes, flags: list[str]) -> None:
    folder = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
    folder.mkdir()
    row = {"eval-id": 1, "answer": "é", "messages": [{"question": "?"}, {"response": "é"}]}
    (folder / os.fsdecode(name + b".jsonl")).write_text(json.dumps(row))
    ascii_only = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [COMMAND, "score", "--results", folder, *flags]
    ran = subprocess.run(command, env=ascii_only, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert b"Traceback" not in ran.stderr
    (score,) = folder.glob("*.score.json")
    explained = [COMMAND, "explain", score, "1"]
    assert subprocess.run(explained, env=ascii_only, capture_output=True, check=False).returncode == 0


def test_an_interrupt_leaves_130(tmp_path: Path) -> None:
    row = {"eval-id": 1, "answer": "B", "messages": [{"question": "?"}, {"response": "B"}]}
    (tmp_path / "result.json").write_text(json.dumps([row]))
    code = (
        "import os, signal\nfrom mmeval.cli import main\nfrom mmeval.stages.exact_match import ExactMatch\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background job ignores it
        "ExactMatch.__call__ = lambda self, case: os.kill(os.getpid(), signal.SIGINT)\n"
        "main(['score', '--results', '.'])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 130
    assert ran.stderr.splitlines()[-1] == "interrupted; nothing half-written was left"
    assert "Traceback" not in ran.stderr
    assert os.listdir(tmp_path) == ["result.json"]


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    with subprocess.Popen(
        [COMMAND, "protocols", "list", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert b"Traceback" not in said
