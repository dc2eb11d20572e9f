"""One sample, explained to a stranger: what was asked, what each stage read, what that means."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from mmeval.reports import beside, box_report, judge_status, settings
from mmeval.reports.reasons import sentence
from mmeval.reports.scorefile_reader import Document

WIDTH = 110
AROUND = 60
LONGEST = 1200
UNKNOWN = "(not shown: the run is not beside this score file, or is another one by now)"


def explain(document: Document, row: Mapping[str, Any]) -> str:
    """The explanation of one row of a score file."""
    asked = _asked(document, row)
    blocks = [
        f"sample {row['eval-id']} of {document.path}",
        asked,
        _answers(row),
        _stages(row, document.config),
        _predictions(row, document.config),
        f"verdict   {verdict(row)}",
        _recorded(row.get("recorded")),
        _protocol(document.config, _judged(row)),
    ]
    return "\n\n".join(block for block in blocks if block)


def verdict(row: Mapping[str, Any]) -> str:
    """The verdict of a row in one sentence."""
    score, status = row["score"], row["status"]
    read = f"{row['extracted']!r}" if row["extracted"] is not None else "nothing"
    if status == "invalid":
        return f"invalid: {sentence(row['reason'])}; it counts as wrong and is reported apart"
    if status != "ok":
        return f"not settled: {row['reason']}; the score's bounds allow for both, a new run retries it"
    if score is None:
        return f"measured by {row['decided_by']}: the number is made over the whole run"
    if row["decided_by"] is None:
        return (
            f"undecided, score 0: no stage could decide ({sentence(row['reason'], last=True)}; read: {read})"
        )
    word = "right" if score >= 1 else "wrong" if score == 0 else "partly right"
    if len(row.get("predictions") or ()) > 1:
        several = len(row["predictions"])
        return (
            f"{word}, score {score:g}: the mean of {several} predictions against the gold {_short(row['gt'])}"
        )
    return f"{word}, score {score:g}: {row['decided_by']} read {read} against the gold {_short(row['gt'])}"


def _recorded(told: Mapping[str, Any] | None) -> str:
    """What another harness recorded of the same answer."""
    if told is None:
        return ""
    metric = f" by {told['metric']}" if told.get("metric") else ""
    score = "no score" if told["score"] is None else f"score {told['score']:g}"
    read = "" if told["extracted"] is None else f", read {_short(told['extracted'])!r}"
    return f"recorded  {told['by']}: {score}{metric}{read}"


def _asked(document: Document, row: Mapping[str, Any]) -> str:
    """Question and options, if the run still lies beside the score and is the one that was scored."""
    turn = beside.turn_of(beside.row_of(document, row))
    if turn is None:
        return _field("question", UNKNOWN)
    question = str(turn.get("question") or turn.get("prompt") or "").strip()
    lines = [_field("question", _cut(question))] if question else []
    options = turn.get("options")
    if isinstance(options, dict):
        lines += [
            _field("" if index else "options", f"{key}. {text}")
            for index, (key, text) in enumerate(options.items())
        ]
    elif isinstance(turn.get("choices"), list):
        lines.append(_field("choices", ", ".join(map(str, turn["choices"]))))
    return "\n".join(lines)


def _answers(row: Mapping[str, Any]) -> str:
    lines = [_field("type", str(row["question_type"] or "unknown")), _field("gold", _short(row["gt"]))]
    pred = row["pred"]
    lines.append(_field("answered", "(nothing)" if pred is None else _cut(pred) if pred else '"" (empty)'))
    return "\n".join(lines)


def _stages(row: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    lines = []
    for number, step in enumerate(row["trace"], 1):
        last = number == len(row["trace"])
        lines.append(f"{number}. {step['stage']} (version {step['version']}): {_step(step, last)}")
        where = _marked(row["pred"], step["span"])
        if where:
            lines.append(f"     where: {where}")
        set_to = settings.line(config, step["stage"])
        if set_to:
            lines.append(f"     by:    {set_to}")
        lines += [f"     {text}" for text in judge_status.replies(step.get("judge") or ())]
    if box_report.has_boxes(row.get("evidence")):
        lines += [f"     {text}" for text in box_report.lines(row["evidence"])]
    elif row.get("evidence"):
        lines.append(f"     evidence: {_short(row['evidence'])}")
    return "\n".join(lines)


def _step(step: Mapping[str, Any], last: bool) -> str:
    read = "" if step["extracted"] is None else f" read {step['extracted']!r}"
    why = sentence(step["reason"], last) if step["reason"] else ""
    words = {
        "pass": f"{'could not decide' if last else 'passed on'},{read or ' read nothing'}: {why}",
        "score": "decided" + (f",{read}" if read else "") + (f": {why}" if why else ""),
        "measured": f"measured,{read or ' read nothing'}",
        "invalid": f"cannot grade this: {why}",
        "failed": f"failed: {why}",
    }
    return words[step["outcome"]]


def _marked(pred: str | None, span: list[int] | None) -> str:
    """The surroundings of what was read, with >>marks<< around it."""
    if pred is None or span is None:
        return ""
    start, end = span
    left = ("..." if start > AROUND else "") + pred[max(0, start - AROUND) : start]
    right = pred[end : end + AROUND] + ("..." if len(pred) > end + AROUND else "")
    return " ".join(f"{left}>>{pred[start:end]}<<{right}".split())


def _predictions(row: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """Every prediction that counts, and what each stage read in it."""
    several = row.get("predictions")
    if not several:
        return ""
    lines = [f"{len(several)} predictions count:"]
    for number, each in enumerate(several, 1):
        lines.append(f"  {number}. score {each['score']}, read {each['extracted']!r}: {_short(each['pred'])}")
        lines += [textwrap.indent(text, " " * 5) for text in [_stages(each, config)] if text]
    return "\n".join(lines)


def _judged(row: Mapping[str, Any]) -> bool:
    return any(step.get("judge") for each in (row, *(row.get("predictions") or ())) for step in each["trace"])


def _protocol(config: Mapping[str, Any], row_judged: bool) -> str:
    official = {True: "official", False: "not official", None: "no protocol declared"}[
        config["official_protocol"]
    ]
    lines = [f"protocol  {config['protocol'] or 'default'} ({official}), from {config['protocol_source']}"]
    lines += [f"          - {text}" for text in config["deviations"]]
    if row_judged:
        lines.append(judge_status.block(config, {}))
    return "\n".join(lines)


def _field(name: str, text: str) -> str:
    return textwrap.indent(textwrap.fill(text, WIDTH, replace_whitespace=True), " " * 10).replace(
        " " * 10, f"{name:<10}", 1
    )


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]} [... {len(text) - LONGEST} characters ...] {text[-half:]}"


def _short(value: object) -> str:
    if value is None:
        return "(none)"
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 200 else text[:197] + "..."
