"""Samples that wait for answers: which ones, with what pictures, under which protocol."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mmeval import library
from mmeval.benchmarks.hub import open_dataset
from mmeval.benchmarks.inject import injected
from mmeval.benchmarks.media import Media
from mmeval.benchmarks.pictures import Lost
from mmeval.benchmarks.render import Rendered, rendered
from mmeval.benchmarks.shelf import Shelf
from mmeval.benchmarks.unanswered import Choice, Prompt, Report, unanswered
from mmeval.errors import ResultError, UsageError
from mmeval.metadata import MetaBlock, parse_block
from mmeval.registry import protocol_folders

PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)
EVERY, AS_IS = Choice(), Prompt()
COUNTED = {"image": "x.png", "label": "cups", "count": 4}
META = {"dataset_name": "Pets", "score_pipeline": ["rule-match"]}


def made(
    folder: Path,
    rows: list[dict[str, Any]],
    choice: Choice = EVERY,
    prompt: Prompt = AS_IS,
    protocol: str | None = None,
) -> tuple[list[dict[str, Any]], Report]:
    """What becomes of rows that lie in a dataset folder."""
    (folder / "test.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data = open_dataset(str(folder))
    report = Report()
    shelf = Shelf(folder / "out", pause=lambda seconds: None)
    return list(unanswered(data, choice, prompt, protocol, (shelf, data.place), report)), report


def row(name: Any, image: Any = "x.png", **more: Any) -> dict[str, Any]:
    return {"index": name, "question": "What?", "answer": "a", "image": image, **more}


RENDERED = [
    pytest.param({"A": "cat", "B": "dog", "C": None}, {"A": "cat", "B": "dog"}, id="letter-columns"),
    pytest.param({"options": {"a": "cat", "b": None}}, {"A": "cat"}, id="mapping"),
    pytest.param({"options": '{"A": "cat", "B": "dog"}'}, {"A": "cat", "B": "dog"}, id="mapping-as-text"),
    pytest.param({"choices": ["A. cat", "B. dog"]}, {"A": "cat", "B": "dog"}, id="labelled-choices"),
    pytest.param({"choices": "['cat', 'dog']"}, {"A": "cat", "B": "dog"}, id="choices-as-python-text"),
    pytest.param({"question": "Which?\nA. cat\nB. dog"}, {"A": "cat", "B": "dog"}, id="inline"),
    pytest.param(
        {"question": "Write\nA. cat\nB. dog", "question_type": "open"}, None, id="inline-in-an-open-question"
    ),
    pytest.param({"question": "vitamin A. or not"}, None, id="no-options"),
    pytest.param({"D": "a column of its own"}, None, id="a-letter-without-A"),
]


@pytest.mark.parametrize(("columns", "options"), RENDERED)
def test_options_become_one_mapping(columns: dict[str, Any], options: dict[str, str] | None) -> None:
    (one,) = rendered({"question": "Which?", "answer": "A", **columns}, 4, META)
    turn = one.sample["messages"][0]
    assert turn.get("options") == options
    assert turn["role"] == "user"
    assert not {"A", "B", "choices"} & {*turn, *one.sample}
    assert one.sample["eval-id"] == 4
    assert one.sample.get("D") == columns.get("D")


def test_data_in_the_layout_of_samples_stays_what_it_is() -> None:
    turn = {"role": "user", "question": "Which?", "options": {"A": "cat", "B": "dog"}}
    record = {"eval-id": 5, "messages": [turn], "answer": "A", "dataset_meta": {"dataset_name": "old"}}
    (one,) = rendered(record, 0, META)
    assert one.sample == {"eval-id": 5, "messages": [turn], "answer": "A", "dataset_meta": META}


def test_choices_that_are_only_letters_stay_choices() -> None:
    (one,) = rendered({"question": "Which?", "choices": ["A", "B"], "answer": "A"}, 0, META)
    assert one.sample["messages"][0] == {"role": "user", "question": "Which?", "choices": ["A", "B"]}


@pytest.mark.parametrize(
    ("names", "eval_id"),
    [
        ({"eval-id": 3, "index": 4, "id": "q"}, 3),
        ({"index": 4, "id": "q"}, 4),
        ({"id": "q", "index": None}, "q"),
        ({"id": " "}, 9),
    ],
)
def test_the_name_of_a_sample(names: dict[str, Any], eval_id: Any) -> None:
    (one,) = rendered({"question": "Which?", **names}, 9, META)
    assert one.sample["eval-id"] == eval_id


class TestPictures:
    def test_pictures_in_the_data_become_files_and_references_the_same_file(self, tmp_path: Path) -> None:
        coded = base64.b64encode(PNG).decode()
        samples, report = made(tmp_path, [row(1, "2"), row(2, coded), row(3, "2"), row(4, "3")])
        (path,) = samples[0]["media"]
        assert Path(path).read_bytes() == PNG
        assert [each["media"] for each in samples] == [[path]] * 4
        assert (report.rows, report.written, report.pictureless, report.dropped) == (4, 4, 0, {})

    def test_a_chosen_row_may_refer_to_one_that_is_not(self, tmp_path: Path) -> None:
        coded = base64.b64encode(PNG).decode()
        samples, _ = made(tmp_path, [row(1, "3"), row(2, "QUJD" * 99), row(3, coded)], Choice(limit=1))
        assert Path(samples[0]["media"][0]).read_bytes() == PNG

    def test_rows_whose_pictures_cannot_be_had_are_dropped_and_counted(self, tmp_path: Path) -> None:
        rows = [
            row(1),
            row(2, "***" * 99),
            row(3, "QUJD" * 99),
            row(4, "77"),
            row(5, "6"),
            row(6, "5"),
            row(7),
        ]
        samples, report = made(tmp_path, rows)
        assert [each["eval-id"] for each in samples] == [1, 7]
        assert report.dropped == {
            "undecodable": ["2"],
            "not-a-picture": ["3"],
            "no-such-row": ["4"],
            "circular-reference": ["5", "6"],
        }

    def test_nothing_left_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(ResultError, match=r"no sample of it can be used: undecodable \(2\)"):
            made(tmp_path, [row(1, "***" * 99), row(2, "***" * 99)])

    def test_paths_are_kept_and_those_inside_the_dataset_found(self, tmp_path: Path) -> None:
        (tmp_path / "a.png").write_bytes(PNG)
        samples, _ = made(tmp_path, [row(1, "./a.png"), row(2, "/data/b.png"), row(3, None)])
        assert [each["media"] for each in samples] == [[str(tmp_path / "a.png")], ["/data/b.png"], []]

    def test_without_a_shelf_pictures_stay_in_the_data(self) -> None:
        media = Media({"1": 0}, None, lambda path: path)
        rows = [row(1, base64.b64encode(PNG).decode())]

        def read() -> Iterator[Rendered]:
            for position, each in enumerate(rows):
                yield from rendered(each, position, META)

        media.gather(read, [0])
        assert media.of(0) is None
        rows[0]["image"] = "https://x.org/a.png"
        media.gather(read, [0])
        assert media.of(0) == ["https://x.org/a.png"]

    def test_rows_with_one_name_keep_their_own_pictures(self, tmp_path: Path) -> None:
        samples, _ = made(tmp_path, [row(1, "x.png"), row(1, "y.png"), row(2, "1")])
        assert [each["media"] for each in samples] == [["x.png"], ["y.png"], ["x.png"]]


class TestChoice:
    def test_a_draw_has_the_order_and_the_rows_of_pandas_and_says_so(self, tmp_path: Path) -> None:
        samples, report = made(tmp_path, [row(f"q{n}") for n in range(10)], Choice(sample=4, seed=7))
        assert [each["eval-id"] for each in samples] == ["q8", "q5", "q0", "q2"]
        assert {json.dumps(each["dataset_meta"]["sampled"]) for each in samples} == {
            '{"n": 4, "seed": 7, "of": 10}'
        }
        assert (report.rows, report.written) == (10, 4)

    def test_the_first_ones(self, tmp_path: Path) -> None:
        samples, _ = made(tmp_path, [row(n) for n in range(5)], Choice(limit=2))
        assert [each["eval-id"] for each in samples] == [0, 1]
        assert len(made(tmp_path, [row(0)], Choice(limit=9))[0]) == 1

    def test_more_than_there_are(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="the data has 2 rows"):
            made(tmp_path, [row(1), row(2)], Choice(sample=3))


class TestPrompt:
    def test_a_question_and_a_gold_from_columns(self, tmp_path: Path) -> None:
        prompt = Prompt("How many {label} are there?", "count")
        (sample,), _ = made(tmp_path, [COUNTED], prompt=prompt)
        assert sample["messages"] == [{"role": "user", "question": "How many cups are there?"}]
        assert (sample["answer"], sample["count"], sample["label"]) == (4, 4, "cups")

    @pytest.mark.parametrize(
        ("prompt", "said"),
        [
            (Prompt("How many {lable}?"), "--question: the data has no column 'lable'"),
            (Prompt(None, "gold"), "--gt_field: the data has no column 'gold'"),
        ],
    )
    def test_a_column_that_is_not_there(self, tmp_path: Path, prompt: Prompt, said: str) -> None:
        with pytest.raises(UsageError, match=said):
            made(tmp_path, [COUNTED], prompt=prompt)


class TestProtocol:
    def test_what_the_data_declares_stays(self) -> None:
        assert injected(META, None, "x") == META

    def test_the_library_by_name_without_variants(self) -> None:
        block = injected({"dataset_name": "CountQA", "split": "test", "revision": "r"}, None, "x")
        assert block["score_pipeline"] == ["count-parse"]
        assert (block["dataset_name"], block["split"], block["revision"]) == ("CountQA", "test", "r")
        assert "variants" not in block

    def test_unsupported_counts_as_undeclared_where_the_library_knows_it(self) -> None:
        unsupported = {"score_pipeline": {"unsupported": "x", "reason": "y"}, "score_note": "z"}
        block = injected({"dataset_name": "CountQA", **unsupported}, None, "x")
        assert block["score_pipeline"] == ["count-parse"]
        assert "score_note" not in block
        meta = {"dataset_name": "nobody knows it", **unsupported}
        assert injected(meta, None, "x") == meta

    def test_a_protocol_that_is_asked_for(self) -> None:
        block = injected(META, "CountQA@words", "x")
        assert block["dataset_name"] == "CountQA"
        assert block["score_params"] == {"number_words": True}
        with pytest.raises(UsageError, match="did you mean 'CountQA'"):
            injected(META, "CountQ", "x")

    def test_a_variant_of_the_own_protocol(self) -> None:
        block = injected({"dataset_name": "CountQA", "split": "test"}, "@words", "x")
        assert block == injected({"dataset_name": "CountQA", "split": "test"}, "CountQA@words", "x")

    @pytest.mark.parametrize("folder", sorted(protocol_folders()))
    def test_every_block_of_the_library_comes_back_as_it_was(self, folder: str) -> None:
        for subset, block in library.load(folder).subsets.items():
            meta = injected({"dataset_name": folder, "subset": subset}, None, "x")
            expected = block.model_dump(exclude={"variants"})
            assert (
                parse_block(meta, "x").model_dump(exclude=set(MetaBlock.model_fields) - set(expected))
                == expected
            )


def test_a_lost_picture_has_a_reason() -> None:
    assert Lost("address-gone").reason == "address-gone"
