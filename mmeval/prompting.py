"""Which prompt a judged stage puts: the user's, the stage's own, or the one that the benchmark names."""

from __future__ import annotations

from collections.abc import Sequence

from mmeval.errors import UsageError
from mmeval.metadata import Block, Route, Unsupported
from mmeval.params import Declared

# Stages that put the prompt which the benchmark's score_judge names.
PROMPTED = ("llm-judge", "llm-extract")
ASKING = (*PROMPTED, "llm-match")


def with_prompt(
    params: Declared, block: Block, pipeline: Sequence[str] | None, wanted: str | None, where: str
) -> Declared:
    """The parameters of a block, with the judge's prompt for the stages that do not name one themselves.

    Args:
        params: what the block declares.
        block: the block.
        pipeline: the stages of the command line, if it names any.
        wanted: the prompt of the command line, if it names one.
        where: what to call the block in messages.

    Raises:
        UsageError: the benchmark does not take the prompt that is wanted.
    """
    own = block.score_judge if _concerned(block, pipeline) else None
    taken = own.prompts if own is not None else ()
    if wanted is not None and taken and wanted not in taken:
        raise UsageError(f"--judge_prompt {wanted}: {where} takes {' or '.join(taken)}")
    chosen = wanted or (own.prompt if own is not None else None)
    named = _named(block, pipeline)
    # Where one stage extracts and another grades, the benchmark's prompt is for the one that grades.
    names = [name for name in PROMPTED if name in named][:1]
    if wanted is not None and not names and "llm-match" in named:
        # It has a prompt for each kind of question; one that the user names stands for all of them.
        names = ["llm-match"]
    stages = {name: {"prompt": chosen, **params.stages.get(name, {})} for name in names if chosen}
    return Declared(params.common, {**params.stages, **stages})


def _concerned(block: Block, pipeline: Sequence[str] | None) -> bool:
    """Whether the benchmark's judge is asked: not where the command line names other stages."""
    return pipeline is None or bool(_named(block, None) & {*pipeline} & {*ASKING})


def _named(block: Block, pipeline: Sequence[str] | None) -> frozenset[str]:
    """Every stage that the pipelines name."""
    declared = pipeline or block.score_pipeline
    if isinstance(declared, Route):
        arms = (*(case.pipeline for case in declared.cases), declared.default or ())
        return frozenset(name for names in arms for name in names)
    return frozenset() if declared is None or isinstance(declared, Unsupported) else frozenset(declared)
