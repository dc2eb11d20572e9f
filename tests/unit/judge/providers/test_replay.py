"""The replay provider: recorded replies, found by request or by sample, and nothing made up."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mmeval.errors import JudgeError, ResultError
from mmeval.judge.cache import Cache
from mmeval.judge.keys import key, portable_identity
from mmeval.judge.providers import open_provider
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.upkeep import export
from mmeval.judge.wire import Completion, Identity, Image, Message, Rejected, Request, Text

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def lines(*content: Any) -> Path:
        path = tmp_path / "replies.jsonl"
        texts = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in content]
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
        return path

    return lines


def about(sample: str, **parts: Any) -> Request:
    asked = {"stage": "llm-judge", "prompt": "binary", **parts}
    return Request((Message("user", f"about {sample}"),), sample=sample, **asked)


def ask(path: Path, *requests: Request, model: str = "gpt-4") -> list[Completion]:
    async def main() -> list[Completion]:
        provider = open_provider(JudgeSettings(provider="replay", replies=path), model)
        found = [await provider.complete(request) for request in requests]
        await provider.close()
        return found

    return asyncio.run(main())


def texts(path: Path, *requests: Request, model: str = "gpt-4") -> list[str]:
    return [each.text for each in ask(path, *requests, model=model)]


def test_a_sample_gets_its_recorded_reply(write: Write) -> None:
    line = {"eval-id": 17, "reply": "是", "model": "gpt-4-0613", "finish": "stop", "prompt_tokens": 3}
    path = write(line, "", {"eval-id": "18", "reply": ""})
    assert ask(path, about("17")) == [Completion("是", "gpt-4-0613", "stop", 3)]
    assert ask(path, about("18")) == [Completion("")]


def test_lines_without_a_replicate_are_replicates_in_order(write: Write) -> None:
    path = write(*({"eval-id": "1", "reply": reply} for reply in "abc"))
    assert texts(path, *(about("1", replicate=number) for number in (2, 0, 1))) == ["c", "a", "b"]


def test_replicates_may_be_numbered(write: Write) -> None:
    path = write(
        {"eval-id": "1", "reply": "b", "replicate": 1}, {"eval-id": "1", "reply": "a", "replicate": 0}
    )
    assert texts(path, about("1"), about("1", replicate=1)) == ["a", "b"]


def test_stage_and_prompt_narrow_and_the_narrower_line_wins(write: Write) -> None:
    path = write(
        {"eval-id": "1", "reply": "any"},
        {"eval-id": "1", "reply": "judged", "stage": "llm-judge"},
        {"eval-id": "1", "reply": "extracted", "stage": "llm-extract", "prompt": "value"},
    )
    asked = [about("1"), about("1", stage="llm-extract", prompt="value"), about("1", stage="llm-match")]
    assert texts(path, *asked) == ["judged", "extracted", "any"]


def test_a_panel_gets_each_models_own_replies(write: Write) -> None:
    path = write({"eval-id": "1", "reply": "A", "model": "a"}, {"eval-id": "1", "reply": "B", "model": "b"})
    assert texts(path, about("1"), model="b") == ["B"]
    assert texts(path, about("1"), model="a") == ["A"]
    with pytest.raises(ResultError, match="a, b, none of c"):
        open_provider(JudgeSettings(provider="replay", replies=path), "c")


def test_an_answering_model_by_another_name_is_no_obstacle(write: Write) -> None:
    path = write({"eval-id": "1", "reply": "A", "model": "gpt-4-0613"})
    assert texts(path, about("1"), model="gpt-4") == ["A"]


def exported(identity: Identity, request: Request, text: str) -> dict[str, Any]:
    reply = msgspec.to_builtins(Completion(text, "gpt-4-0613"))
    made = {"key": key(identity, request), "identity": portable_identity(identity), "reply": reply}
    return {**made, "request": {"messages": []}, "created": 3}


def test_an_exported_cache_answers_the_very_request(write: Write) -> None:
    here, there = (
        Identity("openai", "https://api.openai.com/v1", "gpt-4"),
        Identity("local", None, "q", "rev"),
    )
    path = write(
        exported(here, about("1"), "yes"),
        exported(there, about("2"), "no"),
        {"eval-id": "3", "reply": "by sample"},
    )
    other_name = Request(about("1").messages, sample="9", stage="other")
    assert texts(path, about("1"), other_name, about("3")) == ["yes", "yes", "by sample"]
    assert texts(path, about("2"), about("3"), model="q") == ["no", "by sample"]
    with pytest.raises(Rejected, match="no recorded reply for sample 1"):
        texts(path, about("1", attempt=1))


def test_of_an_export_with_several_models_only_the_asked_ones_count(write: Write) -> None:
    here = [Identity("openai", "https://host/v1", name) for name in ("first", "second")]
    path = write(*(exported(each, about("1"), f"says {each.model}") for each in here))
    assert texts(path, about("1"), model="second") == ["says second"]
    assert texts(path, about("1"), model="first") == ["says first"]
    with pytest.raises(ResultError, match="holds replies of first, second, none of third"):
        ask(path, about("1"), model="third")


def test_a_model_recorded_at_two_addresses_must_say_the_same(write: Write) -> None:
    here = [Identity("openai", f"http://host:{port}/v1", "m") for port in (1, 2)]
    same = [exported(each, about("1"), "yes") for each in here]
    other = [exported(each, about("2"), text) for each, text in zip(here, ("yes", "no"), strict=True)]
    path = write(*same, *other)
    assert texts(path, about("1"), model="m") == ["yes"]
    with pytest.raises(Rejected, match=r"recorded at several addresses.*sample 2"):
        ask(path, about("2"), model="m")


def test_a_samples_reply_is_given_once(write: Write) -> None:
    path = write({"eval-id": 1, "reply": "hm"})
    assert texts(path, about("1")) == ["hm"]
    with pytest.raises(Rejected, match="no recorded reply for sample 1"):
        ask(path, about("1", attempt=1))


def test_what_the_cache_exports_is_what_it_reads(tmp_path: Path) -> None:
    identity, path = Identity("openai", "https://api.openai.com/v1", "gpt-4"), tmp_path / "export.jsonl"
    parts = (Text("Look:"), Image("data:image/png;base64,AAAA"))
    asked = [about("1"), about("1", attempt=1), Request((Message("user", parts),), schema={"type": "object"})]
    replies = [Completion(f"reply {number}", "gpt-4-0613", "stop", 3, 4) for number in range(3)]
    with Cache.open(tmp_path) as cache:
        for request, reply in zip(asked, replies, strict=True):
            cache.put(key(identity, request), identity, request, reply)
        assert export(cache, path) == 3
    assert ask(path, *asked) == replies


@pytest.mark.parametrize(
    "request_",
    [about("2"), about("1", replicate=1), about("1", stage="llm-match")],
    ids=["id", "replicate", "stage"],
)
def test_what_was_not_recorded_is_not_made_up(write: Write, request_: Request) -> None:
    path = write({"eval-id": "1", "reply": "yes", "stage": "llm-judge"})
    with pytest.raises(Rejected, match=f"no recorded reply for sample {request_.sample}"):
        ask(path, request_)


BAD = [
    ("cut-off", '{"eval-id": "1", "rep', "unexpected end"),
    ("list", "[1]", "no JSON object"),
    ("no-reply", {"eval-id": "1"}, "reply"),
    ("null-reply", {"eval-id": "1", "reply": None}, "reply"),
    ("number-reply", {"eval-id": "1", "reply": 1}, "reply"),
    ("no-id", {"reply": "yes"}, "eval-id"),
    ("true-id", {"eval-id": True, "reply": "yes"}, "eval-id"),
    ("unknown-field", {"eval-id": "1", "reply": "yes", "verdict": 1}, "verdict"),
    ("twice", {"eval-id": "0", "reply": "b", "replicate": 0}, "already"),
    ("key-without-reply", {"key": "k"}, "reply|Expected"),
    ("key-without-identity", {"key": "k", "reply": {"text": "yes"}}, "identity"),
    ("key-with-text", {"key": "k", "identity": {}, "reply": "yes"}, "Expected `object`"),
]


@pytest.mark.parametrize(("line", "says"), [pytest.param(*rest, id=name) for name, *rest in BAD])
def test_a_bad_line_is_named(write: Write, line: Any, says: str) -> None:
    path = write({"eval-id": "0", "reply": "a"}, line)
    with pytest.raises(ResultError, match=f"replies.jsonl, line 2: .*({says})"):
        open_provider(JudgeSettings(provider="replay", replies=path), "m")


def test_two_replies_under_one_key_are_refused_unless_they_agree(write: Write) -> None:
    identity = Identity("openai", None, "m")
    first, other = exported(identity, about("1"), "yes"), exported(identity, about("1"), "no")
    assert texts(write(first, first), about("1")) == ["yes"]
    with pytest.raises(ResultError, match="line 2"):
        ask(write(first, other))


def test_the_identity_is_the_files_hash(write: Write) -> None:
    path = write({"eval-id": "1", "reply": "yes"})
    identity = open_provider(JudgeSettings(provider="replay", replies=path), "m").identity
    assert identity == Identity("replay", None, "m", hashlib.sha256(path.read_bytes()).hexdigest())


def test_without_a_file_there_is_nothing_to_replay(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="--judge_replies"):
        open_provider(JudgeSettings(provider="replay"), "m")
    with pytest.raises(ResultError, match="cannot be read"):
        open_provider(JudgeSettings(provider="replay", replies=tmp_path / "none.jsonl"), "m")


def test_it_needs_no_library_for_the_network() -> None:
    import subprocess
    import sys

    code = "import sys, mmeval.judge.providers.replay\nprint('aiohttp' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
