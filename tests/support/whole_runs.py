"""Whole runs against a scripted judge: rows whose verdict is known, a reply to each, and processes to break.

    run = write(tmp_path, 100)
    with JudgeServer(Script()) as server:
        ran = mmeval("score", "--results", run, *flags(server.url, tmp_path / "cache"))

Row n asks about item n; `truth(n)` is its verdict. `Script` answers by the item in the prompt, and remembers
every whole reply it gave. `Zygote` starts the command in processes that may be killed,
each a fork of one that has everything imported.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from judge_server import Answer, Body, prompt_text

META = {"dataset_name": "mine", "score_pipeline": ["llm-judge"]}
MODEL = "judge-1"
KEY = "sk-test-0123456789abcdefghij"
ITEM = re.compile(r"item (\d+),")


def truth(item: int) -> str:
    """The right verdict on a row."""
    return "correct" if item % 3 else "incorrect"


def write(
    folder: Path, rows: int, predict: Callable[[int], str] = "reply {}".format, meta: Any = None
) -> Path:
    """A run of so many rows, as inference writes it."""
    made = [
        {
            "eval-id": item,
            "messages": [
                {"role": "user", "question": f"About item {item}, what is it?"},
                {"role": "assistant", "response": [predict(item)]},
            ],
            "answer": f"gold {item}",
            "dataset_meta": meta or META,
        }
        for item in range(rows)
    ]
    path = folder / "result.json"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


def flags(url: str, cache: Path, *more: object, concurrency: int = 8) -> list[str]:
    """How the command is told of the judge."""
    given = ["--judge_model", MODEL, "--judge_base_url", url, "--judge_cache", cache]
    return [str(each) for each in (*given, "--judge_concurrency", concurrency, *more)]


class Script:
    """Replies with the truth, unless a row's first replies are scripted.

    Args:
        first: for an item, the replies before the one that can be read.

    Attributes:
        sent: every whole reply, by item, in order.
    """

    def __init__(self, first: Callable[[int], Sequence[Answer]] = lambda item: ()) -> None:
        self._first = first
        self.sent: dict[int, list[str]] = {}

    def __call__(self, body: Body) -> Answer:
        item = item_of(body)
        before = self.sent.setdefault(item, [])
        again = any(message["role"] == "assistant" for message in body["messages"])
        assert bool(before) or not again
        made = (*self._first(item), *[right(item)] * 99)[len(before)]
        before.append(made.text or "")
        return made

    @property
    def count(self) -> int:
        """All whole replies."""
        return sum(map(len, self.sent.values()))


def item_of(body: Body) -> int:
    """Which row a request is about."""
    found = ITEM.search(prompt_text(body))
    assert found is not None, "the prompt does not show the question"
    return int(found[1])


def right(item: int) -> Answer:
    """The reply that tells the truth."""
    return Answer(json.dumps({"verdict": truth(item)}), tokens=(300 + item % 7, 8))


def score_of(run: Path) -> dict[str, Any]:
    """The score file beside a run."""
    found: dict[str, Any] = json.loads(run.with_name("score.json").read_bytes())
    return found


def statuses(run: Path) -> Mapping[str, int]:
    """How many rows have which status."""
    return Counter(row["status"] for row in score_of(run)["samples"])


def wrong(run: Path) -> list[int]:
    """Rows that are `ok` with a verdict that is not the true one, or failed with one at all."""
    return [row["eval-id"] for row in score_of(run)["samples"] if not honest(row)]


def honest(row: Mapping[str, Any]) -> bool:
    """Whether a row of a score file has the true verdict, or none."""
    if row["status"] != "ok":
        return (row["status"], row["score"], row["decided_by"]) == ("llm_error", 0.0, None)
    return (row["score"], row["decided_by"]) == (float(truth(row["eval-id"]) == "correct"), "llm-judge")


ZYGOTE = """
import json, os, signal, sys
import mmeval.cli
import mmeval.runner, mmeval.readers, mmeval.reports.terminal
import mmeval.judge.session, mmeval.judge.configuration, mmeval.judge.providers.openai
import mmeval.cli.progress, mmeval.stages.llm_judge, mmeval.aggregates

def told(status):
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)

for line in sys.stdin:
    order = json.loads(line)
    if "wait" in order:
        print(told(os.waitpid(order["wait"], 0)[1]), flush=True)
        continue
    child = os.fork()
    if child:
        print(child, flush=True)
        continue
    signal.signal(signal.SIGINT, signal.default_int_handler)
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1), os.dup2(log, 2), os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    code = 99
    try:
        mmeval.cli.main(order["arguments"])
    except SystemExit as left:
        code = left.code or 0
    except KeyboardInterrupt:
        code = 98
    finally:
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(code)
"""


class Zygote:
    """Starts `mmeval` again and again at the price of a fork."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self._process = subprocess.Popen(
            [sys.executable, "-c", ZYGOTE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def _order(self, **order: Any) -> int:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def start(self, *arguments: object) -> int:
        """Begin a command; its process id."""
        return self._order(arguments=[str(each) for each in arguments], log=str(self.log))

    def wait(self, process: int) -> int:
        """The exit code of a command, negative where a signal ended it."""
        return self._order(wait=process)

    def run(self, *arguments: object) -> int:
        """A command from start to end."""
        return self.wait(self.start(*arguments))

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, *raised: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(10)
