"""Every reason code that the rules can give has a sentence of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mmeval.reports.reasons import WORDS, sentence

ROOT = Path(__file__).parents[3]
MADE_BY = {"Found", "Pass", "Invalid", "Flaw", "Outcome", "invalid", "Score"}
CODE = re.compile(r"[a-z]+(-[a-z]+)+")


def codes(path: Path) -> Iterator[str]:
    """Kebab-case literals that are handed to something which carries a reason."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MADE_BY:
            for each in ast.walk(node):
                if isinstance(each, ast.Constant) and CODE.fullmatch(str(each.value)):
                    yield str(each.value)


def sources() -> list[Path]:
    rooms = ("options", "yes_no", "numbers", "answers", "readers", "stages")
    found = [path for room in rooms for path in sorted((ROOT / "mmeval" / room).glob("*.py"))]
    return [*found, ROOT / "mmeval/pipeline.py", ROOT / "mmeval/settling.py", ROOT / "mmeval/matching.py"]


def test_every_code_has_words() -> None:
    used = {code for path in sources() for code in codes(path)}
    assert len(used) > 30
    assert used - set(WORDS) == set()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("boxed", "it stands in the last \\boxed{}", id="known"),
        pytest.param("some-new-rule", "some new rule", id="unknown"),
        pytest.param(None, "no reason given", id="none"),
        pytest.param(
            "boxed-is-not-the-gold",
            "it stands in the last \\boxed{}; it is not the gold, and a later stage may still grade it",
            id="miss",
        ),
        pytest.param(
            "duplicate-id: id 3 occurs 2 times",
            "another row has the same id, so it is not known which one counts: id 3 occurs 2 times",
            id="detail",
        ),
    ],
)
def test_sentence(code: str | None, expected: str) -> None:
    assert sentence(code) == expected


def test_nothing_follows_the_last_stage() -> None:
    assert (
        sentence("boxed-is-not-the-gold", last=True) == "it stands in the last \\boxed{}; it is not the gold"
    )


@pytest.mark.parametrize("code", ["spaced", "prefix", "conclusion", "number", "read", "blank", "text-alone"])
def test_codes_of_one_word_have_words_too(code: str) -> None:
    assert sentence(code) != code.replace("-", " ")
