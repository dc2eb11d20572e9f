"""What a run is made of: samples and cases go in, outcomes and verdicts come out.

Nothing here reads, writes or computes; nothing but msgspec is imported.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

import msgspec

Json: TypeAlias = bool | int | float | str | list[Any] | dict[str, Any] | None
QuestionType: TypeAlias = Literal["mcq", "yes_no", "numeric", "open"]
Status: TypeAlias = Literal["ok", "invalid", "llm_error", "error"]
Span: TypeAlias = tuple[int, int]

QUESTION_TYPES: tuple[QuestionType, ...] = ("mcq", "yes_no", "numeric", "open")


class Options(msgspec.Struct, frozen=True, gc=False):
    """The options of one question, in the sample's own order.

    `labels` are upper-case single letters or short tokens ("10"); `texts` runs parallel to it and is empty
    where only the labels are known. `source` says where they came from: `options`, `choices`, `columns`,
    `inline` (found in the question's text), `none` (nothing found; `labels` is then A..F by convention).
    """

    labels: tuple[str, ...]
    texts: tuple[str, ...] = ()
    source: Literal["options", "choices", "columns", "inline", "none"] = "none"

    @property
    def parsed(self) -> bool:
        """Whether the sample itself told the options."""
        return self.source != "none"


class Found(msgspec.Struct, frozen=True, gc=False):
    """What a reading rule found in a text.

    `value` is canonical ("B", "A,C" for a letter set, "yes", "12.5") or None; `span` are offsets into the
    text that was given, where they are known; `rule` names the rule that found it, or why none did.
    """

    value: str | None
    rule: str
    span: Span | None = None


class Sample(msgspec.Struct, frozen=True, gc=False):
    """One row of a run.

    `answer` is the gold as written in the file, `references` the same as texts (one or several).
    `predictions` holds one text per recorded response; None where a response is missing or not a text.
    `fields` are the dataset's own flat fields, for filters, groups and graders.
    """

    id: str | int
    question: str
    options: Options
    answer: Json
    references: tuple[str, ...]
    predictions: tuple[str | None, ...]
    question_type: QuestionType
    subset: str | None = None
    split: str | None = None
    fields: dict[str, Json] = {}


class Pass(msgspec.Struct, frozen=True, gc=False, tag="pass"):
    """Cannot decide; a later stage may. `reason` is a short code, `extracted` what was read all the same."""

    reason: str
    extracted: str | None = None
    span: Span | None = None


class Score(msgspec.Struct, frozen=True, gc=False, tag="score"):
    """Decided: `value` in 0..1, and the rule (`reason`) that read `extracted` at `span` of the prediction."""

    value: float
    extracted: str | None = None
    span: Span | None = None
    reason: str | None = None
    evidence: Json = None


class Measured(msgspec.Struct, frozen=True, gc=False, tag="measured"):
    """Decided, but the number is made over the whole run from `evidence`."""

    evidence: Json
    extracted: str | None = None


class Invalid(msgspec.Struct, frozen=True, gc=False, tag="invalid"):
    """Cannot be graded under this stage: blank reference, too few annotators, unparsable gold."""

    reason: str


class Failed(msgspec.Struct, frozen=True, gc=False, tag="failed"):
    """Our side broke. Never a verdict; asked again on the next run."""

    reason: str
    status: Literal["llm_error", "error"] = "error"


Outcome: TypeAlias = Pass | Score | Measured | Invalid | Failed


class Case(msgspec.Struct, frozen=True, gc=False):
    """What a stage sees: one prediction of one sample, and the outcomes of the stages before it.

    `resources` are the protocol's files by name, read already; see `mmeval.resources`.
    """

    sample: Sample
    prediction: str
    previous: tuple[Outcome, ...] = ()
    resources: dict[str, Any] = {}


class Ruling(msgspec.Struct, frozen=True, gc=False):
    """What a judge ruled.

    `label` is canonical in its contract ("correct", "not-attempted", "B", "0.7", "8:10"). `score` is in 0..1;
    None where the number is made over the whole run (two scores to compare) or by a later stage (an extracted
    value). `evidence` holds what else the contract gives: ratings, checklist items, the judge's extraction.
    """

    label: str
    score: float | None = None
    evidence: Json = None


class Call(msgspec.Struct, frozen=True, gc=False):
    """One reply of a judge that counted, as the trace keeps it.

    `model` is the one that says it answered, `asked` the one that was asked. `label` is what the contract
    read in `reply`; None where that is the reply that could not be read. Tokens are the server's own counts.
    `logprob` is the log-probability of the verdict's token where the server offers it; never a verdict.
    `swapped` says that two answers were shown the other way round than the prompt has them.
    """

    prompt: str
    asked: str
    model: str | None
    reply: str
    label: str | None
    replicate: int = 0
    attempt: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    logprob: float | None = None
    why: str | None = None
    swapped: bool = False


class Judge(Protocol):
    """Whom a judged stage asks."""

    async def ask(self, case: Case, prompt: str, params: dict[str, Json]) -> Ruling | Outcome:
        """Put a prompt about a case to the judge.

        Args:
            case: the sample, the prediction, and what earlier stages extracted.
            prompt: which prompt, by its id; it names the contract of the reply.
            params: settings of the contract that the stage decides (`labels`, `lo`, `hi`).

        Returns:
            The ruling; or the outcome that the stage has to return as it is: `Failed` where no judge gave a
            readable answer, `Invalid` where an input of the prompt is missing, `Pass` where judges are tied.
        """
        ...


class Step(msgspec.Struct, frozen=True, gc=False):
    """One line of a trace: which stage, in which version, said what, and what its judge replied."""

    stage: str
    version: int
    outcome: Outcome
    judge: tuple[Call, ...] = ()


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """One prediction, settled. `score` is None where the number is made over the whole run (`Measured`)."""

    score: float | None
    status: Status
    decided_by: str | None
    reason: str | None
    extracted: str | None
    span: Span | None
    evidence: Json
    trace: tuple[Step, ...]


class Attempt(msgspec.Struct, frozen=True, gc=False):
    """One of several predictions of a sample, as an aggregate sees it."""

    score: float | None
    label: str | None


class Row(msgspec.Struct, frozen=True, gc=False):
    """One settled sample as an aggregate sees it.

    `score` is in 0..1; None for `Measured` rows. Invalid, undecided and failed rows carry 0.0 and say so.
    `label` is what was read from the prediction, `gold` the canonical first reference. `fields` holds the
    fields that the protocol's aggregates name, as canonical strings (a list of scalars becomes a tuple).
    `attempts` is filled where all predictions count.
    """

    id: str
    score: float | None
    status: Status
    decided: bool
    label: str | None
    gold: str | None
    subset: str | None
    fields: dict[str, str | tuple[str, ...] | None]
    evidence: Json = None
    attempts: tuple[Attempt, ...] = ()


class Reduced(msgspec.Struct, frozen=True):
    """What an aggregate makes of a table: the value, how sure it is, and the parts it was made from.

    `value` is None where it is undefined (nothing to average). `n` counts the units of the interval
    (samples, or groups where the group is the unit). `stderr` and `ci95` (95 %) are None where undefined.
    `method` names the interval (`wilson`, `t`, `clustered-t`, `macro`, ...). `parts` are named sub-figures
    in a fixed order; `notes` say what a reader must know (incomplete groups, excluded rows).
    """

    value: float | None
    n: int
    stderr: float | None = None
    ci95: tuple[float, float] | None = None
    method: str | None = None
    parts: dict[str, float | None] = {}
    notes: tuple[str, ...] = ()
