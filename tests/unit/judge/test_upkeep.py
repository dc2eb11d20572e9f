from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval.errors import UsageError
from mmeval.judge import upkeep
from mmeval.judge.cache import Cache, key
from mmeval.judge.upkeep import Choice, Imported
from mmeval.judge.wire import Completion, Identity, Image, Message, Request, Text


def fill(
    folder: Path, numbers: range = range(3), model: str = "gpt-4o", prompt: str = "hle", text: str = "yes"
) -> None:
    judge = Identity("openai", "https://api.openai.com/v1", model)
    with Cache.open(folder) as cache:
        for number in numbers:
            parts = (Text(f"Is it {number}?"), Image("data:image/png;base64,AAAA"))
            request = Request((Message("user", parts),), schema={"type": "object"}, prompt=prompt)
            cache.put(key(judge, request), judge, request, Completion(text, model, "stop", 10, 2))


def rows(folder: Path) -> list[tuple[object, ...]]:
    with Cache.look(folder) as cache:
        return cache.connection.execute("SELECT * FROM replies ORDER BY key").fetchall()


def test_what_is_in_it_is_counted(tmp_path: Path) -> None:
    fill(tmp_path)
    fill(tmp_path, range(5), "gpt-4o-mini", "default")
    with Cache.open(tmp_path) as cache:
        cache.connection.execute("UPDATE replies SET created = 86400 WHERE model = 'gpt-4o'")
        cache.connection.execute("UPDATE replies SET prompt_tokens = NULL WHERE model = 'gpt-4o'")
        found = upkeep.stats(cache)
    assert (found.replies, found.prompt_tokens, found.completion_tokens, found.oldest) == (8, 50, 16, 86400)
    assert [(group.model, group.prompt, group.replies, group.prompt_tokens) for group in found.groups] == [
        ("gpt-4o", "hle", 3, None),
        ("gpt-4o-mini", "default", 5, 50),
    ]


def test_an_empty_cache_is_counted_too(tmp_path: Path) -> None:
    fill(tmp_path, range(0))
    with Cache.look(tmp_path) as cache:
        found = upkeep.stats(cache)
        assert (found.replies, found.oldest, found.groups) == (0, None, ())
        assert upkeep.export(cache, tmp_path / "out.jsonl") == 0


def test_a_line_holds_what_a_replay_needs(tmp_path: Path) -> None:
    fill(tmp_path, range(1))
    with Cache.look(tmp_path) as cache:
        assert upkeep.export(cache, tmp_path / "out.jsonl") == 1
    (line,) = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert list(line) == ["key", "identity", "prompt", "request", "reply", "created"]
    assert (line["identity"]["model"], line["prompt"]) == ("gpt-4o", "hle")
    assert line["request"]["messages"][0]["content"][0] == {"text": "Is it 0?", "type": "text"}
    assert line["request"]["messages"][0]["content"][1]["url"].startswith("image/png;sha256,")
    assert msgspec.convert(line["reply"], Completion) == Completion("yes", "gpt-4o", "stop", 10, 2)


def test_export_and_import_give_the_same_cache(tmp_path: Path) -> None:
    fill(tmp_path / "a", range(20))
    with Cache.look(tmp_path / "a") as cache:
        upkeep.export(cache, tmp_path / "out.jsonl")
    with Cache.open(tmp_path / "b") as cache:
        assert upkeep.take_in(cache, tmp_path / "out.jsonl") == Imported(20, 0, 0)
        assert upkeep.take_in(cache, tmp_path / "out.jsonl") == Imported(0, 20, 0)
    assert rows(tmp_path / "b") == rows(tmp_path / "a")


def test_what_is_known_stays_and_what_differs_is_counted(tmp_path: Path) -> None:
    fill(tmp_path / "a", range(4), text="no")
    fill(tmp_path / "b", range(2))
    before = rows(tmp_path / "b")
    with Cache.look(tmp_path / "a") as cache:
        upkeep.export(cache, tmp_path / "out.jsonl")
    with Cache.open(tmp_path / "b") as cache:
        assert upkeep.take_in(cache, tmp_path / "out.jsonl") == Imported(2, 2, 2)
    assert set(before) <= set(rows(tmp_path / "b"))


replies = st.builds(
    Completion,
    text=st.text(st.characters(exclude_categories=["Cs"])),
    model=st.one_of(st.none(), st.just("m")),
    prompt_tokens=st.one_of(st.none(), st.integers(0, 9)),
    logprobs=st.lists(st.tuples(st.just("t"), st.floats(-9, 0)), max_size=2).map(tuple),
)


@settings(deadline=None)
@given(reply=replies, question=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_reply_survives_the_journey(
    tmp_path_factory: pytest.TempPathFactory, reply: Completion, question: str
) -> None:
    folder = tmp_path_factory.mktemp("journey")
    judge, request = Identity("local", None, "m", "r"), Request((Message("user", question),))
    name = key(judge, request)
    with Cache.open(folder / "a") as cache:
        cache.put(name, judge, request, reply)
        upkeep.export(cache, folder / "out.jsonl")
    with Cache.open(folder / "b") as cache:
        upkeep.take_in(cache, folder / "out.jsonl")
        assert cache.get(name) == reply


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        pytest.param(lambda line: line[:-20] + b"\n", "line 2: ", id="cut-off"),
        pytest.param(lambda line: b"\xff" + line, "line 2: JSON is malformed", id="no-json"),
        pytest.param(lambda line: b"[]\n", "line 2: Expected `object`", id="no-object"),
        pytest.param(lambda line: b"{}\n", "line 2: Object missing required field `key`", id="no-key"),
        pytest.param(
            lambda line: line.replace(b"Is it", b"Was it"), "line 2: its key is not that", id="changed"
        ),
        pytest.param(
            lambda line: line.replace(b'"gpt-4o"', b'"gpt-5"', 1), "line 2: its key is not", id="judge"
        ),
        pytest.param(
            lambda line: line.replace(b'"reply":{', b'"reply":{"text":3,'), "line 2: Expected", id="reply"
        ),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_imported(tmp_path: Path, spoil: object, says: str) -> None:
    assert callable(spoil)
    fill(tmp_path / "a")
    with Cache.look(tmp_path / "a") as cache:
        lines = list(upkeep.lines(cache))
    lines[1] = spoil(lines[1])
    (tmp_path / "out.jsonl").write_bytes(b"".join(lines))
    with Cache.open(tmp_path / "b") as cache:
        with pytest.raises(UsageError, match="nothing was imported") as caught:
            upkeep.take_in(cache, tmp_path / "out.jsonl")
        assert f"{tmp_path / 'out.jsonl'}: {says}" in str(caught.value)
        assert upkeep.stats(cache).replies == 0


def test_many_bad_lines_are_not_all_shown(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_bytes(b"{}\n\n" * 9)
    with Cache.open(tmp_path) as cache, pytest.raises(UsageError, match=r"line 9: .* and 4 more; nothing"):
        upkeep.take_in(cache, tmp_path / "out.jsonl")


@pytest.mark.parametrize("name", ["nothing", ""])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, name: str) -> None:
    with Cache.open(tmp_path) as cache, pytest.raises(UsageError, match="cannot be read"):
        upkeep.take_in(cache, tmp_path / name)


def test_an_export_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "folder").mkdir()
    with Cache.look(tmp_path) as cache:
        for place in (tmp_path / "no" / "out.jsonl", tmp_path / "folder"):
            with pytest.raises(UsageError, match="cannot be written"):
                upkeep.export(cache, place)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "judge.sqlite"]


@pytest.mark.parametrize(
    ("choice", "gone"),
    [
        (Choice(), 8),
        (Choice(model="gpt-4o"), 3),
        (Choice(prompt="default"), 5),
        (Choice(model="gpt-4o", prompt="default"), 0),
        (Choice(before=100), 2),
        (Choice(before=100, model="gpt-4o-mini"), 0),
    ],
)
def test_what_fits_is_thrown_away(tmp_path: Path, choice: Choice, gone: int) -> None:
    fill(tmp_path)
    fill(tmp_path, range(5), "gpt-4o-mini", "default")
    with Cache.open(tmp_path) as cache:
        cache.connection.execute(
            "UPDATE replies SET created = 50 WHERE key IN "
            "(SELECT key FROM replies WHERE model = 'gpt-4o' LIMIT 2)"
        )
        assert upkeep.matching(cache, choice) == gone
        assert upkeep.prune(cache, choice) == gone
        assert upkeep.stats(cache).replies == 8 - gone


def test_pruning_gives_the_room_back(tmp_path: Path) -> None:
    fill(tmp_path, range(200), text="x" * 2000)
    full = (tmp_path / "judge.sqlite").stat().st_size
    with Cache.open(tmp_path) as cache:
        upkeep.prune(cache, Choice())
    assert (tmp_path / "judge.sqlite").stat().st_size < full / 4
