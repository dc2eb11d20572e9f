"""Scores as text for a terminal: one line a run, or one run in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmeval.reports import judge_status
from mmeval.text.terminal_cells import aligned

if TYPE_CHECKING:
    from mmeval.runner import Scored

HEAD = ("run", "protocol", "headline", "value", "95 % interval", "n", "read", "decided", "official")
# Reasons that the line of a run has room for.
REASONS = 3
OFFICIAL = {True: "yes", False: "no", None: "-"}


def scores_json(done: Sequence[Scored]) -> str:
    """Every run's config and summary as one JSON array."""
    import orjson

    rows = [
        {
            "result": _text(each.result),
            "score": _text(each.score),
            "up_to_date": each.up_to_date,
            "config": each.config,
            "summary": each.summary,
        }
        for each in done
    ]
    return orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode()


def _text(path: Path) -> str:
    """A path as text; what is no UTF-8 in it as question marks."""
    return str(path).encode("utf-8", "replace").decode()


def scores_table(done: Sequence[Scored], root: Path) -> str:
    """One line a run, and below it what a reader of that number must know."""
    if not done:
        return "no run was scored"
    head, rule, *runs = aligned([HEAD, *(_line(each, root) for each in done)], rule=True)
    lines = [head, rule]
    for each, line in zip(done, runs, strict=True):
        lines.append(line)
        lines += [f"    {note}" for note in _remarks(each)]
    return "\n".join(lines)


REHEARSED = ("run", "rows", "by rules", "need the judge", "known", "calls", "tokens in", "tokens out", "US $")
NOBODY = "no judge is named: give --judge_model to see calls, tokens and cost"


def rehearsals_json(done: Sequence[Scored]) -> str:
    """Every run's dry run as one JSON array."""
    import orjson

    rows = [{"result": _text(each.result), "up_to_date": each.up_to_date, **_found(each)} for each in done]
    return orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode()


def rehearsals_table(done: Sequence[Scored], root: Path) -> str:
    """What a dry run found, a line a run and a last one for all of them."""
    told: list[tuple[str, Mapping[str, Any]]] = [
        (run_name(each.result, root) + (" (up to date)" if each.up_to_date else ""), _found(each))
        for each in done
    ]
    keys = ("total", "by_rules", "need_judge", "cached", "calls", "prompt_tokens", "completion_tokens")
    rows = [(name, *(f"{found.get(key, 0):,}" for key in keys), _dollars(found)) for name, found in told]
    if len(told) > 1:
        costs: list[Any] = [found.get("cost_usd", 0.0) for _, found in told]
        whole: dict[str, Any] = {key: sum(found.get(key, 0) for _, found in told) for key in keys}
        whole["cost_usd"] = None if None in costs else sum(costs)
        rows.append(("all", *(f"{whole[key]:,}" for key in keys), _dollars(whole)))
    found = table(
        "dry run: nobody was asked, nothing was written; tokens and cost are estimates", REHEARSED, rows
    )
    nobody = any(each["need_judge"] and not each["cached"] + each.get("calls", 0) for _, each in told)
    return f"{found}\n{NOBODY}" if nobody else found


def _found(each: Scored) -> Mapping[str, Any]:
    """What a dry run found; of a run whose score is up to date, that nothing is to be done."""
    if each.rehearsal is not None:
        return each.rehearsal
    nothing = dict.fromkeys(("by_rules", "need_judge", "cached", "calls"), 0)
    return {
        "total": each.summary["total"],
        **nothing,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "cost_usd": 0.0,
    }


def _dollars(found: Mapping[str, Any]) -> str:
    cost = found.get("cost_usd", 0.0)
    return "unknown" if cost is None else f"{cost:.4f}"


def _line(each: Scored, root: Path) -> tuple[str, ...]:
    headline: Any = each.summary["headline"]
    coverage: Any = each.summary["coverage"]
    official: Any = each.config["official_protocol"]
    return (
        run_name(each.result, root),
        str(each.config["protocol"] or "-"),
        str(headline["name"]),
        number(headline["value"]),
        interval(headline["ci95"]),
        str(headline["n"]),
        _share(each.summary["read"], each.summary["total"]),
        "-" if coverage is None else f"{coverage:.1%}",
        OFFICIAL[official],
    )


def _share(part: Any, whole: Any) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def run_name(result: Path, root: Path) -> str:
    """How a run is called: its folder below the root, or its file where the name says something."""
    base = root if root.is_dir() else root.parent
    name = result.relative_to(base) if result.is_relative_to(base) else result
    if result.name == "result.json":
        name = name.parent if name.parent != Path(".") else Path(base.name)
    return str(name)


def _remarks(each: Scored) -> list[str]:
    summary: Any = each.summary
    said = (
        [f"up to date: {each.score} (same fingerprint; --force scores it again)"] if each.up_to_date else []
    )
    failed = summary["llm_errors"] + summary["errors"]
    if failed:
        low, high = summary["headline"]["bounds"]
        said.append(
            f"{failed} of {summary['total']} rows failed: the value lies in {number(low)}..{number(high)}"
        )
    if summary["invalid"]:
        said.append(_invalid(summary))
    said += [f"warning: {text}" for text in summary["warnings"]]
    said += judge_status.brief(each.config, summary)
    said += [f"not official: {text}" for text in _deviations(each.config)]
    return said


def _invalid(summary: Any) -> str:
    """How many rows are invalid, why, and what becomes of them; measured rows are neither right nor wrong."""
    one = summary["invalid"] == 1
    whole = f"{summary['invalid']} of {summary['total']} rows {'is' if one else 'are'} invalid"
    if summary["mean_score"] is None and summary["accuracy"] is None:
        rest = "; mmeval show says for each number whether they count"
    else:
        rest = " and counts as wrong" if one else " and count as wrong"
    return f"{whole}{rest}{_why_invalid(summary.get('invalid_by_reason') or {})}"


def _why_invalid(reasons: Mapping[str, int]) -> str:
    """The commonest reasons, and how to see the rows."""
    if not reasons:
        return ""
    order = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    told = ", ".join(f"{count} {reason}" for reason, count in order[:REASONS])
    more = ", ..." if len(order) > REASONS else ""
    return f" ({told}{more}; mmeval explain SCORE --why invalid lists them)"


def _deviations(config: Mapping[str, Any]) -> list[str]:
    return list(config["deviations"]) if config["official_protocol"] is False else []


def number(value: object) -> str:
    """A figure with four significant decimals at most; `-` where there is none."""
    if not isinstance(value, int | float):
        return "-"
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


def interval(ci95: object) -> str:
    """An interval as `low..high`."""
    if not isinstance(ci95, list | tuple):
        return "-"
    return f"{number(ci95[0])}..{number(ci95[1])}"


def run_in_full(
    document: Mapping[str, Any], title: str, first: Sequence[str] = (), last: Sequence[str] = ()
) -> str:
    """Everything that one score file says but its rows; `first` and `last` are blocks that its rows tell."""
    config, summary = document["config"], document["summary"]
    blocks = [
        _title(config, summary, title),
        _counts(summary),
        judge_status.block(config, summary),
        *first,
        listed("deviations from the official protocol", config["deviations"]),
        table("aggregates", ("name", "value", "95 % interval", "n", "how"), _aggregates(summary)),
        *_groups(summary),
        table("by question type", ("type", "rows", "correct"), _tally(summary)),
        table("why rows were not decided", ("reason", "rows"), _reasons(summary)),
        listed("warnings", summary["warnings"]),
        listed("notes", config["protocol_notes"]),
        *last,
    ]
    return "\n\n".join(block for block in blocks if block)


def _title(config: Mapping[str, Any], summary: Mapping[str, Any], title: str) -> str:
    headline = summary["headline"]
    pipeline = config["score_pipeline"]
    shown = ", ".join(pipeline) if isinstance(pipeline, list) else "by route: " + ", ".join(pipeline["route"])
    lines = [
        title,
        f"protocol  {config['protocol'] or 'none declared'} (from {config['protocol_source']}, "
        f"official: {OFFICIAL[config['official_protocol']]})",
        f"pipeline  {shown}",
        f"headline  {headline['name']} = {number(headline['value'])}   95 % {interval(headline['ci95'])}   "
        f"n = {headline['n']}   bounds {interval(headline['bounds'])}",
    ]
    return "\n".join(lines)


def _counts(summary: Mapping[str, Any]) -> str:
    names = ["total", "filtered", "invalid", "read", "decided", "undecided", "llm_errors", "errors"]
    rates = ["accuracy", "accuracy_valid", "accuracy_decided", "coverage", "mean_score"]
    return "\n".join(
        (
            "rows      " + "   ".join(f"{name} {summary[name]}" for name in names),
            "rates     " + "   ".join(f"{name} {number(summary[name])}" for name in rates),
        )
    )


def _aggregates(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name, figure in summary["aggregates"].items():
        how = " ".join(filter(None, (figure["reduce"], figure["method"] and f"({figure['method']})")))
        rows.append((name, number(figure["value"]), interval(figure["ci95"]), str(figure["n"]), how))
        rows += [(f"  note: {note}", "", "", "", "") for note in figure["notes"]]
    return rows


def _groups(summary: Mapping[str, Any]) -> list[str]:
    return [
        table(f"parts of {name}", ("part", "value"), [(part, number(value)) for part, value in parts.items()])
        for name, parts in summary["groups"].items()
    ]


def _tally(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The question types; how many are right is nothing to say where all is measured over the run."""
    measured = summary["accuracy"] is None and summary["decided"] > 0
    return [
        (name, str(cell["total"]), "-" if measured else str(cell["correct"]))
        for name, cell in summary["by_question_type"].items()
    ]


def _reasons(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    reasons = summary["by_reason"]
    return [
        (reason, str(reasons[reason])) for reason in sorted(reasons, key=lambda name: (-reasons[name], name))
    ]


def table(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A titled table, columns aligned; nothing where there are no rows."""
    if not rows:
        return ""
    return "\n".join([title, *(f"  {line}" for line in aligned([head, *rows]))])


def listed(title: str, texts: Sequence[str]) -> str:
    """A titled list; nothing where there is nothing to list."""
    return "\n".join([title, *(f"  - {text}" for text in texts)]) if texts else ""
