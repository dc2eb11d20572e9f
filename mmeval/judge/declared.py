"""Whether what a benchmark declares of its judge holds together: names, contracts, what stages can use."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from mmeval.errors import MetadataError, UsageError
from mmeval.judge import templates
from mmeval.judge.contracts import NAMES
from mmeval.judge.templates import Prompt
from mmeval.metadata import Judge
from mmeval.protocol import Plan
from mmeval.registry import nearest

EXTRACTING = frozenset({"extract-option", "extract-value"})
ARTICLE = {"answer": "an answer", "verdict": "a verdict"}
# What the stages that ask need a prompt to give, and one of the library that does; plug-ins take any.
TAKES = {
    "llm-extract": ("answer", "default-extract"),
    "llm-match": ("answer", "option-match"),
    "llm-judge": ("verdict", "default-binary"),
}
# How alike a name is to one that the prompt has, to be taken for a slip of the pen.
ALIKE = 0.75


def check(declared: Judge, where: str) -> None:
    """Refuse a `score_judge` that names what is not there, or a prompt of another contract than its own.

    Args:
        declared: what the benchmark says.
        where: the file or block, for messages.

    Raises:
        MetadataError: with the JSON path, and the nearest right name.
    """
    if declared.contract not in NAMES:
        hint = nearest(declared.contract, NAMES)
        raise MetadataError(f"{where}.score_judge.contract: no contract {declared.contract!r}; {hint}")
    at = f"{where}.score_judge"
    main = _found(declared.prompt, f"{at}.prompt")
    if main.contract != declared.contract:
        raise MetadataError(
            f"{at}.contract: that of prompt {main.id} is {main.contract}, "
            f"the declared one {declared.contract}"
        )
    # A benchmark may take prompts of several contracts: MMBrowseComp takes verdicts and a checklist.
    others = [_found(name, f"{at}.prompts[{number}]") for number, name in enumerate(declared.prompts)]
    _names(declared, [main, *others], f"{at}.inputs")


def _found(name: str, where: str) -> Prompt:
    try:
        return templates.prompt(name)
    except UsageError as error:
        raise MetadataError(f"{where}: {error}") from None


def _names(declared: Judge, prompts: list[Prompt], where: str) -> None:
    """Inputs that no prompt shows are for a user's own text; one that is nearly an input's name is a slip."""
    known = {name for prompt in prompts for name in (*prompt.slots, *prompt.spec.fields, *prompt.images)}
    for name in (
        set(declared.inputs) - known - set(declared.placeholders) - set(declared.placeholders.values())
    ):
        near = difflib.get_close_matches(name, sorted(known), 1, ALIKE)
        if near and declared.prompt_text is None:
            raise MetadataError(f"{where}.{name}: no prompt shows {name!r}; did you mean {near[0]!r}?")


def refuse_misfits(plan: Plan, prompts: Mapping[str, Prompt]) -> None:
    """A stage that reads an answer out needs a prompt that asks for one, a stage that grades a verdict.

    Args:
        plan: whose stages ask.
        prompts: every prompt that may be put, by the id that stages know it by.

    Raises:
        UsageError: a prompt asks for something that its stage can do nothing with.
    """
    for stage in (each for stages in plan.steps.all for each in stages if each.asks):
        takes, usual = TAKES.get(stage.name, (None, ""))
        for name in getattr(stage.call, "prompts", ()):
            prompt = prompts[name]
            gives = "answer" if prompt.contract in EXTRACTING else "verdict"
            if takes in (None, gives) or (takes == "answer" and prompt.contract_params.get("extracted")):
                continue
            raise UsageError(
                f"{stage.name}: prompt {prompt.id} asks for {ARTICLE[gives]} ({prompt.contract}), not "
                f"for {ARTICLE[str(takes)]}; name another with --score_param {stage.name}.prompt={usual}"
            )
