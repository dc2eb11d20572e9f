"""A benchmark's table as samples: what goes where, and how an unknown one is read."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from mmeval.benchmarks import Benchmark
from mmeval.benchmarks.table import Table, open_table
from mmeval.errors import ResultError

MCQ = (
    "index\timage\timage_path\tquestion\thint\tA\tB\tC\tanswer\tcategory\n"
    "0\tAAAA\timg/0.jpg\tWhich?\tLook left.\tcat\tNone\t\tB\tanimals\n"
    "1\t\t\tHow many?\t\t1\t2\t3\tC\t\n"
)


def opened(folder: Path, text: str, name: str = "Pets.tsv") -> Table:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return open_table(str(path))


def test_a_row_becomes_a_sample_without_an_answer(tmp_path: Path) -> None:
    table: Benchmark = opened(tmp_path, MCQ)
    first, second = table.rows()
    meta = first.pop("dataset_meta")
    assert isinstance(meta, dict)
    assert meta["dataset_name"] == "Pets"
    assert first == {
        "eval-id": 0,
        "index": 0,
        "messages": [
            {
                "role": "user",
                "question": "Which?",
                "hint": "Look left.",
                "options": {"A": "cat", "B": "None"},
            }
        ],
        "answer": "B",
        "category": "animals",
        "image_path": "img/0.jpg",
        "media": ["img/0.jpg"],
    }
    assert second["messages"] == [
        {"role": "user", "question": "How many?", "options": {"A": "1", "B": "2", "C": "3"}}
    ]
    assert (second["category"], second["image_path"]) == (None, None)
    assert "media" not in second


def test_a_table_says_what_it_is(tmp_path: Path) -> None:
    table = opened(tmp_path, MCQ)
    assert (table.name, table.subset, table.split, table.revision) == ("Pets", None, None, None)
    assert (table.n_rows, table.source) == (2, str(tmp_path / "Pets.tsv"))
    assert table.sha256 == hashlib.sha256(MCQ.encode()).hexdigest()
    assert table.warnings == ()


def test_rows_can_be_had_again_and_are_fresh(tmp_path: Path) -> None:
    table = opened(tmp_path, MCQ)
    before = list(table.rows())
    for row in table.rows():
        row.clear()
    assert list(table.rows()) == before


def test_pictures_are_there_for_who_asks(tmp_path: Path) -> None:
    table = opened(tmp_path, MCQ)
    media = [row.media for row in table.with_media()]
    assert [each["image"] for each in media] == ["AAAA", None]
    assert [row.sample for row in table.with_media()] == list(table.rows())


@pytest.mark.parametrize(
    ("cells", "ids"),
    [
        (["0", "7", "-3"], [0, 7, -3]),
        (["0.0", "7.0"], [0, 7]),
        (["a_1", "7"], ["a_1", "7"]),
        (["007", "8"], [7, 8]),
        (["1.5", "2"], ["1.5", "2"]),
        (["1", ""], [1, "row-1"]),
        (["12345678901234567890"], ["12345678901234567890"]),
    ],
    ids=["whole", "written-by-a-spreadsheet", "one-is-text", "zeros-before", "fraction", "null", "too-long"],
)
def test_an_index_is_a_number_if_all_are(tmp_path: Path, cells: list[str], ids: list[Any]) -> None:
    table = opened(tmp_path, "index\tanswer\n" + "".join(f"{cell}\tyes\n" for cell in cells), "POPE.tsv")
    found = [row["eval-id"] for row in table.rows()]
    assert found == ids
    assert [type(each) for each in found] == [type(each) for each in ids]


def test_a_table_without_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match=r"no column 'index'.*its columns are id, answer"):
        opened(tmp_path, "id\tanswer\n1\tyes\n")


def test_short_rows_and_another_version_are_told(tmp_path: Path) -> None:
    table = opened(tmp_path, "index\tquestion\tanswer\n1\tIs it?\n2\tIs it?\tyes\n", "POPE.tsv")
    (short,) = table.warnings
    (version,) = table.deviations
    assert "1 rows have fewer cells than the header" in short
    assert "its MD5 is" in version
    assert "declares c12f5acb142f2ef1f85a26ba2fbe41d5" in version


@pytest.mark.parametrize(
    ("cell", "answer"),
    [
        ("['nokia', \"o'neil\"]", ["nokia", "o'neil"]),
        ('["nokia", "3"]', ["nokia", "3"]),
        ("nokia", "nokia"),
        ("[nokia", "[nokia"),
        ("[not a list]", "[not a list]"),
    ],
    ids=["python", "json", "text", "open-bracket", "no-literal"],
)
def test_a_declared_column_holds_written_lists(tmp_path: Path, cell: str, answer: Any) -> None:
    quoted = '"' + cell.replace('"', '""') + '"'
    text = f"index\tquestion\tanswer\n1\tWhich?\t{quoted}\n"
    assert next(opened(tmp_path, text, "TextVQA_VAL.tsv").rows())["answer"] == answer
    assert next(opened(tmp_path, text, "POPE.tsv").rows())["answer"] == cell


@pytest.mark.parametrize(
    ("header", "pipeline"),
    [
        ("index image A B answer", ["rule-match"]),
        ("index image_path A B C answer", ["rule-match"]),
        ("index A B answer", "options but neither image nor image_path"),
        ("index image A answer", "no option columns A and B"),
        ("index image answer", "no option columns A and B"),
    ],
)
def test_an_unknown_table_is_multiple_choice_or_has_no_protocol(
    tmp_path: Path, header: str, pipeline: Any
) -> None:
    names = header.split()
    row = next(opened(tmp_path, "\t".join(names) + "\n" + "\t".join("1" for _ in names) + "\n").rows())
    meta = row["dataset_meta"]
    assert isinstance(meta, dict)
    if isinstance(pipeline, list):
        assert meta["score_pipeline"] == pipeline
        assert meta["score_params"] == {"option_rules": "vlmevalkit", "settle_misses": True}
        assert meta["score_protocol"]["status"] == "derived"
    else:
        assert pipeline in meta["score_pipeline"]["reason"]


def test_a_known_table_declares_nothing_of_its_own(tmp_path: Path) -> None:
    row = next(opened(tmp_path, "index\tanswer\n1\tyes\n", "hallusionbench.tsv").rows())
    assert row["dataset_meta"] == {"dataset_name": "hallusionbench", "subset": None, "split": None}


@pytest.mark.parametrize(
    ("header", "cells", "options"),
    [
        pytest.param("ABCDE", "1\t2\t\t4\t5", {"A": "1", "B": "2", "D": "4", "E": "5"}, id="a-gap"),
        pytest.param("ABC", "1\t2\t ", {"A": "1", "B": "2"}, id="a-blank"),
        pytest.param(
            "ABCDEFGHIJ",
            "\t".join("0123456789"),
            dict(zip("ABCDEFGHIJ", "0123456789", strict=True)),
            id="ten",
        ),
    ],
)
def test_every_filled_letter_is_an_option(
    tmp_path: Path, header: str, cells: str, options: dict[str, str]
) -> None:
    """As VLMEvalKit builds them: every letter of the alphabet whose cell is not empty."""
    letters = "\t".join(header)
    (row,) = opened(tmp_path, f"index\timage\tquestion\tanswer\t{letters}\n1\tx\tq\tB\t{cells}\n").rows()
    messages = row["messages"]
    assert isinstance(messages, list)
    assert messages[0] == {"role": "user", "question": "q", "options": options}
