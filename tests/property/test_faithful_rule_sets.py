"""Laws of every faithful rule set: strict within loose, no exception, no slow reply."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval.reading import Grade, Knobs, Reading, rule_set
from mmeval.types import Options, Sample

KNOBS = Knobs()
SETS = [
    *(
        ("mmeval.options", name)
        for name in ("vlmevalkit", "vlmevalkit-head", "spatial", "mmmu", "mmmu-pro", "mathvision")
    ),
    *(("mmeval.options", name) for name in ("scienceqa", "tempcompass", "letter", "reference")),
    *(("mmeval.yes_no", name) for name in ("vlmevalkit", "pope", "mme", "tempcompass", "reference")),
    ("mmeval.answers", "mmmu"),
    ("mmeval.answers", "reference"),
    ("mmeval.numbers", "reference"),
]
NAMES = [f"{package.rpartition('.')[2]}-{name}" for package, name in SETS]
GOLDS = {"mmeval.options": "B", "mmeval.yes_no": "yes", "mmeval.answers": "a dog", "mmeval.numbers": "12"}
_MARKS = (
    "(B)",
    ".",
    ",",
    "\n",
    "**",
    "-",
    "%",
    "=",
    "<answer>",
    "</answer>",
    "\\boxed{",
    "}",
    "</s>",
    "\u2028",
)
_WORDS = (
    "A",
    "B",
    " ",
    "b",
    "Z",
    "yes",
    "No",
    "not",
    "dog",
    "cat",
    "the answer is ",
    "Answer: ",
    "12",
    "1,200",
)
PIECES = st.sampled_from([*_MARKS, *_WORDS, "İ", "ſ", "ß"])


def _sample(package: str) -> Sample:
    gold = GOLDS[package]
    options = Options(("A", "B", "C"), ("cat", "a dog", ""), "options")
    return Sample(1, "", options, gold, (gold,), (), "open")


def _sane(reading: Reading, prediction: str) -> None:
    assert (reading.found.value is None) == (reading.hit is None)
    if reading.found.span is not None:
        start, end = reading.found.span
        assert 0 <= start <= end <= len(prediction)


@pytest.mark.parametrize(("package", "name"), SETS, ids=NAMES)
@settings(max_examples=150, deadline=None)
@given(prediction=st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=40))
def test_readings_are_sane(package: str, name: str, prediction: str) -> None:
    rules, sample = rule_set(package, name), _sample(package)
    strict, loose = rules.exact(prediction, sample, KNOBS), rules.rule(prediction, sample, KNOBS)
    _sane(strict, prediction)
    _sane(loose, prediction)
    if name != "reference" and strict.found.value is not None:
        assert (strict.found.value, strict.hit) == (loose.found.value, loose.hit)


UNITS = [
    "A",
    "a ",
    "(B) ",
    "1",
    "1,",
    "1.",
    "-",
    "=",
    "so ",
    "answer is ",
    "\\boxed{",
    "<answer>",
    "**A:",
    " ",
    "\n",
]
UNITS += [
    "yes ",
    "no.",
    ".",
    "é",
    "选",
    "Answer:",
    "A/B,",
    "12e",
    "`",
    "The answer is A.",
    "dog ",
    "(",
    "correct option ",
]


def _seconds(grade: Grade, prediction: str, sample: Sample) -> float:
    start = time.process_time()
    grade(prediction, sample, KNOBS)
    return time.process_time() - start


@pytest.mark.parametrize(("package", "name"), SETS, ids=NAMES)
def test_ten_thousand_characters_take_no_time(package: str, name: str) -> None:
    rules, sample = rule_set(package, name), _sample(package)
    slow = {}
    for unit in UNITS:
        for at, grade in enumerate((rules.exact, rules.rule)):
            replies = (unit * (10_000 // len(unit)) + " " * tries for tries in range(4))
            best = min(_seconds(grade, reply, sample) for reply in replies)
            if best >= 0.100:  # 10 ms, with room for a coverage run on a busy machine
                slow[unit, at] = best
    assert not slow
