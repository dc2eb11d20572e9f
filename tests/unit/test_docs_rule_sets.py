"""docs/rule-sets.md shows every rule set, and every example in it is what the code reads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from mmeval.reading import Knobs, names, rule_set
from mmeval.types import Options, QuestionType, Sample

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rule-sets.md"
TEXT = PAGE.read_text(encoding="utf-8")
HEADER = "| set | question type | options | gold | reply | reads | reason | right |"
PACKAGES: dict[str, str] = {
    "mcq": "mmeval.options",
    "yes_no": "mmeval.yes_no",
    "numeric": "mmeval.numbers",
    "open": "mmeval.answers",
}
RIGHT = {None: "-", True: "yes", False: "no"}


class Example(NamedTuple):
    """One row of an example table, as written."""

    rules: str
    kind: QuestionType
    options: str
    gold: str
    reply: str
    reads: str
    reason: str
    right: str


def examples() -> list[Example]:
    """The rows of all tables under the one header."""
    rows: list[Example] = []
    inside = False
    for line in TEXT.splitlines():
        if line == HEADER:
            inside = True
        elif inside and line.startswith("| "):
            rows.append(Example(*(cell.strip() for cell in line.strip("|").split("|"))))  # type: ignore[arg-type]
        elif not line.startswith("|---"):
            inside = False
    return rows


def sample(example: Example) -> Sample:
    """The question of an example."""
    texts = () if example.options == "-" else tuple(example.options.split(" / "))
    options = (
        Options(tuple("ABCDEFGH"[: len(texts)]), texts, "options") if texts else Options(tuple("ABCDEF"))
    )
    return Sample(0, "", options, example.gold, (example.gold,), (), example.kind)


def unquoted(cell: str) -> str:
    """The text of a cell: without its back-ticks, with its line breaks."""
    return "" if cell == "(empty)" else cell.strip("`").replace("\\n", "\n")


EXAMPLES = examples()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda row: f"{row.kind}-{row.rules}-{row.reply}")
def test_an_example_is_what_the_code_reads(example: Example) -> None:
    rules = rule_set(PACKAGES[example.kind], example.rules)
    reading = rules.rule(unquoted(example.reply), sample(example), Knobs())
    value = None if example.reads == "-" else unquoted(example.reads)
    assert (reading.found.value, reading.found.rule) == (value, example.reason)
    assert example.right == (RIGHT[reading.hit] if value is not None else "-")


@pytest.mark.parametrize("kind", sorted(PACKAGES))
def test_every_rule_set_has_a_section_and_examples(kind: str) -> None:
    known = set(names(PACKAGES[kind]))
    assert {row.rules for row in EXAMPLES if row.kind == kind} == known
    (chapter,) = [each for each in chapters() if f"\n| {sorted(known)[0]} | {kind} |" in each]
    assert set(re.findall(r"^### (\S+)$", chapter, flags=re.M)) == known


def chapters() -> list[str]:
    """The page, cut at its second-level headings."""
    return re.split(r"^## ", TEXT, flags=re.M)[1:]


def test_no_example_is_told_twice() -> None:
    assert len(EXAMPLES) == len(set(EXAMPLES)) > 100
