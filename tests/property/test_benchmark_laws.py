"""What holds for every row of benchmark data, whatever is in it."""

from __future__ import annotations

import base64
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval.benchmarks.card import patterns
from mmeval.benchmarks.media import Media
from mmeval.benchmarks.pictures import Lost, Picture, pictures
from mmeval.benchmarks.records import embedded
from mmeval.benchmarks.render import rendered

META = {"dataset_name": "any"}
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=20)
CELLS = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
NAMES = st.sampled_from(
    [
        *(
            "eval-id",
            "index",
            "id",
            "question",
            "questions",
            "answers",
            "answer",
            "options",
            "choices",
            "hint",
        ),
        *("A", "B", "D", "image", "image_1", "image_path", "video", "question_type", "messages"),
        "dataset_meta",
    ]
)
RECORDS = st.dictionaries(NAMES | st.text(max_size=5), CELLS, max_size=8)


@given(RECORDS)
def test_every_row_becomes_samples_that_json_can_hold(record: dict[str, Any]) -> None:
    for one in rendered(record, 3, META):
        again = msgspec.json.decode(msgspec.json.encode(one.sample))
        assert again["dataset_meta"] == META
        assert again["messages"][0]["role"] == "user"
        assert isinstance(again["eval-id"], str | int)


@given(RECORDS, st.dictionaries(st.text(max_size=3), st.just(0), max_size=3))
def test_every_cell_is_a_picture_or_says_why_not(record: dict[str, Any], rows: dict[str, int]) -> None:
    for one in rendered(record, 3, META):
        for found in pictures(one.media, rows, "3"):
            assert isinstance(found, Picture | Lost)


@given(st.lists(st.sampled_from(["0", "1", "2", "3", "4", "x.png"]), min_size=1, max_size=5))
def test_references_end(images: list[str]) -> None:
    ids = {str(n): n for n in range(len(images))}
    media = Media(ids, None, str)
    rows = [{"id": str(n), "image": image} for n, image in enumerate(images)]
    media.gather(
        lambda: (one for n, row in enumerate(rows) for one in rendered(row, n, META)), range(len(rows))
    )
    for n in range(len(rows)):
        assert media.of(n) in (["x.png"], Lost("circular-reference"), Lost("no-such-row"))


@given(st.binary(min_size=1, max_size=200))
def test_bytes_come_back_from_base64(data: bytes) -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(40) + data
    (found,) = pictures({"image": base64.b64encode(png).decode()}, {}, "")
    assert found == Picture("bytes", data=png)


@given(st.text())
def test_a_card_is_read_or_says_nothing(text: str) -> None:
    assert patterns(text) == ()
    assert isinstance(patterns(f"---\nconfigs:\n{text}\n---\n"), tuple)


@pytest.mark.parametrize("text", ["[" * 50000 + "]", "{" * 3000 + "}", "['\\d']", "[" + "9" * 5000 + "]"])
def test_a_text_that_looks_like_a_list(text: str) -> None:
    assert embedded(text) == (["\\d"] if "d" in text else text) or "9" in text
