"""A block as a methods section: every section says what the block declares."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval import library
from mmeval.metadata import Block
from mmeval.registry import protocol_folders
from mmeval.reports.catalogue import protocol_text
from mmeval.reports.methods import WIDTH, methods, needs_judge


def sections(text: str) -> dict[str, str]:
    """The sections of a text, each on one line."""
    found = {}
    for part in text.split("\n\n"):
        title, _, body = part.partition("\n")
        found[title] = " ".join(body.split())
    return found


def told(
    declared: dict[str, Any], task: str = "What is asked.", deviations: tuple[str, ...] = ()
) -> dict[str, str]:
    return sections(methods(Block.model_validate(declared), task, deviations))


FULL = {
    "score_pipeline": ["exact-match", "rule-match"],
    "score_question_type": "yes_no",
    "score_params": {
        "yes_no_rules": "mme",
        "numeric_rel_tol": 0.05,
        "stages": {"rule-match": {"settle_misses": True}},
    },
    "score_derive": [
        {"from": "index", "split": "_", "into": ["a", "b"]},
        {"from": "eval-id", "split": "_", "into": ["a", "b"]},
        {"from": "image", "into": ["c"]},
    ],
    "score_filter": [{"field": "visual", "not": ["0"]}, {"field": "split", "is": ["val", "test"]}],
    "score_fields": {"gt": "truth"},
    "score_rows": 12,
    "score_aggregates": [
        {"name": "accuracy", "reduce": "mean", "headline": True},
        {"name": "cats", "reduce": "mean", "where": {"kind": ["cat"]}},
        {"name": "dogs", "reduce": "mean", "where": {"kind": ["dog"]}},
        {"name": "birds", "reduce": "mean", "where": {"other": ["bird"]}, "scale": 100},
    ],
    "score_protocol": {"status": "official", "official": "o/r p@c", "paper": "arXiv:1", "note": "A note."},
}


EXPECTED = """\
Task
  What is asked. Every row is read as a yes/no question.

In short
  A note.

Rows
  The benchmark has 12 rows. Another number is reported as a deviation. Rows whose visual is 0 are
  left out and counted. Only rows whose split is val or test are scored; the others are counted.
  Where a row lacks a and b, they are the pieces between '_' of index, or else of eval-id. Where a
  row lacks c, it is copied from image. The gold lies in the field truth.

Reading
  1. exact-match, version 1: decides 1 where the whole prediction is the gold: a letter, yes or no,
  a number, or a text. Yes and no by the rule set mme (Yes or no as the MME authors read it: the
  first four characters decide). Parameters: numeric_rel_tol 0.05. 2. rule-match, version 1: decides
  1 where the answer that the rules read is the gold. Yes and no by the rule set mme (Yes or no as
  the MME authors read it: the first four characters decide). Parameters: numeric_rel_tol 0.05. Of
  several predictions of a sample the first is scored.

Decision
  The first stage that decides settles the row; a stage that cannot decide passes it on. An answer
  that was read and is not the gold settles the row as wrong. A row that no stage decides is
  undecided: it counts as wrong, and is reported apart from those that were read. No answer is ever
  guessed. No judge is asked.

Headline
  accuracy: the mean score. Its 95 % interval: Wilson's for scores of 0 and 1, Student's t for
  graded ones.

Also reported
  * By kind, the mean score: cats and dogs. * birds: the mean score, over the rows whose other is
  bird, times 100.

Source
  Official: the named code gives the same verdict on every row on which it does not guess. Source:
  o/r p@c. Paper: arXiv:1.

Known deviations
  * One. * Two.
"""


def test_every_section() -> None:
    assert told(FULL, deviations=("One.", "Two.")) == sections(EXPECTED)


def test_what_is_not_declared_is_not_told() -> None:
    found = told({"score_pipeline": ["rule-match"]}, task="")
    assert found["Task"] == "Each row says what kind of question it is, or its options and gold do."
    assert found["Rows"] == "Any number of rows can be scored; their number is reported."
    assert found["Headline"].startswith("accuracy: the mean score.")
    assert found["Source"].startswith("This block does not say")
    assert "settles the row as wrong" not in found["Decision"]
    assert not {"Also reported", "In short", "Known deviations"} & set(found)
    for rules in ("Options by", "Yes and no by", "Numbers by", "Open answers by"):
        assert f"{rules} the rule set robust" in found["Reading"]


def test_a_route_is_told_arm_by_arm() -> None:
    route = {
        "route": ["task", "form"],
        "cases": [
            {"when": {"task": ["depth", "size"], "form": ["number"]}, "pipeline": ["mra"]},
            {"when": {"task": ["text"]}, "pipeline": ["anls"], "params": {"threshold": 0.25}},
        ],
    }
    reading = told({"score_pipeline": route, "score_predictions": "all"})["Reading"]
    assert "Rows whose task is depth or size and whose form is number: 1. mra, version" in reading
    assert "Rows whose task is text: 1. anls, version 1: " in reading
    assert "Parameters: threshold 0.25. All other rows are invalid. All predictions of a sample" in reading
    misses = {**route, "cases": [{"when": {"task": ["text"]}, "pipeline": ["rule-match"]}]}
    misses["cases"][0]["params"] = {"settle_misses": True}
    assert "settles the row as wrong" in told({"score_pipeline": misses})["Decision"]
    default = told({"score_pipeline": {**route, "default": ["rule-match"]}})["Reading"]
    assert "All other rows: 1. rule-match, version" in default


@pytest.mark.parametrize(
    ("declared", "asked"),
    [
        ({"score_pipeline": ["rule-match"]}, False),
        ({"score_pipeline": ["rule-match", "llm-match"]}, True),
        ({"score_pipeline": ["rule-match"], "score_judge": {"contract": "binary", "prompt": "match"}}, True),
        (
            {
                "score_pipeline": {
                    "route": ["a"],
                    "cases": [{"when": {"a": ["x"]}, "pipeline": ["llm-judge"]}],
                }
            },
            True,
        ),
        ({"score_pipeline": {"unsupported": "video"}}, False),
        ({"score_pipeline": {"unsupported": "llm-judge"}}, True),
        ({}, False),
    ],
)
def test_whether_a_judge_is_needed(declared: dict[str, Any], asked: bool) -> None:
    assert needs_judge(Block.model_validate(declared)) is asked


def test_what_is_not_supported_says_why() -> None:
    block = {
        "score_pipeline": {"unsupported": "video", "reason": "no frames"},
        "score_protocol": {"note": "Clips."},
    }
    found = told(block)
    assert found.keys() == {"Task", "Not supported"}
    assert found["Task"] == "Clips."
    assert found["Not supported"].startswith("This part is not scored (video: no frames).")


TITLES = [
    f"{folder}{'' if subset == '*' else f':{subset}'}{f'@{variant}' if variant else ''}"
    for folder in protocol_folders()
    for subset, block in library.load(folder).subsets.items()
    for variant in ("", *block.variants)
    if len(library.load(folder).subsets) > 1 or subset == "*"
]


@pytest.mark.parametrize("title", TITLES)
def test_every_block_of_the_library_is_told(title: str) -> None:
    text = protocol_text(title)
    assert [line for line in text.splitlines() if len(line) > WIDTH and " " in line.strip()] == []
    assert "\nSource\n" in text or "Not supported\n" in text
    assert "  \n" not in text and not text.endswith("\n")


def test_a_remainder_is_not_called_a_copy() -> None:
    """MMBench's groups are index modulo 1,000,000: a copy of the index would make no group at all."""
    said = told({"score_derive": [{"from": "index", "modulo": 1000000, "into": ["group"]}]})
    assert "Where a row lacks group, it is the remainder by 1,000,000 of index." in said["Rows"]
