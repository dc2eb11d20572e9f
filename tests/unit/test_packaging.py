"""The wheel alone, in an empty environment: it scores from another folder, and plug-ins come in."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / "tests" / "fixtures" / "runs"
PARTS = ("mmeval", "stages", "protocols", "pyproject.toml", "README.md", "LICENSE")

PLUGIN = {
    "pyproject.toml": """
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "loud-stages"
version = "1.0"
dependencies = ["mmeval-score"]

[project.entry-points."mmeval.stages"]
loud = "loud_stages"

[project.entry-points."mmeval.protocols"]
loud = "loud_protocols"

[tool.setuptools]
packages = ["loud_stages", "loud_protocols", "loud_protocols.LoudBench"]

[tool.setuptools.package-data]
"*" = ["*.json"]
""",
    "loud_stages/__init__.py": "",
    "loud_stages/shout.py": """
from dataclasses import dataclass
from typing import ClassVar

from mmeval import Case, Pass, Score


@dataclass(frozen=True)
class Shout:
    \"\"\"Whether the reply is the gold in capitals.\"\"\"

    version: ClassVar[int] = 1
    marks: int = 0

    def __call__(self, case: Case) -> Score | Pass:
        wanted = case.sample.references[0].upper() + "!" * self.marks
        return Score(1.0, case.prediction) if case.prediction == wanted else Pass("not-shouted")
""",
    "loud_protocols/__init__.py": "",
    "loud_protocols/LoudBench/metadata.json": json.dumps(
        {
            "dataset_name": "LoudBench",
            "subsets": {"*": {"score_pipeline": ["shout"], "score_params": {"marks": 1}}},
        }
    ),
}


class Home(NamedTuple):
    """An environment of its own, with nothing but the wheel and what it depends on."""

    python: Path
    mmeval: Path
    wheel: Path
    sdist: Path


def call(*command: object, cwd: Path) -> str:
    ran = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def pip(python: Path, *arguments: object, cwd: Path) -> None:
    call(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *arguments, cwd=cwd)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("packaging")
    source = folder / "source"
    source.mkdir()
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copyfile
        extra = (
            {"symlinks": True, "ignore": shutil.ignore_patterns("__pycache__")}
            if (ROOT / part).is_dir()
            else {}
        )
        copy(ROOT / part, source / part, **extra)
    call(sys.executable, "-m", "build", "--outdir", folder / "dist", source, cwd=folder)
    venv.create(folder / "venv", with_pip=True)
    binaries = folder / "venv" / "bin"
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    pip(binaries / "python", wheel, cwd=folder)
    return Home(binaries / "python", binaries / "mmeval", wheel, sdist)


def test_the_wheel_holds_all_three_wings_once(home: Home) -> None:
    names = zipfile.ZipFile(home.wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"mmeval", home.wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info"}
    for file in ("py.typed", "stages/rule_match.py", "protocols/POPE/metadata.json", "cli/score.py"):
        assert f"mmeval/{file}" in names
    shipped = {
        name.split("/")[2] for name in names if name.startswith("mmeval/protocols/") and name.count("/") > 2
    }
    assert shipped == {path.parent.name for path in (ROOT / "protocols").glob("*/metadata.json")}
    assert len(names) == len(set(names))


def test_the_sdist_builds_the_same_wheel(home: Home, tmp_path: Path) -> None:
    with tarfile.open(home.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    call(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path / "dist", source, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert sorted(zipfile.ZipFile(wheel).namelist()) == sorted(zipfile.ZipFile(home.wheel).namelist())


@pytest.mark.parametrize("name", ["mcq_verbose", "pope", "textvqa", "docvqa", "spatial_route"])
def test_the_wheel_scores_like_the_source(home: Home, tmp_path: Path, name: str) -> None:
    from mmeval import Job, score

    for folder in ("wheel", "source"):
        shutil.copytree(RUNS / name, tmp_path / folder / name, ignore=shutil.ignore_patterns("*score.json"))
    call(home.mmeval, "score", "--results", f"wheel/{name}", cwd=tmp_path)
    made = json.loads((tmp_path / "wheel" / name / "score.json").read_bytes())
    ours = json.loads(score(tmp_path / "source" / name / "result.json", Job()).score.read_bytes())
    assert made["summary"] == ours["summary"]
    assert made["samples"] == ours["samples"]


def test_the_wheel_is_healthy(home: Home, tmp_path: Path) -> None:
    findings = json.loads(call(home.mmeval, "doctor", "--json", cwd=tmp_path))
    assert {each["state"] for each in findings} <= {"ok", "missing"}


def test_a_third_party_stage_and_protocol_score(home: Home, tmp_path: Path) -> None:
    for name, text in PLUGIN.items():
        path = tmp_path / "loud" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    pip(home.python, tmp_path / "loud", cwd=tmp_path)
    stages = json.loads(call(home.mmeval, "stages", "list", "--json", cwd=tmp_path))
    assert "loud_stages.shout" in {each["module"] for each in stages}
    rows = [
        {"eval-id": number, "answer": "yes", "messages": [{"question": "?"}, {"response": response}]}
        for number, response in enumerate(("YES", "yes", "YES!"))
    ]
    (tmp_path / "result.json").write_text(json.dumps(rows))
    scored = call(home.mmeval, "score", "--results", ".", "--score_pipeline", "shout", "--json", cwd=tmp_path)
    assert json.loads(scored)[0]["summary"]["by_stage"]["shout"] == {"total": 1, "correct": 1}
    named = [{**row, "dataset_meta": {"dataset_name": "LoudBench"}} for row in rows]
    (tmp_path / "result.json").write_text(json.dumps(named))
    (scored_by_name,) = json.loads(call(home.mmeval, "score", "--results", ".", "--json", cwd=tmp_path))
    assert scored_by_name["config"]["protocol_source"] == "library"
    rows_made = json.loads((tmp_path / "score.json").read_bytes())["samples"]
    assert [row["score"] for row in rows_made] == [0.0, 0.0, 1.0]
