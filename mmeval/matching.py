"""What exact-match and rule-match share: their parameters, and the way from a reading to an outcome."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from mmeval.errors import UsageError
from mmeval.reading import Knobs, Reading, RuleSet, check, rule_set
from mmeval.types import Case, Invalid, Outcome, Pass, QuestionType, Score


@dataclass(frozen=True)
class Matching:
    """Parameters of the two matching stages.

    Attributes:
        option_rules: rule set for multiple choice (a module of `mmeval.options`).
        yes_no_rules: rule set for yes/no questions (a module of `mmeval.yes_no`).
        number_rules: rule set for numeric questions (a module of `mmeval.numbers`).
        answer_rules: rule set for open questions (a module of `mmeval.answers`).
        settle_misses: an answer that was read and is not the gold is wrong here and now. So it is in the
            VLMEvalKit family, where the model is asked only when extraction fails. Otherwise it passes on,
            with what was read.
        numeric_rel_tol: tolerance relative to the gold (0.05 is 5 %); off where the gold is 0.
        numeric_abs_tol: absolute tolerance, in the unit of the gold.
        string_match: `exact` compares whole answers, `contains` looks for a reference inside the answer,
            `anls` accepts a normalised Levenshtein similarity of at least `anls_threshold`.
        anls_threshold: similarity in 0..1, for `string_match: anls`.
        percent: `strip` reads 24% as 24, `fraction` as 0.24, `refuse` reads nothing there.
    """

    option_rules: str = "robust"
    yes_no_rules: str = "robust"
    number_rules: str = "robust"
    answer_rules: str = "robust"
    settle_misses: bool = False
    numeric_rel_tol: float = 0.0
    numeric_abs_tol: float = 0.0
    string_match: Literal["exact", "contains", "anls"] = "exact"
    anls_threshold: float = 0.5
    percent: Literal["strip", "fraction", "refuse"] = "strip"

    def __post_init__(self) -> None:
        """Refuse unknown rule sets and impossible tolerances before the first sample."""
        for value, name in (
            (self.numeric_rel_tol, "numeric_rel_tol"),
            (self.numeric_abs_tol, "numeric_abs_tol"),
        ):
            if not 0.0 <= value < float("inf"):
                raise UsageError(f"{name} must be a number of at least 0, not {value}")
        if not 0.0 <= self.anls_threshold <= 1.0:
            raise UsageError(f"anls_threshold must lie in 0..1, not {self.anls_threshold}")
        for package, name in self.rules.values():
            check(package, name)

    @cached_property
    def rules(self) -> dict[QuestionType, tuple[str, str]]:
        """The package and name of the rule set of each kind of question."""
        return {
            "mcq": ("mmeval.options", self.option_rules),
            "yes_no": ("mmeval.yes_no", self.yes_no_rules),
            "numeric": ("mmeval.numbers", self.number_rules),
            "open": ("mmeval.answers", self.answer_rules),
        }

    def rule_set(self, kind: QuestionType) -> RuleSet:
        """The rule set of a kind of question."""
        return rule_set(*self.rules[kind])

    @cached_property
    def knobs(self) -> Knobs:
        """The tolerances and modes, for the rule sets."""
        return Knobs(
            self.numeric_rel_tol, self.numeric_abs_tol, self.string_match, self.anls_threshold, self.percent
        )

    def outcome(self, reading: Reading) -> Outcome:
        """Score what was read and is the gold (or, with `settle_misses`, is not); pass on everything else."""
        found = reading.found
        if reading.invalid is not None:
            return Invalid(reading.invalid)
        if reading.hit:
            return Score(1.0, found.value, found.span, found.rule)
        if found.value is None:
            return Pass(found.rule)
        if self.settle_misses and reading.hit is not None:
            return Score(0.0, found.value, found.span, found.rule)
        return Pass(f"{found.rule}-is-not-the-gold", found.value, found.span)


def read(stage: Matching, case: Case, kind: Literal["exact", "rule"]) -> Outcome:
    """Ask the rule set of this question's type; a gold that is no text (boxes, objects) cannot be matched."""
    if not case.sample.references:
        return Invalid("reference-is-no-text")
    rules = stage.rule_set(case.sample.question_type)
    grade = rules.exact if kind == "exact" else rules.rule
    return stage.outcome(grade(case.prediction, case.sample, stage.knobs))
