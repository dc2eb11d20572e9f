"""Where a score must not go, and what becomes of output that nobody can take."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]
Command = Callable[..., "subprocess.CompletedProcess[str]"]
OPTIONS = {"A": "red", "B": "blue"}


@pytest.fixture
def run(write_run: Write, sample_row: Callable[..., dict[str, Any]]) -> Path:
    return write_run([sample_row(number, "B", "B", options=OPTIONS) for number in range(1, 5)], None)


@pytest.fixture
def shell(run: Path) -> Command:
    """A command line of a shell in the run's folder, `mmeval` for the command."""

    def call(line: str) -> subprocess.CompletedProcess[str]:
        told = line.replace("mmeval", f"'{sys.executable}' -m mmeval", 1)
        return subprocess.run(
            ["sh", "-c", told], cwd=run.parent, capture_output=True, text=True, timeout=60, check=False
        )

    return call


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("result.json", None, id="the-predictions-themselves"),
        pytest.param("other.json", "[1, 2]", id="another-array"),
        pytest.param("metadata.json", '{"subsets": {}}', id="metadata"),
        pytest.param("notes.json", "no json", id="no-json"),
    ],
)
def test_a_score_never_replaces_anything_else(
    shell: Command, run: Path, name: str, content: str | None
) -> None:
    target = run.with_name(name)
    if content is not None:
        target.write_text(content)
    before = target.read_bytes()
    done = shell(f"mmeval score --results result.json --out {name}")
    assert done.returncode == 2
    assert f"--out {name}: holds something else than a score; give a name that is free" in done.stderr
    assert target.read_bytes() == before


def test_a_score_replaces_a_score(shell: Command, run: Path) -> None:
    assert shell("mmeval score --results result.json --out mine.json").returncode == 0
    assert shell("mmeval score --results result.json --out mine.json --force").returncode == 0
    assert json.loads(run.with_name("mine.json").read_bytes())["summary"]["total"] == 4


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        pytest.param("score --results . > /dev/full", 2, "standard output cannot be written", id="out-full"),
        pytest.param("score --results . 2> /dev/full", 0, "", id="err-full"),
        pytest.param("score --results . >&-", 0, "", id="out-closed"),
        pytest.param("score --results . 2>&-", 0, "", id="err-closed"),
        pytest.param("score --results . >&- 2>&-", 0, "", id="both-closed"),
        pytest.param("score --results nothing 2>&-", 2, "", id="an-error-nobody-hears"),
        pytest.param("score --results nothing 2> /dev/full", 2, "", id="an-error-on-a-full-disk"),
    ],
)
def test_output_that_nobody_takes(shell: Command, run: Path, line: str, code: int, said: str) -> None:
    done = shell(f"mmeval {line}")
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert run.with_name("score.json").exists() is ("nothing" not in line)


def test_nothing_but_results_on_standard_output(shell: Command, run: Path) -> None:
    assert [each["up_to_date"] for each in json.loads(shell("mmeval score --results . --json 2>&-").stdout)]


def test_a_gate_holds_when_the_reader_leaves(shell: Command, run: Path) -> None:
    assert shell("{ mmeval score --results . --fail_under 2; echo $? >code; } | true").stdout == ""
    assert run.with_name("code").read_text() == "1\n"
    assert shell("{ mmeval schema metadata; echo $? >code; } | true").stdout == ""
    assert run.with_name("code").read_text() == "0\n"


@pytest.mark.parametrize(
    "flag", ["--protocol", "--score_pipeline", "--score_gt_field", "--score_pred_field", "--score_param a="]
)
def test_a_flag_that_is_no_utf_8(shell: Command, run: Path, flag: str) -> None:
    name, _, start = flag.partition(" ")
    done = shell(f"mmeval score --results . {name} {start}$(printf '\\377')")
    assert done.returncode == 2
    assert f"error: {name}" in done.stderr
    assert "is not UTF-8" in done.stderr
    assert not run.with_name("score.json").exists()


def test_a_choice_that_is_missing_is_told_in_one_line(shell: Command) -> None:
    done = shell("mmeval schema")
    assert done.returncode == 2
    assert done.stderr == (
        "error: Missing argument 'kind'. Choose from: metadata, result, score; see mmeval schema --help\n"
    )


def test_every_error_names_its_run(shell: Command) -> None:
    done = shell("mmeval score --results . --protocol POPPE")
    assert "error: result.json: no protocol 'POPPE' in the library; did you mean 'POPE'?" in done.stderr


def test_a_name_with_a_line_break_stays_in_its_row(shell: Command, run: Path) -> None:
    folder = run.with_name("two\nlines")
    folder.mkdir()
    run.rename(folder / "result.json")
    assert "\ntwo\\u000alines  -         accuracy" in shell("mmeval score --results .").stdout


def test_a_folder_named_like_markup_does_not_disturb_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    from mmeval.cli.progress import Progress

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with Progress(1) as bar:
        bar.run(Path("[red]x[/nope]/result.json"))(1)
        time.sleep(0.2)


def test_an_id_that_looks_like_an_option(
    shell: Command, write_run: Write, sample_row: Callable[..., dict[str, Any]]
) -> None:
    write_run([sample_row(-1, "B", "B", options=OPTIONS)], None)
    assert shell("mmeval score --results .").returncode == 0
    assert shell("mmeval explain . -1").stdout.startswith("sample -1 of score.json")
    assert shell("mmeval explain . --jsn").stderr == "error: score.json: no sample '--jsn'; it has 1: -1\n"
    assert shell("mmeval explain . -1 --jsn").returncode == 2


def _without(value: Any, wrong: Any) -> Iterator[Any]:
    """The same document again and again, each time with one value replaced, or gone (`wrong` is ...)."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        changed = dict(value) if isinstance(value, dict) else list(value)
        if wrong is ...:
            del changed[key]
        else:
            changed[key] = wrong
        yield changed
        for inner in _without(each, wrong):
            deeper = dict(value) if isinstance(value, dict) else list(value)
            deeper[key] = inner
            yield deeper


@pytest.mark.parametrize("wrong", [..., 5, []], ids=repr)
def test_a_damaged_score_file_is_told(run: Path, capsys: pytest.CaptureFixture[str], wrong: Any) -> None:
    from mmeval.cli import main
    from mmeval.runner import Job, score_run

    path = score_run(run, Job()).score
    whole = json.loads(path.read_bytes())
    whole["samples"] = whole["samples"][:1]
    for document in _without(whole, wrong):
        path.write_text(json.dumps(document))
        for line in (["show", str(path)], ["explain", str(path), "1"]):
            with pytest.raises(SystemExit) as left:
                main(line)
            said = capsys.readouterr().err
            assert left.value.code in (0, 2)
            assert bool(said) is bool(left.value.code)


@pytest.mark.parametrize("kind", ["inline", "jsonl", "parquet"])
def test_a_gold_beyond_64_bits_keeps_its_digits(
    shell: Command, write_run: Write, sample_row: Callable[..., dict[str, Any]], kind: str
) -> None:
    gold = 2**70 + 1
    write_run([sample_row(1, gold, str(gold))], None)
    assert shell(f"mmeval score --results . --rows {kind}").returncode == 0
    row = json.loads(shell("mmeval explain . 1 --json").stdout)
    assert (row["gt"], row["score"]) == (gold, 1.0)
    assert f"gold      {gold}" in shell("mmeval explain . 1").stdout


WRAPPED = """
class Named:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt

class Owner:
    named = Named()
"""


@pytest.mark.parametrize("module", ["raise KeyboardInterrupt\n", WRAPPED], ids=["plain", "in-a-class"])
def test_an_interrupt_during_the_imports_is_no_traceback(tmp_path: Path, module: str) -> None:
    (tmp_path / "typer.py").write_text(module)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from mmeval.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "interrupted; nothing half-written was left\n")
