"""JUnit XML as CI servers read it: a suite a run; its gates are the test cases, or with rows its samples.

What a model wrote is text: escaped, and characters that XML has not are spelled out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mmeval.exports.grid import no_value
from mmeval.exports.inert import spelled
from mmeval.exports.options import Options, Tell
from mmeval.exports.runs import Run, record, rows
from mmeval.fingerprint import canonical
from mmeval.reports.explanation import verdict
from mmeval.reports.scorefile_reader import intact

MARK = b"<!-- mmeval export -->"
LONGEST = 2000
KEPT = {"\n": "\n", "\t": "\t"}


class Case(NamedTuple):
    """A test case: its name, `passed`, `failure`, `error` or `skipped`, a kind, a sentence, and details."""

    name: str
    outcome: str = "passed"
    kind: str = ""
    said: str = ""
    text: str = ""


def export(runs: Sequence[Run], options: Options, tell: Tell) -> Iterator[bytes]:
    """A suite a run."""
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n' + MARK + b'\n<testsuites name="mmeval">\n'
    for run in runs:
        cases = list(_samples(run)) if options.rows else gates(run, options)
        yield _suite(run, cases).encode()
    yield b"</testsuites>\n"


def gates(run: Run, options: Options) -> list[Case]:
    """What a run has to pass: no failed row, a headline, and the gates that were set."""
    found = [_complete(run), _headline(run, options.fail_under)]
    return found if options.min_coverage is None else [*found, _coverage(run, options.min_coverage)]


def missed(runs: Sequence[Run], options: Options) -> bool:
    """Whether a run missed a gate that was set."""
    return any(case.outcome == "failure" for run in runs for case in gates(run, options))


def _complete(run: Run) -> Case:
    if not run.failed:
        return Case("complete")
    return Case("complete", "error", "rows-failed", f"{run.failed} of {run.summary['total']} rows failed")


def _headline(run: Run, least: float | None) -> Case:
    name = f"headline {run.headline.get('name')}"
    if run.value is None:
        outcome = "error" if least is None else "failure"
        return Case(name, outcome, "no-value", no_value(run))
    if least is not None and run.value < least:
        return Case(name, "failure", "fail-under", f"headline {run.value:g} is below {least:g}")
    return Case(name)


def _coverage(run: Run, least: float) -> Case:
    share = run.summary["coverage"]
    if share is not None and share < least:
        return Case("coverage", "failure", "min-coverage", f"coverage {share:.4f} is below {least:g}")
    return Case("coverage")


def _samples(run: Run) -> Iterator[Case]:
    for row in rows(run):
        with intact(run.document):
            case = _sample(row)
        yield case


def _sample(row: Mapping[str, Any]) -> Case:
    """A sample as a test case: right passes; what has no verdict is never a failure."""
    score, status, name = row["score"], row["status"], str(canonical(row["eval-id"]))
    if status == "ok" and score is not None and score >= 1:
        return Case(name)
    said, text = verdict(row), _details(row)
    if status == "invalid" or (status == "ok" and score is None):
        return Case(name, "skipped", "invalid" if status == "invalid" else "measured", said)
    if status != "ok":
        return Case(name, "error", status, said, text)
    return Case(name, "failure", "undecided" if row["decided_by"] is None else "wrong", said, text)


def _details(row: Mapping[str, Any]) -> str:
    pred = row["pred"]
    answer = "(no answer)" if pred is None else pred if len(pred) <= LONGEST else pred[:LONGEST] + " ..."
    return f"gold: {row['gt']}\nanswer: {answer}"


def _suite(run: Run, cases: Sequence[Case]) -> str:
    name = f"{run.model}/{run.name}" if run.model != run.name else run.name
    counts = {kind: sum(case.outcome == kind for case in cases) for kind in ("failure", "error", "skipped")}
    lines = [
        f'  <testsuite name={quoted(name)} tests="{len(cases)}" failures="{counts["failure"]}" '
        f'errors="{counts["error"]}" skipped="{counts["skipped"]}">',
        "    <properties>",
        *(
            f"      <property name={quoted(key)} value={quoted(_text(value))}/>"
            for key, value in record(run).items()
            if value is not None
        ),
        "    </properties>",
        *(_case(case, name) for case in cases),
        "  </testsuite>\n",
    ]
    return "\n".join(lines)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _case(case: Case, suite: str) -> str:
    start = f"    <testcase classname={quoted(suite)} name={quoted(case.name)}"
    if case.outcome == "passed":
        return start + "/>"
    kind = "" if case.outcome == "skipped" else f" type={quoted(case.kind)}"
    inside = f"<{case.outcome} message={quoted(case.said)}{kind}"
    inside += f">{escaped(case.text)}</{case.outcome}>" if case.text else "/>"
    return f"{start}>{inside}</testcase>"


def escaped(text: str) -> str:
    r"""A text as XML's character data.

    >>> escaped("a<b>&\x00")
    'a&lt;b&gt;&amp;\\u0000'
    """
    told = spelled(text.replace("\r\n", "\n"), KEPT)
    return told.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quoted(text: str) -> str:
    """A text as XML's attribute, in quotes."""
    return '"' + escaped(text).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;") + '"'
