"""The judge of a protocol block in the words of a methods section."""

from __future__ import annotations

from collections.abc import Sequence

from mmeval.judge.templates import Prompt, prompt
from mmeval.metadata import Block, Judge
from mmeval.params import Declared, build_stages, judged
from mmeval.reports.figures import listed

FAILURES = (
    "A reply that does not hold exactly one verdict is asked for again, and then fails the row: it is never "
    "a verdict, and the number then has bounds instead of a value."
)


UNASKED = "Nobody is asked about an empty prediction."
ASKED = "An empty prediction is put to the judge like any other, since the number is made over the run."


def judge_section(block: Block, pipelines: Sequence[Sequence[str]], given: Declared) -> list[str]:
    """What is asked, how the reply is read, and what the official judge is; nothing where nobody is asked.

    Args:
        block: what the benchmark declares.
        pipelines: the stages of the block, one list per arm of a route.
        given: the parameters of its stages, the judge's prompt among them.
    """
    put = _prompts(pipelines, given)
    if not put:
        return []
    said = [f"* {_prompt(prompt(name))}" for name in put]
    said += [] if block.score_judge is None else _declared(block.score_judge, put)
    over_the_run = any(prompt(name).measured for name in put)
    return [*said, FAILURES, ASKED if over_the_run else UNASKED]


def _prompts(pipelines: Sequence[Sequence[str]], given: Declared) -> list[str]:
    """The ids of the prompts that may be put, each once."""
    found: dict[str, None] = {}
    for names in pipelines:
        if any(map(judged, names)):
            for stage in build_stages(names, given, "the protocol"):
                found.update(dict.fromkeys(getattr(stage.call, "prompts", ())))
    return list(found)


def _prompt(put: Prompt) -> str:
    """One prompt: what it asks, how its reply is read, what it stands for."""
    said = f"{put.id}: {put.description} The reply is read by the contract {put.contract}."
    if not put.official_sha256:
        return f"{said} No official text is known."
    return (
        f"{said} The words are ours; the official text has the SHA-256 {listed(put.official_sha256, 'or')}."
    )


def _declared(judge: Judge, put: Sequence[str]) -> list[str]:
    others = [name for name in judge.prompts if name not in put]
    taken = (
        f"--judge_prompt also takes {listed(others, 'or')}."
        if others
        else "No other prompt of ours is taken."
    )
    said = [taken if judge.prompts else f"Any prompt of the contract {judge.contract} is taken."]
    said += [f"Its {name} is the field {field}." for name, field in judge.inputs.items()]
    if judge.official_model is not None:
        said.append(
            f"The official judge is {judge.official_model} with the official text (--judge_prompt FILE takes "
            "it); with another model or text the score says that the judge is not the official one."
        )
    return [" ".join(said)]
