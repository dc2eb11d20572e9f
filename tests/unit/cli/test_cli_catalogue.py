"""`stages`, `protocols`, `check`, `schema`, `doctor`, and the help of every command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.registry import protocol_folders, stage_fields, stage_modules

Mmeval = Callable[..., Any]
STAGES = sorted(stage_modules())


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ((), ("score", "explain", "Exit codes: 0 done")),
        (("score",), ("--results", "--score_pipeline", "--max_failed", "--json")),
        (("explain",), ("score.json", "eval-id", "--json")),
        (("show",), ("score.json", "--json")),
        (("compare",), ("--pairwise", "--anyway", "--flips", "--with_recorded", "--html", "--json")),
        (("stages",), ("list", "show")),
        (("stages", "list"), ("--json",)),
        (("stages", "show"), ("rule-match", "--json")),
        (("protocols",), ("list", "show")),
        (("protocols", "list"), ("--json",)),
        (("protocols", "show"), ("NAME@variant", "--json")),
        (("check",), ("metadata.json", "--json")),
        (("schema",), ("metadata", "result", "score")),
        (("doctor",), ("installation", "--json")),
    ],
)
def test_help(mmeval: Mmeval, command: tuple[str, ...], says: tuple[str, ...]) -> None:
    ran = mmeval(*command, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Usage: mmeval")
    for text in says:
        assert text in ran.out


@pytest.mark.parametrize("command", [(), ("stages",), ("protocols",)])
def test_a_command_without_anything_helps(mmeval: Mmeval, command: tuple[str, ...]) -> None:
    ran = mmeval(*command)
    assert ran.code == 2
    assert "Usage: mmeval" in ran.out + ran.err


def test_version(mmeval: Mmeval) -> None:
    ran = mmeval("--version")
    assert (ran.code, ran.out.split()[0]) == (0, "mmeval")


def test_stages_are_listed(mmeval: Mmeval) -> None:
    out = mmeval("stages", "list").out
    listed = json.loads(mmeval("stages", "list", "--json").out)
    assert [each["name"] for each in listed] == STAGES
    for each in listed:
        assert each["name"] in out
        assert each["decides"]
        assert isinstance(each["version"], int)


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_is_shown(mmeval: Mmeval, name: str) -> None:
    out = mmeval("stages", "show", name).out
    shown = json.loads(mmeval("stages", "show", name, "--json").out)
    assert shown["doc"].splitlines()[0] in out
    assert tuple(shown["parameters"]) == stage_fields(name)
    for parameter in shown["parameters"]:
        assert parameter in out


def test_protocols_are_listed(mmeval: Mmeval) -> None:
    out = mmeval("protocols", "list").out
    listed = json.loads(mmeval("protocols", "list", "--json").out)
    assert {each["folder"] for each in listed} == set(protocol_folders())
    for each in listed:
        assert each["name"] in out
        assert each["headline"]


@pytest.mark.parametrize("name", ["MMBench", "POPE", "mmbench", "MMBench@vlmevalkit", "mm-eval/ChartQA"])
def test_a_protocol_is_shown(mmeval: Mmeval, name: str) -> None:
    ran = mmeval("protocols", "show", name)
    assert (ran.code, ran.err) == (0, "")
    for text in ("Reading", "rule-match", "Headline", "Source"):
        assert text in ran.out
    assert json.loads(mmeval("protocols", "show", name, "--json").out)["subsets"]


def test_a_variant_is_shown_alone(mmeval: Mmeval) -> None:
    out = mmeval("protocols", "show", "POPE@sane").out
    assert "POPE@sane" in out
    assert "POPE@vlmevalkit" not in out.split("\n#")[0]


@pytest.fixture
def metadata(tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    def write(block: dict[str, Any]) -> Path:
        path = tmp_path / "metadata.json"
        path.write_text(json.dumps({"subsets": {"main": block}}))
        return path

    return write


def test_check_says_what_is_declared(mmeval: Mmeval, metadata: Callable[..., Path]) -> None:
    path = metadata({"score_pipeline": ["anls"], "variants": {"v": {"score_pipeline": ["mra"]}}})
    ran = mmeval("check", path)
    assert ran.code == 0
    assert f"ok: {path}" in ran.out
    assert "main: anls -> mean_score" in ran.out
    assert "main@v: mra -> mean_score" in ran.out
    assert mmeval("check", path.parent).out == ran.out
    assert json.loads(mmeval("check", path, "--json").out)[0]["ok"] is True


def test_check_tells_the_mistake_and_goes_on(mmeval: Mmeval, metadata: Callable[..., Path]) -> None:
    path = metadata({"score_pipeline": ["anl"]})
    ran = mmeval("check", path, "protocols/POPE", path.parent / "nowhere")
    assert ran.code == 2
    assert "did you mean 'anls'?" in ran.out
    assert "cannot be read" in ran.out
    findings = json.loads(mmeval("check", path, "--json").out)
    assert [each["ok"] for each in findings] == [False]


def test_every_protocol_of_the_library_is_usable(mmeval: Mmeval) -> None:
    ran = mmeval("check", *(str(folder) for folder in protocol_folders().values()))
    assert ran.code == 0, ran.out


def test_doctor(mmeval: Mmeval) -> None:
    ran = mmeval("doctor")
    assert ran.code == 0, ran.out
    for text in ("mmeval", "python", "pydantic", "extra judge", "rule-match", "pass@k", "every block usable"):
        assert text in ran.out
    findings = json.loads(mmeval("doctor", "--json").out)
    assert {each["state"] for each in findings} <= {"ok", "missing"}


@pytest.mark.parametrize("kind", ["metadata", "result", "score"])
def test_schema(mmeval: Mmeval, kind: str) -> None:
    schema = json.loads(mmeval("schema", kind).out)
    assert schema["title"].startswith(f"mmeval {kind}.json")
