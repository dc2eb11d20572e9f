"""What a score file says of its judge: who was to be asked, who answered, and how official that is."""

from __future__ import annotations

from mmeval.judge.desk import Desk
from mmeval.protocol import Plan
from mmeval.tally import Tally
from mmeval.types import Json


def one_or_all(values: list[str]) -> Json:
    """The one of several, or all of them; null where there is none."""
    return values[0] if len(values) == 1 else list[Json](values) or None


def described(desk: Desk) -> dict[str, Json]:
    """The judge as it is set up: part of the config, and so of the fingerprint."""
    main = desk.prompt(desk.main)
    identities = [seat.provider.identity for seat in desk.seats]
    prompts = desk.prompts
    return {
        "judge_provider": desk.provider,
        "judge_endpoint": one_or_all(sorted({each.endpoint for each in identities if each.endpoint})),
        "judge_model": one_or_all([each.model for each in identities]),
        "judge_revision": one_or_all([each.revision for each in identities if each.revision]),
        "judge_temperature": desk.temperature(main),
        "judge_max_tokens": desk.max_tokens(main),
        "judge_contract": main.contract,
        "judge_prompt": main.id,
        "judge_prompt_sha256": main.sha256,
        "judge_prompts": {name: prompts[name].sha256 for name in sorted(prompts)},
        "judge_repeats": desk.repeats,
        "judge_include_reason": desk.include_reason,
    }


def stamp(desk: Desk, plan: Plan, tally: Tally) -> tuple[bool | None, list[str]]:
    """Whether the judge that was asked is the official one, and every way in which it is not.

    Null where nobody was asked, or the benchmark names no official judge. A prompt is official where its text
    is, by SHA-256; a model where the server says so, or says nothing and was asked for it by that name.
    """
    declared = plan.block.score_judge
    official = declared.official_model if declared is not None else _declared_model(plan)
    if not tally.replies or official is None:
        return None, []
    found = []
    others = [model for model in tally.answered if model != official]
    if others:
        found.append(f"the judge was {', '.join(others)}, the official one is {official}")
    ours = sorted(name for name in tally.prompts if not desk.official(name))
    found += [f"the judge's prompt {name} is worded by us, not the official text" for name in ours]
    return not found, found


def _declared_model(plan: Plan) -> str | None:
    """mm-eval's datasets name the official judge among the parameters of llm-judge."""
    for stages in plan.steps.all:
        for stage in stages:
            model = getattr(stage.call, "official_judge_model", None)
            if isinstance(model, str):
                return model
    return None


def rehearsal(desk: Desk) -> dict[str, Json]:
    """What asking would take, by estimates; the cost is null where a price, or who is asked, is not known."""
    total = desk.rehearsal.total
    nobody = not desk.seats and not desk.rules_only
    return {
        "calls": total.calls,
        "prompt_tokens": total.prompt_tokens,
        "completion_tokens": total.completion_tokens,
        "cost_usd": None if nobody else total.cost,
    }
