"""The package of docs/adding-a-stage.md, made of its blocks and installed, brings what the page says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adding-a-stage.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)


def block(language: str, word: str = "") -> str:
    (found,) = [text for name, text in BLOCKS if name == language and word in text]
    return found


FILES = {
    "pyproject.toml": block("toml"),
    "our_stages/__init__.py": "",
    "our_stages/starts_with.py": block("python", "class StartsWith"),
    "our_aggregates/__init__.py": 'REDUCERS = {"best-of": "best_of"}\n',
    "our_aggregates/best_of.py": block("python", "class BestOf"),
    "our_protocols/__init__.py": "",
    "our_protocols/Berries/metadata.json": block("json"),
}
RUN = [
    {
        "eval-id": number,
        "answer": "raspberry",
        "messages": [{"question": "Which berry?"}, {"response": response}],
        "dataset_meta": {"dataset_name": "Berries"},
    }
    for number, response in enumerate(("Raspberry, I think.", "It is a raspberry.", "A sloe."))
]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the package is installed into."""
    folder = tmp_path_factory.mktemp("package")
    for name, text in FILES.items():
        path = folder / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
    told = subprocess.run(
        [*pip, "--target", str(folder / "site"), str(folder / "source")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    return folder / "site"


def mmeval(installed: Path, cwd: Path, *arguments: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "mmeval", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_stage_the_aggregate_and_the_protocol_are_there(installed: Path, tmp_path: Path) -> None:
    assert "our_stages.starts_with" in mmeval(installed, tmp_path, "stages", "show", "starts-with")
    findings = json.loads(mmeval(installed, tmp_path, "doctor", "--json"))
    told = json.dumps(findings)
    assert "best-of" in told
    assert "starts-with" in told
    assert "Berries" in mmeval(installed, tmp_path, "protocols", "list")


def test_they_score(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps(RUN), encoding="utf-8")
    (scored,) = json.loads(mmeval(installed, tmp_path, "score", "--results", ".", "--json"))
    assert scored["config"]["protocol_source"] == "library"
    assert scored["config"]["params_effective"]["starts-with"] == {"shortest": 2}
    assert scored["summary"]["by_stage"]["starts-with"] == {"total": 1, "correct": 1}
