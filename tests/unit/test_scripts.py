"""The scripts of the repository stand anywhere, and take any place for their environments."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(path.name for path in (ROOT / "scripts").iterdir())


def checksum(path: Path) -> str:
    with path.open("rb") as file:
        said = subprocess.run(["cksum"], stdin=file, capture_output=True, text=True, check=True)
    return said.stdout.split()[0]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_plain_shell_reads_it(name: str) -> None:
    subprocess.run(["sh", "-n", str(ROOT / "scripts" / name)], check=True)


@pytest.mark.parametrize("place", ["relative", "absolute"])
def test_the_peers_are_named_wherever_they_lie(tmp_path: Path, place: str) -> None:
    here = tmp_path / "a folder"
    for part in ("scripts", "tests/conformance"):
        (here / part).mkdir(parents=True)
    for name in ("scripts/peers", "scripts/env.sh", "tests/conformance/peers.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, here / name)
    peers = here / "peers" if place == "relative" else tmp_path / "else where"
    peers.mkdir()
    (peers / f".peers-{checksum(here / 'tests/conformance/peers.txt')}").touch()
    given = "peers" if place == "relative" else str(peers)
    ours = tmp_path / "venv"
    (ours / "bin").mkdir(parents=True)
    stamp = subprocess.run(
        "{ cat pyproject.toml; pwd; } | cksum",
        shell=True,
        cwd=here,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()[0]
    (ours / f".mmeval-{stamp}").touch()
    (ours / "bin" / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (ours / "bin" / "python").chmod(0o755)
    told = subprocess.run(
        [str(here / "scripts" / "peers")],
        cwd=tmp_path,
        env={**os.environ, "MMEVAL_PEERS_VENV": given, "MMEVAL_VENV": str(ours)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert told.stdout == f"{peers}/bin/python\n"
