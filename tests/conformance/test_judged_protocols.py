"""Every judged benchmark from a run of ours to its score file, against a scripted server over real HTTP.

The rows are made up. What the judge replies to each is known, so verdicts, figures and provenance are, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from judge_server import JudgeServer, prompt_text
from judged_runs import MODEL, court, say

from mmeval import library
from mmeval.errors import UsageError
from mmeval.judge.templates import prompt
from mmeval.metadata import Judge
from mmeval.protocol import Overrides
from mmeval.runner import Job, score_run

Row = dict[str, Any]
OPTIONS = {"A": "red", "B": "green", "C": "blue"}
ITEM = re.compile(r"item (\d+),")


class Line(NamedTuple):
    """A made-up row: what the model says, what the judge says of it, and what it is worth."""

    prediction: str
    label: str
    score: float


def lines(third: str | None) -> list[Line]:
    """Twelve rows: right and wrong ones, some that are neither where there is a word for that, one empty."""
    neither = third or "incorrect"
    kinds = ["correct"] * 5 + ["incorrect"] * 4 + [neither] * 2
    said = [Line(f"reply number {at}", label, float(label == "correct")) for at, label in enumerate(kinds)]
    return [*said, Line(" ", "", 0.0)]


def row(number: int, prediction: str, gold: Any = "gold", **fields: Any) -> Row:
    """One sample as inference writes it; the question says which it is, for the server."""
    ask: Row = {"role": "user", "question": f"About item {number}, what is it?"}
    if "options" in fields:
        ask["options"] = fields.pop("options")
    said = {"role": "assistant", "response": [prediction]}
    return {"eval-id": number, "messages": [ask, said], "answer": gold, **fields}


def write(folder: Path, rows: Sequence[Row], name: str | None = None) -> Path:
    meta = {"dataset_meta": {"dataset_name": name, "subset": "main", "split": "test"}} if name else {}
    path = folder / "result.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([{**each, **meta} for each in rows]))
    return path


@pytest.fixture
def told() -> Iterator[Callable[[dict[int, str | list[str]]], JudgeServer]]:
    """`told(replies)`: a server that gives row n its reply, or its next one each time it is asked again."""
    opened: list[JudgeServer] = []

    def serve(replies: dict[int, str | list[str]]) -> JudgeServer:
        def reply(body: dict[str, Any]) -> str:
            found = ITEM.search(prompt_text(body))
            assert found is not None, "the prompt does not show the question"
            own = replies[int(found[1])]
            again = sum(message["role"] == "assistant" for message in body["messages"])
            return own if isinstance(own, str) else own[min(again, len(own) - 1)]

        server = JudgeServer(reply)
        opened.append(server)
        return server.__enter__()

    yield serve
    for server in opened:
        server.__exit__(None, None, None)


def scored(path: Path, server: JudgeServer, protocol: str, **settings: Any) -> dict[str, Any]:
    """The score document of a run whose judge is the server."""
    overrides = Overrides(protocol=protocol, judge_prompt=settings.get("prompt"))
    with court(server.url, path.parent / "cache", **settings) as judge:
        done = score_run(path, Job(overrides, force=True, judge=judge))
    document: dict[str, Any] = json.loads(done.score.read_bytes())
    return document


# protocol, prompt, third label; the main block's default prompt first, then each that it takes.
SEARCHES = {
    **dict.fromkeys(("BrowseCompVL", "EncyclopedicVQA_test", "EncyclopedicVQA_test_300", "FVQA_test"), "hle"),
    **dict.fromkeys(("FVQA_test_300", "Infoseek_GDM_test", "Infoseek_GDM_test_300", "MMSearch"), "hle"),
    **dict.fromkeys(("MMSearchPlus", "VDRBench", "hle"), "hle"),
    "MMBrowseComp": "mmbrowsecomp",
    "RealXBench": "realxbench",
    "VisBrowseBench": "vbb",
}
WHOLE = [
    *((name, own, None) for name, third in SEARCHES.items() for own in ("judge-vdr", "judge-rs", third)),
    ("SimpleVQA", "simplevqa", "not-attempted"),
    ("SimpleVQA_300", "hle", None),
    ("FREAK_VQA", "freak-vqa", "invalid"),
    ("hle@authors", "hle", None),
    ("MMBrowseComp@authors", "mmbrowsecomp", None),
    ("VisBrowseBench@authors", "vbb", None),
]


def declared(protocol: str) -> Judge:
    judge = library.named(protocol, None).block.score_judge
    assert judge is not None
    return judge


@pytest.mark.parametrize(("protocol", "own", "third"), WHOLE, ids=[f"{p}-{own}" for p, own, _ in WHOLE])
def test_a_judged_benchmark_end_to_end(
    protocol: str, own: str, third: str | None, told: Any, tmp_path: Path
) -> None:
    script = lines(third)
    replies = {at: say(own, line.label, items=2) for at, line in enumerate(script) if line.label}
    path = write(
        tmp_path,
        [row(at, line.prediction, checklist=["one", "two"]) for at, line in enumerate(script)],
    )
    chosen = {} if own == declared(protocol).prompt else {"prompt": own}
    server = told(replies)
    document = scored(path, server, protocol, **chosen)
    samples, summary, config = document["samples"], document["summary"], document["config"]
    assert [line["score"] for line in samples] == [line.score for line in script]
    assert [line["extracted"] for line in samples[:-1]] == [line.label for line in script[:-1]]
    assert samples[-1]["reason"] == "empty-prediction"
    assert summary["headline"]["value"] == pytest.approx(100 * 5 / 12)
    assert (summary["llm_errors"], summary["invalid"], server.completed) == (0, 0, 11)
    assert summary["accuracy_valid"] == pytest.approx(5 / 12)
    assert (config["judge_prompt"], config["judge_prompt_sha256"]) == (own, prompt(own).sha256)
    assert (config["judge_model"], config["judge_provider"]) == (MODEL, "openai")
    assert config["judge_contract"] == prompt(own).contract
    assert config["judge_endpoint"] == server.url
    assert config["official_protocol"] is False
    assert [said for said in config["deviations"] if "12 rows were scored" in said]
    if declared(protocol).official_model == MODEL:
        assert config["official_judge"] is False
        assert [said for said in config["deviations"] if own in said and "not the official text" in said]


def test_the_judge_is_told_nothing_but_the_row(told: Any, tmp_path: Path) -> None:
    """Question, gold and reply are in the request; the rest of the row, and other rows, are not."""
    path = write(tmp_path, [row(1, "the reply", "the gold", secret="nobody shall see this")])
    server = told({1: say("judge-vdr", "correct")})
    scored(path, server, "MMSearch")
    (seen,) = server.seen
    text = prompt_text(seen.body)
    assert all(part in text for part in ("About item 1, what is it?", "the gold", "the reply"))
    assert "nobody shall see" not in text
    assert (seen.body["model"], seen.body["temperature"], seen.body["max_tokens"]) == (MODEL, 0.0, 2048)


def test_simplevqa_has_no_cap_and_its_figures(told: Any, tmp_path: Path) -> None:
    """5 correct, 3 incorrect, 2 not attempted of 10: CGA 0.625, F 0.5556.

    Source: open-compass/VLMEvalKit vlmeval/dataset/utils/simplevqa.py@e8e78f05f308, run on these counts.
    """
    kinds = ["correct"] * 5 + ["incorrect"] * 3 + ["not-attempted"] * 2
    path = write(tmp_path, [row(at, f"reply {at}") for at in range(10)])
    server = told({at: say("simplevqa", label) for at, label in enumerate(kinds)})
    document = scored(path, server, "SimpleVQA")
    figures = {name: each["value"] for name, each in document["summary"]["aggregates"].items()}
    assert figures["accuracy"] == pytest.approx(50)
    assert figures["accuracy_given_attempted"] == pytest.approx(0.625)
    assert figures["f1"] == pytest.approx(0.5556, abs=5e-5)
    assert document["summary"]["groups"]["rates"]["not-attempted"] == pytest.approx(0.2)
    assert "max_tokens" not in server.seen[0].body
    assert "max_completion_tokens" not in server.seen[0].body


def test_mmbrowsecomp_counts_items_only_where_the_judge_ticked_them(told: Any, tmp_path: Path) -> None:
    """Overall, strict and item figures of MM-BrowseComp src/eval.py@af221ef85c57."""
    rows = [row(at, f"reply {at}", checklist=["one", "two"]) for at in range(4)]
    ticked = {
        0: "overall: YES\nitems: [1, 1]",
        1: "overall: YES\nitems: [1, 0]",
        2: "overall: NO\nitems: [1, 1]",
        3: "overall: NO\nitems: [0, 0]",
    }
    document = scored(write(tmp_path / "own", rows), told(ticked), "MMBrowseComp", prompt="mmbrowsecomp")
    figures = {name: each["value"] for name, each in document["summary"]["aggregates"].items()}
    assert figures == {"accuracy": 50.0, "strict_accuracy": 25.0, "checklist_score": 62.5}
    plain = told({at: say("judge-vdr", "correct") for at in range(4)})
    document = scored(write(tmp_path / "vdr", rows), plain, "MMBrowseComp")
    aggregates = document["summary"]["aggregates"]
    assert aggregates["accuracy"]["value"] == 100.0
    for name in ("strict_accuracy", "checklist_score"):
        assert aggregates[name]["value"] is None
        assert "list of items" in " ".join(aggregates[name]["notes"])


def test_a_whole_run_by_an_official_block_is_official_but_for_the_judge(told: Any, tmp_path: Path) -> None:
    path = write(tmp_path, [row(at, f"reply {at}") for at in range(171)], "MMSearch")
    server = told({at: say("judge-vdr", "correct" if at % 3 else "incorrect") for at in range(171)})
    with court(server.url, tmp_path / "cache") as judge:
        document = json.loads(score_run(path, Job(judge=judge)).score.read_bytes())
    assert document["summary"]["headline"]["value"] == pytest.approx(100 * 114 / 171)
    assert document["config"]["official_protocol"] is True
    assert document["config"]["official_judge"] is False
    assert [said for said in document["config"]["deviations"] if "rows" in said] == []


REFUSED = [
    *((name, "simplevqa") for name in SEARCHES),
    ("MMSearch", "vbb"),
    ("RealXBench", "hle"),
    ("SimpleVQA", "hle"),
    ("SimpleVQA", "judge-vdr"),
    ("SimpleVQA_300", "judge-vdr"),
    ("FREAK_VQA", "spatial-choice"),
    ("ERQA@judge", "freak-vqa"),
    ("VStarBench", "yes-no-match"),
]


@pytest.mark.parametrize(("protocol", "wanted"), REFUSED, ids=[f"{p}-{w}" for p, w in REFUSED])
def test_a_prompt_that_the_benchmark_does_not_take_is_refused(
    protocol: str, wanted: str, told: Any, tmp_path: Path
) -> None:
    path = write(tmp_path, [row(1, "reply", options=OPTIONS)])
    server = told({})
    with pytest.raises(UsageError, match=f"{wanted}.*{declared(protocol).prompt}"):
        scored(path, server, protocol, prompt=wanted)
    assert server.received == 0


def test_the_command_of_the_readme(
    told: Any, tmp_path: Path, mmeval: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`mmeval score --results runs/ --score_pipeline llm-judge`: every run by the judge, and it says so."""
    monkeypatch.setenv("MMEVAL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    runs = tmp_path / "runs"
    letters = [row(at, f"reply {at}", "B", options=OPTIONS) for at in range(4)]
    paths = [write(runs / "mcq", letters, "VStarBench"), write(runs / "open", [row(7, "reply 7")])]
    right = say("default-binary", "correct")
    server = told({**dict.fromkeys(range(4), right), 7: say("default-binary", "incorrect")})
    asked = ("--judge_base_url", server.url, "--judge_model", MODEL)
    done = mmeval("score", "--results", str(runs), "--score_pipeline", "llm-judge", *asked)
    assert done.code == 0, done.err
    one, two = (json.loads((path.parent / "score.json").read_bytes()) for path in paths)
    assert (one["summary"]["accuracy"], two["summary"]["accuracy"]) == (1.0, 0.0)
    assert one["config"]["official_protocol"] is False
    assert [said for said in one["config"]["deviations"] if "pipeline" in said]
    assert one["config"]["score_pipeline"] == ["llm-judge"]
    assert server.completed == 5
    again = mmeval("score", "--results", str(runs), "--score_pipeline", "llm-judge", *asked, "--force")
    assert (again.code, server.completed) == (0, 5)
