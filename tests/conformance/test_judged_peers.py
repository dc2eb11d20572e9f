"""VLMEvalKit's judged readings against ours, on generated replies: the judge says the same to both.

Of every row the rules see the reply first, in both. What they leave open goes to the judge, whose lines are
drawn: those that a judge ought to write, and those that it writes all the same. Where both read a verdict it
is the same one; who reads a line at all is stated per line. Where the kit draws an option at random or calls
the row wrong for want of a verdict, ours has failed. Blank replies are left out: the kit asks about them,
here they are wrong.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from judged_runs import judging

from mmeval.judge.wire import Request
from mmeval.protocol import Overrides
from mmeval.runner import Job, score_run

HERE = Path(__file__).resolve().parent
ROWS = 1_500
Row = dict[str, Any]


def _generated() -> Any:
    """The module beside this file (test folders are no packages)."""
    spec = importlib.util.spec_from_file_location("generated", HERE / "generated.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


made = _generated()

# What a judge writes, and who reads a verdict in it: `{x}` is a label, `{t}` its text, `{y}` another label.
LINES = {
    "{x}": "both",
    "({x})": "both",
    "{x}.": "both",
    "{x}. {t}": "both",
    "**{x}**": "both",
    "Answer: {x}": "both",
    "The answer is {x}.": "both",
    "Z": "both",
    "It cannot be told.": "nobody",
    "{x} or {y}": "nobody",
    "": "nobody",
    '{{"answer": "{x}"}}': "ours",  # quotation marks hide the letter from the kit
    "It may be {x}": "the kit",  # a letter among the last four words
}
WORDS = {
    "{x}": "both",
    "{x}.": "both",
    "Answer: {x}": "both",
    "Unknown": "both",
    "{x}, {y}": "nobody",
    "It cannot be told.": "nobody",
    "": "nobody",
    "**{x}**": "ours",  # asterisks hide the word from the kit
    "Rather {x} than else": "the kit",  # the word anywhere
}
GRADES = {
    "A\t{x}": "both",
    "B\t{x}": "both",
    "C\tN/A": "both",
    "A | {x}": "both",
    "B,{x}": "both",
    "A\\t{x}": "both",
    "A": "both",
    "a\t7": "nobody",
    "AB\t{x}": "nobody",
    "": "nobody",  # the kit stops with an IndexError
    "Grade: A": "ours",
    "CORRECT\t{x}": "ours",
    "A is what I give": "the kit",
}
# Lines that neither reads, after which the judge is asked again.
AGAIN = ("It cannot be told.", "?!")


class Table(NamedTuple):
    """Rows of the kit's table, and the line that counts for each."""

    rows: list[Row]
    lines: list[str]

    @property
    def samples(self) -> list[Row]:
        """The same rows as inference writes them."""
        return [_sample(number, row) for number, row in enumerate(self.rows)]


def _sample(number: int, row: Row) -> Row:
    ask = {"role": "user", "question": row["question"]}
    options = {name: text for name, text in row.items() if len(name) == 1}
    turns = [{**ask, "options": options} if options else ask, {"role": "assistant"}]
    turns[1]["response"] = row["prediction"]
    return {"eval-id": number, "messages": turns, "answer": row["answer"]}


def table(lines: Mapping[str, str], yes_no: bool, seed: int) -> Table:
    """Generated replies, and what the judge says of each."""
    draw = random.Random(seed)
    rows, counted = [], []
    for at, reply in enumerate(made.generated("yes_no" if yes_no else "option", ROWS, seed=seed)):
        if not all(map(str.strip, reply.options.values())):
            continue  # the kit finds an empty text in every line
        labels = ["Yes", "No"] if yes_no else list(reply.options)
        x, y = draw.sample(labels, 2)
        line = draw.choice(sorted(lines))
        said = {"x": x, "y": y, "t": reply.options.get(x, "")}
        before = draw.sample(AGAIN, draw.randint(0, 2)) if lines[line] != "nobody" else []
        row = {
            "question": f"Which of them is number {at}?",
            **reply.options,
            "answer": draw.choice([x, x, y]),
        }
        replies = [*before, line.format(**said)]
        rows.append({**row, "prediction": reply.text if reply.text.strip() else "hm", "replies": replies})
        counted.append(line)
    return Table(rows, counted)


TABLES = {
    "mcq": table(LINES, False, 11),
    "yes_no": table(WORDS, True, 12),
    "spatial": table(GRADES, False, 13),
}
SAID = ["正确", "**正确**", "错误", "未尝试"]
THREE = [random.Random(14).choice(SAID) for _ in range(1)] + [
    random.Random(n).choice(SAID) for n in range(799)
]


@pytest.fixture(scope="module")
def kit() -> Row:
    """What the kit makes of the tables; skips where no peers are installed."""
    python = os.environ.get("MMEVAL_PEERS_PYTHON")
    if not python:
        pytest.skip("MMEVAL_PEERS_PYTHON does not name a Python with the peers")
    tables: Row = {name: each.rows for name, each in TABLES.items()}
    tables |= {"spatial_value": [], "three_way": [{"said": said} for said in THREE]}
    environment = {**os.environ, "OPENAI_API_KEY": "unused", "HF_HUB_OFFLINE": "1"}
    environment.pop("VERBOSE", None)
    done = subprocess.run(
        [python, "-W", "ignore", str(HERE / "peer_judged.py")],
        input=json.dumps(tables),
        capture_output=True,
        text=True,
        env=environment,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: Row = json.loads(done.stdout)
    return found


def scored(folder: Path, protocol: str, samples: list[Row], replies: list[list[str]]) -> Row:
    """Our score document of the same rows, with a judge that says the same lines."""

    def reply(request: Request) -> str:
        own = replies[int(request.sample)]
        return own[min(request.attempt, len(own) - 1)]

    path = folder / "result.json"
    path.write_text(json.dumps(samples))
    with judging(reply, max_retry=2) as judge:
        job = Job(Overrides(protocol=protocol), force=True, judge=judge)
        document: Row = json.loads(score_run(path, job).score.read_bytes())
    return document


def _by_chance(row: Row) -> bool:
    """Whether the kit finds the text of an option within one of the judge's lines, where nobody named it."""
    texts = [str(text).lower() for name, text in row.items() if len(name) == 1]
    return any(text in reply.lower() for text in texts for reply in row["replies"])


# table, protocol, what the kit says where it reads nothing, who reads which line
TAILS = [
    ("mcq", "RealWorldQA", "guess", LINES),
    ("mcq", "VStarBench", "guess", LINES),
    ("yes_no", "HallusionBench", "Unknown", WORDS),
    ("yes_no", "MME@vlmevalkit", "Unknown", WORDS),
]


@pytest.mark.parametrize(("name", "protocol", "nothing", "who"), TAILS, ids=[p for _, p, *_ in TAILS])
def test_the_tail_of_a_rule_reading(
    name: str, protocol: str, nothing: str, who: dict[str, str], kit: Row, tmp_path: Path
) -> None:
    rows, lines = TABLES[name]
    fields = {"category": "color", "image_id": "1", "visual_input": "1", "set_id": "0", "subcategory": "ocr"}
    samples = [{**each, **fields, "figure_id": "1", "question_id": "0"} for each in TABLES[name].samples]
    document = scored(tmp_path, protocol, samples, [row["replies"] for row in rows])
    judged = dict.fromkeys(who, 0)
    for row, line, ours, theirs in zip(rows, lines, document["samples"], kit[name], strict=True):
        hit = float(theirs.lower() == row["answer"].lower())
        if ours["decided_by"] == "rule-match":
            assert ours["score"] == hit, row
            continue
        judged[line] += 1
        reads = who[line]
        assert (ours["status"] == "ok") is (reads in ("both", "ours")), (row, ours["reason"])
        if not _by_chance(row) and line != "Unknown":
            assert (theirs != nothing) is (reads in ("both", "the kit")), (row, theirs)
        if reads == "both":
            assert ours["score"] == hit, row
    assert min(judged.values()) > 5, judged


def test_the_spatial_grader(kit: Row, tmp_path: Path) -> None:
    rows, lines = TABLES["spatial"]
    document = scored(tmp_path, "ERQA@judge", TABLES["spatial"].samples, [row["replies"] for row in rows])
    for row, line, ours, theirs in zip(rows, lines, document["samples"], kit["spatial"], strict=True):
        reads = GRADES[line]
        assert (ours["status"] == "ok") is (reads in ("both", "ours")), (row, ours["reason"])
        if reads == "both":
            grade, extracted = theirs
            assert ours["score"] == float(grade == "A"), row
            assert ours["evidence"]["extracted"] == extracted, row
        elif reads == "nobody" and theirs is not None:
            assert theirs == ["C", "N/A"], row


def test_the_figures_of_simplevqa(kit: Row, tmp_path: Path) -> None:
    samples = [
        _sample(number, {"question": "What?", "answer": "gold", "prediction": f"reply {number}"})
        for number in range(len(THREE))
    ]
    document = scored(tmp_path, "SimpleVQA", samples, [[said] for said in THREE])
    ours = document["summary"]["groups"]["rates"]
    theirs = kit["three_way"]
    names = {"correct": "is_correct", "incorrect": "is_incorrect", "not-attempted": "is_not_attempted"}
    assert {label: ours[label] for label in names} == {label: theirs[name] for label, name in names.items()}
    figures = {name: each["value"] for name, each in document["summary"]["aggregates"].items()}
    for name in ("accuracy_given_attempted", "f1"):
        assert figures[name] == pytest.approx(theirs[name], abs=1e-12)
