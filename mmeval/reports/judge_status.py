"""What a score says of its judge: who was asked, who answered, how it went, what it said of a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mmeval.reports.reasons import sentence
from mmeval.text.counted import many

OFFICIAL = {True: "official", False: "not the official one", None: "no official one is known"}
PRINTED = 12
LONGEST = 800


def identity(config: Mapping[str, Any]) -> list[str]:
    """Who the judge is, with model and prompt; nothing where a score has none."""
    if config.get("judge_provider") is None:
        return []
    if config["judge_provider"] == "none":
        return ["none: rules only, what they leave open stays undecided"]
    asked, answered = several(config.get("judge_model")), several(config.get("judge_model_answered"))
    where = f" at {several(config['judge_endpoint'])}" if config.get("judge_endpoint") else ""
    says = f", answered {answered}" if answered and answered != asked else ""
    lines = [
        f"{config['judge_provider']}{where}: asked {asked or 'nobody'}{says} "
        f"({OFFICIAL[config.get('official_judge')]})"
    ]
    return lines + [text for text in (_prompt(config), _decoding(config)) if text]


def several(names: object) -> str:
    """One name, or several with commas; empty where there is none."""
    if isinstance(names, list | tuple):
        return ", ".join(map(str, names))
    return "" if names is None else str(names)


def _prompt(config: Mapping[str, Any]) -> str:
    if not config.get("judge_prompt"):
        return ""
    main = _printed(config["judge_prompt"], config.get("judge_prompt_sha256"))
    contract = f", contract {config['judge_contract']}" if config.get("judge_contract") else ""
    others = {**(config.get("judge_prompts") or {})}
    others.pop(config["judge_prompt"], None)
    also = "; also " + ", ".join(_printed(*each) for each in others.items()) if others else ""
    return f"prompt {main}{contract}{also}"


def _printed(name: str, sha256: object) -> str:
    """A prompt with the beginning of its hash."""
    return f"{name} (SHA-256 {str(sha256)[:PRINTED]})" if sha256 else name


def _decoding(config: Mapping[str, Any]) -> str:
    said = []
    if config.get("judge_temperature") is not None:
        said.append(f"temperature {config['judge_temperature']:g}")
    if config.get("judge_max_tokens") is not None:
        said.append(f"at most {config['judge_max_tokens']} tokens a reply")
    if config.get("judge_repeats", 1) != 1:
        said.append(f"{config['judge_repeats']} replies of each model to each question")
    return ", ".join(said)


def course(summary: Mapping[str, Any]) -> list[str]:
    """How the judging went: rows, replies, failures by kind, tokens and cost; nothing without a judge."""
    judge = summary.get("judge")
    if not isinstance(judge, Mapping):
        return []
    asked, counted = many(judge["asked"], "row", "rows"), many(judge["replies"], "reply", "replies")
    failures: Mapping[str, int] = judge.get("failures") or {}
    if judge["asked"] and not judge["replies"] and not failures:
        return [f"{asked} left to a judge, and none was asked"]
    lines = [f"{asked} put to the judge, {counted} counted", *_tied(judge)]
    lines += [f"{failed(count)}: {sentence(code)}" for code, count in most_first(failures)]
    if judge.get("prompt_tokens") or judge.get("completion_tokens"):
        cost = judge.get("cost_usd")
        price = "price not known" if cost is None else f"{cost:.4f} US dollars"
        lines.append(
            f"{judge['prompt_tokens']:,} tokens sent, {judge['completion_tokens']:,} received; {price}"
        )
    return lines


def _tied(judge: Mapping[str, Any]) -> list[str]:
    """The rows that a panel, or repeats, could not settle."""
    tied = judge.get("tied") or 0
    return [f"{many(tied, 'row', 'rows')} undecided: {sentence('judges-tied')}"] if tied else []


def failed(count: int) -> str:
    """So many rows failed."""
    return f"{many(count, 'row', 'rows')} failed"


def most_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Counts, the largest first; equal ones by name."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def brief(config: Mapping[str, Any], summary: Mapping[str, Any]) -> list[str]:
    """What must stand below a number that a judge made: who it was, and what failed how often."""
    judge = summary.get("judge")
    if not isinstance(judge, Mapping) or not judge.get("asked"):
        return []
    who = several(config.get("judge_model_answered")) or several(config.get("judge_model"))
    prompt = f", prompt {config['judge_prompt']}" if config.get("judge_prompt") else ""
    asked = many(judge["asked"], "row", "rows")
    said = [f"judge: {asked}, {who}{prompt} ({OFFICIAL[config.get('official_judge')]})"] if who else []
    if config.get("judge_provider") == "none":
        left = summary.get("undecided", judge["asked"])
        # Where a judge only reads the answer, the stages behind it decide without one, too.
        what = "stay undecided" if left >= judge["asked"] else f"were read without one, {left} stay undecided"
        said = [f"judge: none; {asked} that the rules left open {what}"]
    failures: Mapping[str, int] = judge.get("failures") or {}
    said += [f"judge: {line}" for line in _tied(judge)]
    return said + [f"judge: {failed(count)}: {sentence(code)}" for code, count in most_first(failures)]


def block(config: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """The judge of a run in full; empty where it had none."""
    lines = [*identity(config), *course(summary)]
    return "\n".join(f"{'judge' if number == 0 else '':<10}{line}" for number, line in enumerate(lines))


def replies(calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """The replies that one stage got about a sample, two lines each."""
    lines = []
    for call in calls:
        lines += [f"judge:   asked {call['asked']}{_turn(call)}: {_verdict(call)}"]
        lines += [f"replied: {_cut(call['reply'])}"]
    return lines


def _turn(call: Mapping[str, Any]) -> str:
    said = [f"prompt {call['prompt']}"]
    said += [f"{call['model']} answered"] if call.get("model") not in (None, call["asked"]) else []
    said += [f"replicate {call['replicate'] + 1}"] if call.get("replicate") else []
    said += [f"attempt {call['attempt'] + 1}"] if call.get("attempt") else []
    return f" ({', '.join(said)})"


def _verdict(call: Mapping[str, Any]) -> str:
    if call.get("label") is None:
        return f"could not be read ({(call.get('why') or 'no-verdict').replace('-', ' ')})"
    sure = "" if call.get("logprob") is None else f" (log-probability {call['logprob']:.3g})"
    return f"ruled {call['label']!r}{sure}"


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} [... {len(text) - LONGEST} characters more]"
