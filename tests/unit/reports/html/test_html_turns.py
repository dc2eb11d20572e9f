"""What was asked, from the file that was scored; nothing where that cannot be read any more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from report_pages import LETTERS, PIXEL, Page, letters, sample, scored

from mmeval.reports.html import report
from mmeval.reports.html.report import Wanted, write
from mmeval.reports.html.turns import turns
from mmeval.reports.scorefile_reader import load


def asked(tmp_path: Path, *rows: dict[str, Any]) -> list[Any]:
    score = scored(tmp_path / "a", rows)
    told = turns(load(score), [score.parent])
    return [told.get(str(number)) for number in range(len(rows))]


def test_options_in_each_form(tmp_path: Path) -> None:
    plain = sample(0, "A", "A", options={"A": "x", "B": None})
    choices = sample(1, "A", "A")
    choices["messages"][0] = {"role": "user", "prompt": " Which? ", "choices": ["x", 2]}
    found = asked(tmp_path, plain, choices, sample(2, "A", "A"))
    assert found[0].options == (("A", "x"), ("B", "None"))
    assert (found[1].question, found[1].options) == ("Which?", (("A", "x"), ("B", "2")))
    assert found[2].options == ()


@pytest.mark.parametrize("messages", [[], None, "x", ["x"], [[1]]], ids=str)
def test_a_row_without_a_turn(messages: Any, tmp_path: Path) -> None:
    found = asked(tmp_path, {**sample(0, "A", "A"), "messages": messages}, sample(1, "A", "A"))
    assert found[0] is None
    assert found[1].question == "What is it?"


def test_a_row_that_is_not_sound(tmp_path: Path) -> None:
    found = asked(tmp_path, sample(0, "A", "A", question="half \ud800"), sample(1, float("nan"), "A"))
    assert found[0].question == "half \ufffd"
    assert found[1].question == "What is it?"


def test_what_names_no_file_is_not_looked_for(tmp_path: Path) -> None:
    score = scored(tmp_path / "a", letters(3, 1), LETTERS)
    told = json.loads(score.read_text())
    for result in (
        {"file": None},
        {"file": 3, "sha256": "x"},
        {"format": "joined", "parts": [{"file": "x"}]},
    ):
        score.write_text(json.dumps({**told, "provenance": {"result": result}}))
        assert turns(load(score), [score.parent]) == {}


def test_a_scored_file_that_cannot_be_read_is_not_shown(tmp_path: Path) -> None:
    import hashlib

    score = scored(tmp_path / "a", letters(3, 1), LETTERS)
    told = json.loads(score.read_text())
    (tmp_path / "a" / "broken.json").write_text('[{"eval-id": 1')
    sha256 = hashlib.sha256(b'[{"eval-id": 1').hexdigest()
    told["provenance"]["result"] |= {"file": "broken.json", "sha256": sha256}
    score.write_text(json.dumps(told))
    assert turns(load(score), [score.parent]) == {}


def test_what_is_not_shown_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs" / "a").mkdir(parents=True)
    (tmp_path / "runs" / "a" / "one.png").write_bytes(PIXEL)
    scored(tmp_path / "runs" / "a", [sample(1, "A", "A", kind="near", media=["one.png"])], LETTERS)
    (tmp_path / "else").mkdir()
    (note,) = write(Wanted([tmp_path / "runs"], tmp_path / "else" / "r.html")).notes
    assert note.startswith(
        "1 pictures are not shown: they do not lie below the page's folder; write it above"
    )
    (note,) = write(Wanted([tmp_path / "runs"], tmp_path / "r.html", images="embed", budget=9)).notes
    assert note == "1 pictures are not shown: the budget of --image_budget is spent"
    monkeypatch.setattr(report, "LARGE", 1000)
    done = write(Wanted([tmp_path / "runs"], tmp_path / "r.html"))
    assert "--max_samples shows fewer samples" in done.notes[0]
    assert Page(done.page.read_text()).rows()[0]["pictures"] == ["runs/a/one.png"]
