"""Rule sets by name."""

from __future__ import annotations

import pytest

from mmeval.errors import UsageError
from mmeval.reading import Knobs, Reading, RuleSet, names, rule_set
from mmeval.types import Found, Options, QuestionType, Sample

PACKAGES: dict[str, QuestionType] = {
    "mmeval.options": "mcq",
    "mmeval.yes_no": "yes_no",
    "mmeval.numbers": "numeric",
    "mmeval.answers": "open",
}
ALL = [(package, name) for package in PACKAGES for name in names(package)]
GOLDS = {"mcq": "B", "yes_no": "yes", "numeric": "12", "open": "bakery"}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_has_our_rules_and_the_reference_ones(package: str) -> None:
    found = names(package)
    assert {"robust", "reference"} <= set(found)
    assert list(found) == sorted(found)
    assert not [name for name in found if name.startswith("-") or "_" in name]


@pytest.mark.parametrize(("package", "name"), ALL)
def test_a_rule_set_is_what_its_module_is_called(package: str, name: str) -> None:
    rules = rule_set(package, name)
    assert isinstance(rules, RuleSet)
    assert rules.name == name
    assert rule_set(package, name) is rules


@pytest.mark.parametrize("grade", ["exact", "rule"])
@pytest.mark.parametrize("prediction", ["", " ", "B", "yes", "12", "?" * 1000, "\x00", "A or B"])
@pytest.mark.parametrize(("package", "name"), ALL)
def test_a_rule_set_reads_or_says_why_not(package: str, name: str, prediction: str, grade: str) -> None:
    kind = PACKAGES[package]
    gold = GOLDS[kind]
    options = Options(("A", "B", "C"), ("red", "green", "blue"), "options")
    sample = Sample(1, "q", options, gold, (gold,), (prediction,), kind)
    reading: Reading = getattr(rule_set(package, name), grade)(prediction, sample, Knobs())
    assert isinstance(reading.found, Found)
    assert reading.found.rule
    assert reading.found.rule == reading.found.rule.lower()
    assert " " not in reading.found.rule
    if reading.found.value is None:
        assert reading.hit is None or reading.hit is False
    if reading.found.span is not None:
        start, end = reading.found.span
        assert 0 <= start <= end <= len(prediction)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("robus", "no rule set 'robus' for options; did you mean 'robust'?"),
        ("zzz", "known: "),
        ("_gold", "no rule set '_gold'"),
        ("vlmevalkit_head", "did you mean 'vlmevalkit-head'?"),
        ("", "known: "),
    ],
)
def test_an_unknown_rule_set(name: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        rule_set("mmeval.options", name)
    assert says in str(caught.value)
