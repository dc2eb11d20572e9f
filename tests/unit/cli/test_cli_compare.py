"""`compare`, and what `show` and `explain` say of the same runs: the cause is named where a reader looks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Mmeval = Callable[..., Any]
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FIRST_LINES = 20


@pytest.fixture
def pair(mmeval: Mmeval, tmp_path: Path) -> Callable[[str], tuple[Path, Path]]:
    def make(name: str) -> tuple[Path, Path]:
        shutil.copytree(FIXTURES / "pairs" / name, tmp_path / name)
        mmeval("score", "--results", tmp_path / name)
        return tmp_path / name / "first", tmp_path / name / "second"

    return make


@pytest.fixture
def scored(mmeval: Mmeval, tmp_path: Path) -> Callable[..., Path]:
    def make(run: str, name: str, *flags: str, say: tuple[str, str] = ("", "")) -> Path:
        folder = tmp_path / name
        shutil.copytree(FIXTURES / "runs" / run, folder, ignore=shutil.ignore_patterns("*score.json"))
        path = folder / "result.json"
        path.write_text(path.read_text(encoding="utf-8").replace(*say), encoding="utf-8")
        mmeval("score", "--results", folder, *flags)
        return folder / "score.json"

    return make


@pytest.mark.parametrize(
    ("name", "flags", "cause", "shown"),
    [
        pytest.param(
            "extraction_habit",
            (),
            ("likely cause: 8 rows of B are `undecided: no-option-found`", "-10.00 of -10.00"),
            "8 rows of 80 (10.0%) are undecided, no-option-found",
            id="extraction-habit",
        ),
        pytest.param(
            "failed_judge",
            (),
            ("likely cause: 8 rows of B are `llm_error: judge-unreadable`", "without them B - A = 0.0000"),
            "8 rows of 80 (10.0%) are llm_error, judge-unreadable",
            id="failed-judge",
        ),
        pytest.param(
            "changed_protocol",
            ("--anyway",),
            (
                "scored differently: rule-match.option_rules: robust -> letter",
                "likely cause: the runs were scored differently (rule-match.option_rules",
                "8 rows of B are `undecided: not-a-lone-option`",
            ),
            "rule-match is not set as by default: option_rules=letter",
            id="changed-protocol",
        ),
    ],
)
def test_the_cause_is_named(
    mmeval: Mmeval,
    pair: Callable[[str], tuple[Path, Path]],
    name: str,
    flags: tuple[str, ...],
    cause: tuple[str, ...],
    shown: str,
) -> None:
    a, b = pair(name)
    ran = mmeval("compare", a, b, *flags)
    assert (ran.code, ran.err) == (0, "")
    top = "\n".join(ran.out.splitlines()[:FIRST_LINES])
    for text in cause:
        assert text in top
    assert shown in mmeval("show", b).out
    assert shown not in mmeval("show", a).out


def test_unlike_protocols_are_refused(mmeval: Mmeval, pair: Callable[[str], tuple[Path, Path]]) -> None:
    ran = mmeval("compare", *pair("changed_protocol"))
    assert (ran.code, ran.out) == (2, "")
    assert "rule-match.option_rules: robust -> letter" in ran.err
    assert "rule-match.settle_misses: true -> false" in ran.err
    assert "--anyway" in ran.err


def test_other_benchmarks_are_refused_in_a_sentence(mmeval: Mmeval, scored: Callable[..., Path]) -> None:
    a, b = scored("mcq_verbose", "a"), scored("docvqa", "b")
    ran = mmeval("compare", a, b)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert "are scores of different benchmarks" in ran.err


def test_everything_as_json(mmeval: Mmeval, pair: Callable[[str], tuple[Path, Path]]) -> None:
    a, b = pair("extraction_habit")
    once, again = (mmeval("compare", a, b, "--json").out for _ in range(2))
    assert once == again
    (told,) = json.loads(once)["comparisons"]
    assert told["headline"]["difference"] == pytest.approx(-10)
    assert told["headline"]["p"] == pytest.approx(0.021484375)
    assert told["headline"]["square"] == {"both": 55, "only_a": 9, "only_b": 1, "neither": 15}
    assert len(told["flips"]) == 10
    assert {step["stage"] for flip in told["flips"] for step in flip["b"]["trace"]} == {
        "exact-match",
        "rule-match",
    }
    assert told["causes"]["causes"][0]["name"] == "undecided: no-option-found"


def test_a_run_does_not_differ_from_itself(mmeval: Mmeval, pair: Callable[[str], tuple[Path, Path]]) -> None:
    a, _ = pair("extraction_habit")
    out = mmeval("compare", a, a).out
    assert "two scorings of the same predictions" in out
    assert "B - A = 0.0000   no interval   p = 1.00" in out
    assert "likely cause: nothing to explain" in out
    assert "samples that differ" not in out


def test_two_scorings_of_the_same_predictions(mmeval: Mmeval, scored: Callable[..., Path]) -> None:
    a = scored("mcq_verbose", "a")
    b = scored("mcq_verbose", "b", "--score_pipeline", "exact-match")
    ran = mmeval("compare", a, b, "--flips", 1)
    assert ran.code == 0
    assert "two scorings of the same predictions" in ran.out
    assert 'scored differently: score_pipeline: ["exact-match","rule-match"] -> ["exact-match"]' in ran.out
    assert "undecided: not-a-bare-answer" in ran.out
    assert "B: --score_pipeline replaced the pipeline by exact-match" in ran.out
    assert "shown 1 (--flips N, --json lists all)" in ran.out


def test_ids_that_do_not_match_are_told(mmeval: Mmeval, scored: Callable[..., Path]) -> None:
    a = scored("open_answers", "a")
    b = scored("open_answers", "b", say=('"eval-id": 4,', '"eval-id": "other",'))
    told = json.loads(mmeval("compare", a, b, "--json").out)["comparisons"][0]
    assert (told["only_a"], told["only_b"], told["matched"]) == (["4"], ["other"], 19)
    out = mmeval("compare", a, b).out
    assert "only in A (1): 4" in out
    assert "only in B (1): other" in out


def test_other_golds_and_questions_are_told(mmeval: Mmeval, scored: Callable[..., Path]) -> None:
    a = scored("mcq_verbose", "a")
    b = scored("mcq_verbose", "b", say=("Which fruit", "Which nut"))
    c = scored("open_answers", "c")
    d = scored("open_answers", "d", say=('"answer": "two"', '"answer": "three"'))
    assert "not the same question" in mmeval("compare", a, b).out
    assert "not the same gold (1):" in mmeval("compare", c, d).out


@pytest.mark.parametrize(
    ("run", "say", "test"),
    [
        pytest.param("pope", ('"response": "Yes"', '"response": "No"'), "exchanges of units", id="f1"),
        pytest.param("docvqa", ("Ada Winter", "Ada"), "sign-flip permutation", id="graded"),
        pytest.param(
            "mmbench_circular", ('"response": "C"', '"response": "A"'), "exact McNemar", id="groups"
        ),
        pytest.param("sampled", ('"response": ["A"', '"response": ["B"'), "p = ", id="several"),
        pytest.param("spatial_route", ('"response": "2.0"', '"response": "3.0"'), "exchanges", id="macro"),
    ],
)
def test_every_kind_of_headline(
    mmeval: Mmeval, scored: Callable[..., Path], run: str, say: tuple[str, str], test: str
) -> None:
    ran = mmeval("compare", scored(run, "a"), scored(run, "b", say=say))
    assert (ran.code, ran.err) == (0, "")
    assert test in ran.out
    assert "not compared" not in ran.out


def test_boxes_are_compared_and_their_cause_is_named(mmeval: Mmeval, scored: Callable[..., Path]) -> None:
    a, b = scored("boxes", "a"), scored("boxes", "b", say=("bbox_2d", "place"))
    ran = mmeval("compare", a, b, "--html", a.parent / "page.html")
    assert ran.code == 0
    first = ran.out.splitlines()[:FIRST_LINES]
    assert any(
        line.startswith("likely cause: ") and "of B are `box-ap: no-box-read`" in line for line in first
    )
    assert any(line.startswith("headline AP: A ") and "95 % " in line for line in first)
    assert any(line.startswith("mean F1 of the rows at IoU 0.5: A ") for line in first)
    assert "2 found, 0 missed, 0 too many" in ran.out
    assert "2 found, 0 missed, 0 too many to 0 found, 2 missed, 0 too many" in (
        a.parent / "page.html"
    ).read_text(encoding="utf-8")
    told = json.loads(mmeval("compare", a, b, "--json").out)["comparisons"][0]
    assert told["of_rows"] == "mean F1 of the rows at IoU 0.5"
    assert told["flips"][0]["b"]["boxes"] == {"tp": 0, "fp": 0, "fn": 2}


@pytest.mark.parametrize(
    ("aggregate", "test"),
    [
        pytest.param({"reduce": "mean", "over": ["one", "two"]}, "exact McNemar", id="over"),
        pytest.param({"reduce": "macro-mean", "by": ["subset"]}, "exchanges of units", id="by"),
    ],
)
def test_subsets_that_the_dataset_names_are_compared(
    mmeval: Mmeval, tmp_path: Path, aggregate: dict[str, Any], test: str
) -> None:
    said = {
        "score_pipeline": ["rule-match"],
        "score_aggregates": [{"name": "x", "headline": True, **aggregate}],
    }
    for side, period in (("a", 3), ("b", 4)):
        rows = [
            {
                "eval-id": at,
                "answer": "B",
                "options": ["one", "two"],
                "messages": [
                    {"role": "user", "content": "?"},
                    {"role": "assistant", "response": "B" if at % period else "A"},
                ],
                "dataset_meta": {"subset": ("one", "two", "three")[at % 3 if at % 2 else 0], **said},
            }
            for at in range(24)
        ]
        (tmp_path / side).mkdir()
        (tmp_path / side / "result.json").write_text(json.dumps(rows), encoding="utf-8")
    assert mmeval("score", "--results", tmp_path).code == 0
    rows = json.loads((tmp_path / "a" / "score.json").read_bytes())["samples"]
    assert rows[0]["group"] == {"subset": "one"}
    ran = mmeval("compare", tmp_path / "a", tmp_path / "b")
    assert (ran.code, ran.err) == (0, "")
    assert test in ran.out
    assert "not compared" not in ran.out


def test_folders_are_matched_by_dataset(mmeval: Mmeval, scored: Callable[..., Path], tmp_path: Path) -> None:
    for side in ("one", "two"):
        for run in ("mcq_verbose", "docvqa"):
            scored(run, f"{side}/{run}")
    scored("countqa", "two/countqa")
    ran = mmeval("compare", tmp_path / "one", tmp_path / "two", "--html", tmp_path / "page.html")
    assert "2 comparisons; claim by the p-values of Holm" in ran.out
    assert "claim by the p-values of Holm" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "without a partner:" in ran.out
    assert "countqa" in ran.out
    pairs = mmeval("compare", tmp_path / "one", tmp_path / "two", tmp_path / "one", "--pairwise", "--json")
    assert len(json.loads(pairs.out)["comparisons"]) == 6


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "Missing argument"),
        (("one",), "two score files"),
        (("one", "nowhere"), "cannot be read"),
        (("one", "empty"), "no score.json below it"),
    ],
)
def test_what_cannot_be_compared(
    mmeval: Mmeval,
    scored: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    says: str,
) -> None:
    scored("mcq_verbose", "one")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    ran = mmeval("compare", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


@pytest.mark.parametrize("score", [7.0, -1.0, 1e308, "1"])
def test_a_score_that_is_none_is_told(mmeval: Mmeval, scored: Callable[..., Path], score: object) -> None:
    path = scored("mcq_verbose", "one")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["samples"][0]["score"] = score
    path.write_text(json.dumps(document), encoding="utf-8")
    for ran in (mmeval("compare", path, path), mmeval("show", path)):
        assert (ran.code, ran.out, "is damaged" in ran.err) == (2, "", True)


PAYLOAD = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def test_the_page_is_inert(mmeval: Mmeval, write_run: Any, sample_row: Any, tmp_path: Path) -> None:
    for name, said in (("a", "yes"), ("b", f"no {PAYLOAD}")):
        rows = [sample_row(f"{PAYLOAD}{n}", "yes", said, **{"question": PAYLOAD}) for n in range(3)]
        mmeval("score", "--results", write_run(rows, name=name))
    ran = mmeval("compare", tmp_path / "a", tmp_path / "b", "--html", tmp_path / "page.html")
    assert ran.code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert "http" not in page.replace("http-equiv", "")


RECORDED = [(1.0, "B"), (0.0, "C"), (0.0, None)]


def test_our_verdicts_beside_recorded_ones(
    mmeval: Mmeval, write_run: Any, sample_row: Any, tmp_path: Path
) -> None:
    rows = [sample_row(n, "B", "B", options={"A": "x", "B": "y", "C": "z"}) for n in range(3)]
    path = write_run(rows)
    mmeval("score", "--results", path)
    score = path.with_name("score.json")
    ran = mmeval("compare", score, "--with_recorded")
    assert (ran.code, "holds no recorded verdicts" in ran.err) == (2, True)
    told = json.loads(score.read_text())
    for row, (value, read) in zip(told["samples"], RECORDED, strict=True):
        row["recorded"] = {"score": value, "extracted": read, "by": "vlmevalkit"}
    score.write_text(json.dumps(told))
    out = mmeval("compare", score, "--with_recorded").out
    assert "our verdicts beside those of vlmevalkit" in out
    assert "agree on 1 of 3 rows" in out
    assert "exact-match: bare-label" in out
    made = json.loads(mmeval("compare", score, "--with_recorded", "--json").out)[str(score)]
    assert made["table"] == {"right": {"right": 1, "wrong": 2}}
    assert [each["their_extracted"] for each in made["disagreements"]] == ["C", None]


@pytest.mark.parametrize(
    ("why", "ids"),
    [
        ("llm_error", ["3", "11", "22", "27", "46", "53", "61", "75"]),
        ("undecided", []),
        ("invalid", []),
        ("error", []),
    ],
)
def test_rows_of_one_fate(
    mmeval: Mmeval, pair: Callable[[str], tuple[Path, Path]], why: str, ids: list[str]
) -> None:
    _, b = pair("failed_judge")
    rows = json.loads(mmeval("explain", b, "--why", why, "--json").out)
    assert [str(row["eval-id"]) for row in rows] == ids
    out = mmeval("explain", b, "--why", why).out
    assert out.splitlines()[0].endswith(f"{len(ids)} rows {why}")
    assert ("judge-unreadable" in out) is bool(ids)


def test_wrong_rows_are_those_that_were_read(
    mmeval: Mmeval, pair: Callable[[str], tuple[Path, Path]]
) -> None:
    _, b = pair("changed_protocol")
    assert "16 rows wrong" in mmeval("explain", b, "--why", "wrong").out
    assert "8 rows undecided" in mmeval("explain", b, "--why", "undecided").out
    alike = json.loads(mmeval("explain", b, "--like", 3, "--json").out)
    assert {row["reason"] for row in alike} == {"not-a-lone-option"}
    assert len(alike) == 8


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--why", "odd"), "must be one of wrong, undecided"),
        (("--like", "nobody"), "no sample 'nobody'"),
        ((), "give one of"),
        (("3", "--why", "wrong"), "give one of"),
    ],
)
def test_rows_that_cannot_be_listed(
    mmeval: Mmeval, scored: Callable[..., Path], arguments: tuple[str, ...], says: str
) -> None:
    ran = mmeval("explain", scored("mcq_verbose", "a"), *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
