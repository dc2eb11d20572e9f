"""The generator of replies: every shape is there, and the same seed gives the same rows."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path
from typing import Any

import pytest


def _generated() -> Any:
    """The module beside this file (test folders are no packages)."""
    spec = importlib.util.spec_from_file_location("generated", Path(__file__).with_name("generated.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


made = _generated()


@pytest.mark.parametrize("question", ["option", "yes_no", "number", "text"])
def test_every_shape_has_its_share(question: str) -> None:
    drawn = made.generated(question, 900)
    assert Counter(reply.shape for reply in drawn) == dict.fromkeys(made.SHAPES, 100)
    assert drawn == made.generated(question, 900)
    assert drawn != made.generated(question, 900, seed=4)
    assert len({reply.text for reply in drawn}) > 400
    assert all(bool(reply.options) is (question == "option") for reply in drawn)


def test_the_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MMEVAL_CONFORMANCE_ROWS", raising=False)
    assert made.rows() == 2000
    monkeypatch.setenv("MMEVAL_CONFORMANCE_ROWS", "20000")
    assert made.rows() == 20000


def test_disagreement() -> None:
    assert made.disagreement(["A", "B", None, "C"], ["A", "A", None, "D"]) == 0.5
