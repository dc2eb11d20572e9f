"""A protocol block in the words of a paper's methods section, made from what the block declares."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Sequence
from typing import Any

from mmeval.metadata import Aggregate, Block, Derive, Filter, Route, Unsupported
from mmeval.params import Declared, Stage, build_stages, declared, judged
from mmeval.prompting import with_prompt
from mmeval.protocol import DEFAULT_PIPELINE
from mmeval.registry import stage_class
from mmeval.reports.figures import figure, interval, listed
from mmeval.reports.files_read import files_section
from mmeval.reports.judge_methods import judge_section

WIDTH = 100
ITEM = re.compile(r"(?:\*|\d+\.) ")
KINDS = {
    "mcq": "a multiple-choice question",
    "yes_no": "a yes/no question",
    "numeric": "a question for a number",
    "open": "an open question",
}
RULES = {
    "mcq": ("option_rules", "mmeval.options", "Options"),
    "yes_no": ("yes_no_rules", "mmeval.yes_no", "Yes and no"),
    "numeric": ("number_rules", "mmeval.numbers", "Numbers"),
    "open": ("answer_rules", "mmeval.answers", "Open answers"),
}
STATUS = {
    "official": "Official: the named code gives the same verdict on every row on which it does not guess.",
    "derived": "Derived: no public code confirms this block as it stands; no score of it is official.",
    None: "This block does not say whether it is official; no score of it is official.",
}


def needs_judge(block: Block) -> bool:
    """Whether the block asks a judge: it declares one, has a stage that does, or lacks one."""
    if isinstance(block.score_pipeline, Unsupported):
        return judged(block.score_pipeline.unsupported)
    return block.score_judge is not None or any(judged(name) for names in pipelines(block) for name in names)


def pipelines(block: Block) -> list[tuple[str, ...]]:
    """The stages of a block by name; one list per arm of a route, its default last."""
    pipeline = block.score_pipeline
    if isinstance(pipeline, Unsupported):
        return []
    if isinstance(pipeline, Route):
        return [
            *(case.pipeline for case in pipeline.cases),
            *([pipeline.default] if pipeline.default else []),
        ]
    return [pipeline or DEFAULT_PIPELINE]


def methods(block: Block, task: str, deviations: Sequence[str]) -> str:
    """The sections of a block.

    Args:
        block: what the benchmark declares.
        task: what is asked, in the words of its page.
        deviations: the known deviations that its page lists.
    """
    if isinstance(block.score_pipeline, Unsupported):
        why = f"{block.score_pipeline.unsupported}: {block.score_pipeline.reason or 'no reason is given'}"
        return _laid(
            [
                ("Task", [block.score_protocol.note or task]),
                ("Not supported", [f"This part is not scored ({why}).", *_source(block)]),
            ]
        )
    return _laid(
        [
            ("Task", [task, _kind(block)]),
            ("In short", [block.score_protocol.note or ""]),
            ("Rows", _rows(block)),
            ("Files", files_section(block)),
            ("Reading", _reading(block)),
            ("Decision", _decision(block)),
            ("Judge", judge_section(block, pipelines(block), _given(block))),
            ("Headline", _headline(block)),
            ("Also reported", _others(block)),
            ("Source", _source(block)),
            ("Known deviations", [f"* {each}" for each in deviations]),
        ]
    )


def _laid(sections: Sequence[tuple[str, list[str]]]) -> str:
    """Sections with their paragraphs wrapped; those without any are left out."""
    made = []
    for title, paragraphs in sections:
        lines = [_wrapped(each) for each in paragraphs if each]
        made += [f"{title}\n" + "\n".join(lines)] if lines else []
    return "\n\n".join(made)


def _wrapped(paragraph: str) -> str:
    hang = "    " if ITEM.match(paragraph) else "  "
    return textwrap.fill(
        paragraph,
        WIDTH,
        initial_indent="  ",
        subsequent_indent=hang,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _kind(block: Block) -> str:
    if block.score_question_type is None:
        return "Each row says what kind of question it is, or its options and gold do."
    return f"Every row is read as {KINDS[block.score_question_type]}."


def _rows(block: Block) -> list[str]:
    counts = listed(list(map(str, block.row_counts)), "or")
    said = [
        f"The benchmark has {counts} rows. Another number is reported as a deviation."
        if counts
        else "Any number of rows can be scored; their number is reported."
    ]
    said += [_filter(each) for each in block.score_filter]
    said += _derived(block.score_derive)
    fields = {"gold": block.score_fields.gt, "prediction": block.score_fields.pred}
    said += [f"The {what} lies in the field {field}." for what, field in fields.items() if field]
    return said


def _filter(each: Filter) -> str:
    if each.is_ is not None:
        return f"Only rows whose {each.field} is {listed(each.is_, 'or')} are scored; the others are counted."
    return f"Rows whose {each.field} is {listed(each.not_ or (), 'or')} are left out and counted."


def _derived(derivations: Sequence[Derive]) -> list[str]:
    """What is made of which field; the sources of the same fields in one sentence."""
    sources: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for each in derivations:
        sources.setdefault((each.into, _made(each)), []).append(each.from_)
    said = []
    for (names, how), found in sources.items():
        verb = "it is" if len(names) == 1 else "they are"
        said.append(f"Where a row lacks {listed(names)}, {verb} {how} {', or else of '.join(found)}.")
    return said


def _made(each: Derive) -> str:
    if each.modulo is not None:
        return f"the remainder by {each.modulo:,} of"
    return "copied from" if each.split is None else f"the pieces between '{each.split}' of"


def _given(block: Block) -> Declared:
    """The parameters of the block's stages, with the prompt that its judge is to be asked with."""
    return with_prompt(declared(block.score_params, "score_params"), block, None, None, "the protocol")


def _reading(block: Block) -> list[str]:
    given = _given(block)
    policy = {
        "first": "Of several predictions of a sample the first is scored.",
        "all": "All predictions of a sample are scored; the sample's score is their mean.",
    }
    return [*_arms(block, given), policy[block.score_predictions]]


def _arms(block: Block, given: Declared) -> list[str]:
    pipeline = block.score_pipeline
    if not isinstance(pipeline, Route):
        return _numbered(block, pipelines(block)[0], given)
    said = []
    for case in pipeline.cases:
        when = [f"{field} is {listed(values, 'or')}" for field, values in case.when.items()]
        own = declared(case.params, "params").over(given)
        said += [f"Rows whose {' and whose '.join(when)}:", *_numbered(block, case.pipeline, own)]
    if pipeline.default is None:
        return [*said, "All other rows are invalid."]
    return [*said, "All other rows:", *_numbered(block, pipeline.default, given)]


def _numbered(block: Block, names: Sequence[str], given: Declared) -> list[str]:
    """The stages of one pipeline, in order."""
    built = build_stages(names, given, "the protocol")
    return [f"{number}. {_stage(block, stage)}" for number, stage in enumerate(built, 1)]


def _stage(block: Block, stage: Stage) -> str:
    doc = _first(inspect.getdoc(stage_class(stage.name)))
    said = [f"{stage.name}, version {stage.version}: {doc[:1].lower()}{doc[1:]}"]
    rules = [each for kind, each in RULES.items() if block.score_question_type in (None, kind)]
    used = [each for each in rules if hasattr(stage.call, each[0])]
    said += [_rule_set(getattr(stage.call, name), package, what) for name, package, what in used]
    told = {name for name, _, _ in RULES.values()} | {"settle_misses"}
    others = [f"{name} {_shown(value)}" for name, value in stage.params.items() if name not in told]
    said += [f"Parameters: {', '.join(others)}."] if others else []
    return " ".join(said)


def _rule_set(name: str, package: str, what: str) -> str:
    module = importlib.import_module(f"{package}.{name.replace('-', '_')}")
    return f"{what} by the rule set {name} ({_first(module.__doc__).rstrip('.')})."


def _first(doc: str | None) -> str:
    return (doc or "").strip().partition("\n")[0]


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _decision(block: Block) -> list[str]:
    cases = block.score_pipeline.cases if isinstance(block.score_pipeline, Route) else ()
    given = [declared(own, "params") for own in (block.score_params, *(case.params for case in cases))]
    settles = any(own.get("settle_misses") for each in given for own in (each.common, *each.stages.values()))
    said = ["The first stage that decides settles the row; a stage that cannot decide passes it on."]
    if settles:
        said.append("An answer that was read and is not the gold settles the row as wrong.")
    said.append(
        "A row that no stage decides is undecided: it counts as wrong, and is reported apart from those that "
        "were read. No answer is ever guessed."
    )
    said.append("A judge is asked." if needs_judge(block) else "No judge is asked.")
    return [" ".join(said)]


def _aggregates(block: Block) -> tuple[Aggregate, ...]:
    return block.score_aggregates or (Aggregate(name="accuracy", reduce="mean", headline=True),)


def _headline(block: Block) -> list[str]:
    chosen = next(each for each in _aggregates(block) if each.headline)
    return [f"{chosen.name}: {figure(chosen)}.", f"Its 95 % interval: {interval(chosen)}."]


def _others(block: Block) -> list[str]:
    """The other aggregates: each by itself, or those of one breakdown by name."""
    said: dict[str, list[str]] = {}
    for each in _aggregates(block):
        if not each.headline:
            said.setdefault(_breakdown(each), []).append(each.name)
    alone = {each.name: each for each in _aggregates(block)}
    return [
        f"* By {text}: {listed(names)}." if len(names) > 1 else f"* {names[0]}: {figure(alone[names[0]])}."
        for text, names in said.items()
    ]


def _breakdown(spec: Aggregate) -> str:
    """What aggregates of one breakdown share: all but the values of one field."""
    if len(spec.where) != 1 or spec.over:
        return spec.name
    (field,) = spec.where
    return f"{field}, {figure(spec.model_copy(update={'where': {}}))}"


def _source(block: Block) -> list[str]:
    source = block.score_protocol
    said = [STATUS[source.status]]
    said += [f"Source: {source.official}."] if source.official else []
    said += [f"Paper: {source.paper}."] if source.paper else []
    return said
