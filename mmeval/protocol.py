"""Which protocol scores a run: a block whole from one source, single knobs over it, all of it on record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from mmeval import library
from mmeval.errors import MetadataError, UsageError
from mmeval.fingerprint import canonical
from mmeval.metadata import Aggregate, Block, MetaBlock, Route, Unsupported, parse_block
from mmeval.overrides import Overrides as Overrides
from mmeval.params import Declared, Stage, build_stages, declared, effective, from_environment, unused
from mmeval.prompting import with_prompt
from mmeval.registry import aggregate_class, aggregate_modules
from mmeval.types import Json, QuestionType, Sample

DEFAULT_PIPELINE = ("exact-match", "rule-match")
Source = Literal["cli", "dataset_meta", "library", "default"]


@dataclass(frozen=True)
class Arm:
    """One pipeline and the rows that it is for."""

    when: Mapping[str, frozenset[str]]
    stages: tuple[Stage, ...]


@dataclass(frozen=True)
class Steps:
    """The pipelines of a protocol: one, or one per arm of a route."""

    arms: tuple[Arm, ...]
    default: tuple[Stage, ...] | None

    def of(self, sample: Sample) -> tuple[Stage, ...] | None:
        """The pipeline of this sample; None where no arm holds and there is no default."""
        for arm in self.arms:
            if all(canonical(sample.fields.get(name)) in values for name, values in arm.when.items()):
                return arm.stages
        return self.default

    @property
    def all(self) -> tuple[tuple[Stage, ...], ...]:
        """Every pipeline."""
        arms = tuple(arm.stages for arm in self.arms)
        return (*arms, self.default) if self.default is not None else arms


@dataclass(frozen=True)
class Identity:
    """Which dataset a run says it is. Several subsets or splits in one file are all named."""

    dataset_name: str | None = None
    subsets: tuple[str | None, ...] = ()
    splits: tuple[str | None, ...] = ()
    revision: str | None = None


@dataclass(frozen=True)
class Plan:
    """A resolved protocol: what will be run, who decided each knob, and how official it is."""

    source: Source
    name: str | None
    block: Block
    identity: Identity
    steps: Steps
    aggregates: tuple[Aggregate, ...]
    params: Declared
    params_unused: dict[str, Json]
    knob_sources: dict[str, str]
    official: bool | None
    deviations: tuple[str, ...]
    notes: tuple[str, ...]
    question_type: QuestionType | None
    gt_field: str | None
    pred_field: str | None
    predictions: Literal["first", "all"]
    resources: dict[str, Any] = field(default_factory=dict)

    @property
    def readable(self) -> frozenset[str]:
        """The resources that a stage or an aggregate of this plan asks for, by name."""
        return _readable(self.steps, self.aggregates)

    @property
    def resource_kinds(self) -> dict[str, str]:
        """The kind of file that a stage needs for a resource, where it says so; without, any JSON will do."""
        calls = [stage.call for stages in self.steps.all for stage in stages]
        return {name: kind for call in calls for name, kind in getattr(call, "resource_kinds", {}).items()}

    @property
    def judged(self) -> bool:
        """Whether any row may go to a judge."""
        return any(stage.asks for stages in self.steps.all for stage in stages)

    @property
    def prompts(self) -> tuple[str, ...]:
        """The judge prompts that may be put, by id."""
        asking = [stage for stages in self.steps.all for stage in stages if stage.asks]
        return tuple(
            dict.fromkeys(prompt for stage in asking for prompt in getattr(stage.call, "prompts", ()))
        )

    @property
    def pipeline(self) -> Json:
        """The pipeline as a dataset would declare it."""
        if not self.steps.arms:
            return [stage.name for stage in self.steps.default or ()]
        assert isinstance(self.block.score_pipeline, Route)
        dumped: Json = self.block.score_pipeline.model_dump(mode="json")
        return dumped

    @property
    def params_effective(self) -> dict[str, dict[str, Any]]:
        """Every stage's parameters in force; a stage that runs in several arms is listed per arm."""
        if not self.steps.arms:
            return effective(self.steps.default or ())
        return {
            f"{index}.{name}": params
            for index, stages in enumerate(self.steps.all)
            for name, params in effective(stages).items()
        }


def identity(metas: Sequence[MetaBlock]) -> Identity:
    """The identity that a file's blocks agree on."""
    if not metas:
        return Identity()
    subsets = tuple(dict.fromkeys(meta.subset for meta in metas))
    splits = tuple(dict.fromkeys(meta.split for meta in metas))
    return Identity(metas[0].dataset_name, subsets, splits, metas[0].revision)


def resolve(blocks: Sequence[Mapping[str, Json]], overrides: Overrides, where: str) -> Plan:
    """The plan for a file whose samples carry these `dataset_meta` blocks.

    The block comes whole from one source: `--protocol`, else the dataset if it declares a pipeline, else the
    library by dataset name and subset, else the default pipeline. Then single knobs are overridden.

    Raises:
        MetadataError: a block that cannot be used, or an unsupported protocol that nobody forces.
        UsageError: an unknown protocol, variant, subset or parameter.
    """
    metas = [parse_block(dict(block), f"{where}: dataset_meta") for block in blocks]
    known = identity(metas)
    source, name, block = _choose(metas, known, overrides, where)
    return _plan(source, name, block, known, overrides, where)


def _choose(
    metas: Sequence[MetaBlock], known: Identity, overrides: Overrides, where: str
) -> tuple[Source, str | None, Block]:
    if overrides.protocol is not None:
        return _from_cli(overrides.protocol, known, metas)
    declaring = [meta for meta in metas if meta.score_pipeline is not None]
    supported = [meta for meta in declaring if not isinstance(meta.score_pipeline, Unsupported)]
    if supported:
        return "dataset_meta", known.dataset_name, supported[0]
    if known.dataset_name is not None:
        entry = _from_library(known.dataset_name, known.subsets, where)
        if entry is not None:
            return "library", entry.name, entry.block
    if declaring:
        return "dataset_meta", known.dataset_name, declaring[0]
    return "default", None, Block()


def _from_cli(
    reference: str, known: Identity, metas: Sequence[MetaBlock]
) -> tuple[Source, str | None, Block]:
    if reference.startswith("@"):
        variants = metas[0].variants if metas and metas[0].score_pipeline is not None else {}
        if reference[1:] in variants:
            return "cli", f"{known.dataset_name}{reference}", variants[reference[1:]]
        if known.dataset_name is None:
            raise UsageError(f"--protocol {reference}: the run names no dataset; write NAME{reference}")
        reference = f"{known.dataset_name}{reference}"
    entry = library.named(reference, known.subsets[0] if known.subsets else None)
    return "cli", entry.name + (f"@{entry.variant}" if entry.variant else ""), entry.block


def _from_library(name: str, subsets: Sequence[str | None], where: str) -> library.Entry | None:
    entries = [library.find(name, subset) for subset in subsets or (None,)]
    first = entries[0]
    if first is None:
        return None
    for subset, entry in zip(subsets, entries, strict=False):
        if entry is None or entry.block != first.block:
            raise MetadataError(
                f"{where}: the subsets {subsets[0]!r} and {subset!r} of {first.name} are scored by different "
                "protocols; put them into one file each"
            )
    return first


def _plan(
    source: Source, name: str | None, block: Block, known: Identity, overrides: Overrides, where: str
) -> Plan:
    label = f"protocol {name}" if source in ("cli", "library") else where
    params = overrides.declared().over(_given(block, overrides, label))
    steps = _steps(block, params, overrides, label)
    aggregates = overrides.over(block.score_aggregates or _default_aggregates(steps))
    unread = block.score_resources.keys() - _readable(steps, aggregates)
    deviations = (
        *_deviations(source, block, overrides),
        *(f"score_resources has {each!r}, which no stage or aggregate here reads" for each in sorted(unread)),
        *_changed(steps, _without(block, overrides, label)),
    )
    return Plan(
        source=source,
        name=name,
        block=block,
        identity=known,
        steps=steps,
        aggregates=aggregates,
        params=params,
        params_unused=unused(params, steps.all, f"{label}: score_params"),
        knob_sources=_knob_sources(source, block, overrides),
        official=_official(source, block, deviations),
        deviations=deviations,
        notes=_notes(source, block),
        question_type=overrides.question_type or block.score_question_type,
        gt_field=overrides.gt_field or block.score_fields.gt,
        pred_field=overrides.pred_field or block.score_fields.pred,
        predictions=overrides.predictions or block.score_predictions,
    )


def _given(block: Block, overrides: Overrides, label: str) -> Declared:
    params = declared(block.score_params, f"{label}: score_params")
    params = with_prompt(params, block, overrides.pipeline, overrides.judge_prompt, label)
    return params.over(_environment(block, overrides))


def _environment(block: Block, overrides: Overrides) -> Declared:
    """What variables set for the stages that may run; everybody else's word stands above theirs."""
    pipeline = overrides.pipeline or block.score_pipeline
    if isinstance(pipeline, Route):
        arms = (*(case.pipeline for case in pipeline.cases), pipeline.default or ())
        pipeline = tuple(dict.fromkeys(name for names in arms for name in names))
    return from_environment(pipeline if isinstance(pipeline, tuple) else (), overrides.environment)


def _steps(block: Block, params: Declared, overrides: Overrides, where: str) -> Steps:
    if overrides.pipeline is not None:
        return Steps((), build_stages(overrides.pipeline, params, "--score_pipeline"))
    pipeline = block.score_pipeline
    if isinstance(pipeline, Unsupported):
        raise MetadataError(
            f"{where}: the official protocol is not supported here "
            f"({pipeline.unsupported}: {pipeline.reason or 'no reason given'}); force approximate scoring "
            "with --score_pipeline"
        )
    if isinstance(pipeline, Route):
        return _route(pipeline, params, overrides, where)
    return Steps((), build_stages(pipeline or DEFAULT_PIPELINE, params, where))


def _route(route: Route, params: Declared, overrides: Overrides, where: str) -> Steps:
    arms = []
    for number, case in enumerate(route.cases):
        strange = sorted(set(case.when) - set(route.route))
        if strange:
            raise MetadataError(
                f"{where}: route case {number} asks for {strange[0]!r}, which is not in route"
            )
        narrowed = declared(case.params, f"{where}: route case {number}")
        when = {name: frozenset(values) for name, values in case.when.items()}
        arm = Arm(when, build_stages(case.pipeline, overrides.declared().over(narrowed.over(params)), where))
        unused(narrowed, [arm.stages], f"{where}: route case {number}")
        arms.append(arm)
    default = None if route.default is None else build_stages(route.default, params, where)
    return Steps(tuple(arms), default)


def _readable(steps: Steps, aggregates: Sequence[Aggregate]) -> frozenset[str]:
    """The resources that these stages and aggregates ask for, by name."""
    stages = [getattr(stage.call, "resources", ()) for stages in steps.all for stage in stages]
    known = [aggregate_class(each.reduce) for each in aggregates if each.reduce in aggregate_modules()]
    return frozenset(
        name for names in (*stages, *(getattr(c, "resources", ()) for c in known)) for name in names
    )


def _default_aggregates(steps: Steps) -> tuple[Aggregate, ...]:
    graded = any(stages[-1].grader for stages in steps.all)
    return (Aggregate(name="mean_score" if graded else "accuracy", reduce="mean", headline=True),)


def _knob_sources(source: Source, block: Block, overrides: Overrides) -> dict[str, str]:
    """Who decided each knob: `cli`, the block's source, or `default`."""
    said = {
        "score_pipeline": (overrides.pipeline, block.score_pipeline),
        "score_gt_field": (overrides.gt_field, block.score_fields.gt),
        "score_pred_field": (overrides.pred_field, block.score_fields.pred),
        "score_question_type": (overrides.question_type, block.score_question_type),
        "score_predictions": (overrides.predictions, "score_predictions" in block.model_fields_set or None),
        "score_aggregates": (None, block.score_aggregates or None),
        "score_filter": (None, block.score_filter or None),
    }
    sources = {knob: _who(source, *pair) for knob, pair in said.items()}
    narrowed = declared(block.score_params, "score_params")
    sources.update({f"score_params.{name}": source for name in narrowed.common})
    sources.update(
        {f"score_params.{stage}.{name}": source for stage, own in narrowed.stages.items() for name in own}
    )
    for stage, own in _environment(block, overrides).stages.items():
        decided = {*narrowed.common, *narrowed.stages.get(stage, ()), *overrides.params}
        free = [name for name in own if not decided & {name, f"{stage}.{name}"}]
        sources.update({f"score_params.{stage}.{name}": "environment" for name in free})
    sources.update({f"score_params.{name}": "cli" for name in overrides.params})
    if overrides.over(block.score_aggregates) != block.score_aggregates:
        sources.update({f"score_aggregates.{name}": "cli" for name in overrides.aggregate_params})
    return sources


def _who(source: Source, by_flag: object, by_block: object) -> str:
    if by_flag is not None:
        return "cli"
    return source if by_block is not None else "default"


def _deviations(source: Source, block: Block, overrides: Overrides) -> tuple[str, ...]:
    """Every reason why this is not the official protocol as it stands, one line each."""
    found = []
    if source != "default":
        if block.score_pipeline == ():
            found.append("the dataset declares that no official protocol exists; the default pipeline ran")
        elif block.score_protocol.status == "derived":
            found.append("the protocol is derived: no official code confirms it as it stands here")
        elif block.score_protocol.status is None:
            found.append("the protocol block does not say that it is official")
    if overrides.pipeline is not None and overrides.pipeline != block.score_pipeline:
        found.append(f"--score_pipeline replaced the pipeline by {','.join(overrides.pipeline)}")
    flags = {
        "--score_gt_field": (overrides.gt_field, block.score_fields.gt),
        "--score_pred_field": (overrides.pred_field, block.score_fields.pred),
        "--score_question_type": (overrides.question_type, block.score_question_type),
        "--score_predictions": (overrides.predictions, block.score_predictions),
    }
    found += [
        f"{flag} is {said!r}, the protocol has {has!r}"
        for flag, (said, has) in flags.items()
        if said is not None and said != has
    ]
    return tuple(found)


def _without(block: Block, overrides: Overrides, where: str) -> Steps | None:
    """The same pipelines without what command line and environment set; None where they set nothing."""
    if not overrides.params and not _environment(block, overrides).stages:
        return None
    bare = replace(overrides, params={}, environment={})
    return _steps(block, _given(block, bare, where), bare, where)


def _changed(steps: Steps, before: Steps | None) -> list[str]:
    """The parameters that were changed, one line each; one that nobody uses changes nothing."""
    if before is None:
        return []
    pairs = zip(map(effective, steps.all), map(effective, before.all), strict=True)
    return list(
        dict.fromkeys(
            f"parameter {name} is {value!r}, the protocol has {old[stage][name]!r}"
            for new, old in pairs
            for stage, params in new.items()
            for name, value in params.items()
            if value != old[stage][name]
        )
    )


def _official(source: Source, block: Block, deviations: Sequence[str]) -> bool | None:
    if source == "default":
        return None
    return block.score_protocol.status == "official" and not deviations


def _notes(source: Source, block: Block) -> tuple[str, ...]:
    provenance = block.score_protocol
    notes = [text for text in (provenance.note, block.score_note) if text]
    if provenance.official:
        notes.append(f"official code: {provenance.official}")
    if provenance.paper:
        notes.append(f"paper: {provenance.paper}")
    if source == "default":
        notes.append("no protocol is declared for this run; the default pipeline exact-match,rule-match ran")
    return tuple(notes)
