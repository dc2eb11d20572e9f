"""What conformance tests share: the peers' code, and the runs whose verdicts are known."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
RUNS = HERE.parents[2] / "shared" / "runs"


def _peer_oracle() -> Any:
    """The module beside this file (test folders are no packages)."""
    spec = importlib.util.spec_from_file_location("peer_oracle", HERE / "peer_oracle.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def ask_peer() -> Callable[[str, list[list[Any]]], list[Any]]:
    """`ask(function, arguments)` of peer_oracle.py; skips where no peers are installed."""
    oracle = _peer_oracle()
    if oracle.peers_python() is None:
        pytest.skip("MMEVAL_PEERS_PYTHON does not name a Python with the peers")
    ask: Callable[[str, list[list[Any]]], list[Any]] = oracle.ask
    return ask


@pytest.fixture(scope="session")
def official_run() -> Callable[[str], tuple[list[dict[str, Any]], dict[str, Any]]]:
    """`load(folder)`: rows and official verdicts of one run outside the repository; skips if absent."""

    def load(folder: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        run = RUNS / folder
        if not (run / "official.json").is_file():
            pytest.skip(f"the run {folder} is not beside the repository")
        return json.loads((run / "result.json").read_text()), json.loads((run / "official.json").read_text())

    return load
