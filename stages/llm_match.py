"""llm-match: a judge says which option, or whether yes or no, the prediction means; we compare it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace

from mmeval.options._gold import gold_letters
from mmeval.types import Case, Invalid, Json, Judge, Options, Outcome, Pass, Ruling, Sample, Score

_CHINESE = re.compile("[一-鿿]")
_LISTED = re.compile(r"^[ \t]{0,8}\(?([A-Z])[.):][ \t]*\S", re.MULTILINE)
_LONE = re.compile(r"\W*(yes|no)\W*", re.IGNORECASE)
# What judges are told to say where no option is meant; the first of these that is no option itself.
NONE = frozenset({"Z", "unknown", "none", "none-of-these"})


@dataclass(frozen=True)
class LlmMatch:
    """Decides 1 where the option, or the yes or no, that the judge reads is the gold.

    The judge sees question, options and prediction, and never the gold. That the prediction means none of
    the options is an answer of the judge, not a failure: with `settle_misses` it scores 0, else it passes on.
    Questions that are neither multiple choice nor yes/no pass on.

    Formula:
        read = judge(question, options, prediction); score = 1 if read is the gold. With `settle_misses`
        anything else scores 0, as in the VLMEvalKit family; otherwise it passes on with `extracted`.

    Range:
        0 or 1.

    Parameters:
        prompt: a prompt of the library by id, instead of `option-match` (`option-match-cn` where the question
            has Chinese characters) and `yes-no-match`.
        options_field: the sample's field with the question that the prompt puts, one option a line
            ("A. red"), where that is not the sample's own: its labels count, and the gold is one of them.
        settle_misses: see above.

    Source:
        open-compass/VLMEvalKit vlmeval/dataset/utils/multiple_choice.py and yorn.py @ e8e78f05f308. After
        three replies that it cannot read, that code takes an option at random; here the row has failed.
    """

    version: ClassVar[int] = 2

    prompt: str | None = None
    options_field: str | None = None
    settle_misses: bool = False

    @property
    def prompts(self) -> tuple[str, ...]:
        """The prompts that may be put."""
        return (self.prompt,) if self.prompt else ("option-match", "option-match-cn", "yes-no-match")

    async def __call__(self, case: Case, judge: Judge) -> Outcome:
        """Ask what the prediction means, and compare it with the gold."""
        sample = self._asked(case.sample)
        kind = sample.question_type
        if kind not in ("mcq", "yes_no"):
            return Pass("not-applicable")
        gold = gold_letters(sample) if kind == "mcq" else _yes_or_no(sample)
        if gold is None:
            return Invalid("gold-not-an-option" if kind == "mcq" else "gold-not-yes-or-no")
        if not case.prediction.strip():
            return self._settled(None, "empty-prediction")
        ruling = await judge.ask(case, self._prompt(sample), _params(sample, gold))
        if not isinstance(ruling, Ruling):
            return ruling
        if ruling.label in NONE and ruling.label not in sample.options.labels:
            return self._settled(None, "judge-found-none")
        if ruling.label == gold:
            return Score(1.0, ruling.label, None, "judge-read")
        return self._settled(ruling.label, "judge-read")

    def _asked(self, sample: Sample) -> Sample:
        """The sample with the labels of the question that the judge sees; their texts are not compared."""
        said = sample.fields.get(self.options_field) if self.options_field else None
        labels = tuple(dict.fromkeys(_LISTED.findall(said))) if isinstance(said, str) else ()
        return sample if len(labels) < 2 else replace(sample, options=Options(labels, (), "inline"))

    def _settled(self, read: str | None, reason: str) -> Outcome:
        """What was read (or nothing) is not the gold."""
        if self.settle_misses:
            return Score(0.0, read, None, reason)
        return Pass(reason if read is None else f"{reason}-is-not-the-gold", read)

    def _prompt(self, sample: Sample) -> str:
        if self.prompt:
            return self.prompt
        if sample.question_type == "yes_no":
            return "yes-no-match"
        return "option-match-cn" if _CHINESE.search(sample.question) else "option-match"


def _params(sample: Sample, gold: str) -> dict[str, Json]:
    """The words that the judge may answer with."""
    if sample.question_type == "yes_no":
        return {}
    given: dict[str, Json] = {"labels": list(sample.options.labels), "several": "," in gold}
    if sample.options.texts:
        given["texts"] = list(sample.options.texts)
    return given


def _yes_or_no(sample: Sample) -> str | None:
    match = _LONE.fullmatch(sample.references[0]) if sample.references else None
    return match[1].lower() if match else None
