"""What the reader's tests share: a row in simple-mmeval's layout, and a writer of raw files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def row(index: Any = 0, response: Any = "B", **columns: Any) -> dict[str, Any]:
    return {
        "eval-id": index,
        "messages": [
            {"role": "user", "question": "Which?", "options": {"A": "cat", "B": "dog"}},
            {"role": "assistant", "response": response},
        ],
        "answer": "B",
        **columns,
    }


@pytest.fixture
def make_row() -> Callable[..., dict[str, Any]]:
    return row


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a run: bytes and text as they are, anything else as JSON."""

    def put(content: Any, name: str = "result.json") -> Path:
        path = tmp_path / name
        if not isinstance(content, bytes):
            text = content if isinstance(content, str) else json.dumps(content)
            content = text.encode("utf-8", "surrogatepass")
        path.write_bytes(content)
        return path

    return put
