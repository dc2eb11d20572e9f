"""Models by benchmarks: what is compared, what is marked, and how Markdown and LaTeX write it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from score_files import HOSTILE, sample, write_score

from mmeval.errors import UsageError
from mmeval.exports import latex, markdown
from mmeval.exports.grid import grid
from mmeval.exports.options import Options
from mmeval.exports.runs import gather

COUNTS = [{"name": "MAE", "reduce": "count-errors", "value": "mae", "scale": 1.0, "headline": True}]
RATIO = [{"name": "yes", "reduce": "prf1", "value": "yes_ratio", "scale": 1.0, "headline": True}]


def scores(folder: Path, *given: dict[str, Any]) -> list[str]:
    """One model each on one benchmark: the words for `mmeval export`."""
    for name, each in zip("ABCDE", given, strict=False):
        write_score(folder / name / "pets" / "score.json", **each)
    return [str(folder / name) for name, _ in zip("ABCDE", given, strict=False)]


@pytest.mark.parametrize(
    ("given", "best", "notes"),
    [
        pytest.param([{"value": 50.0}, {"value": 60.0}], "B", [], id="the-larger"),
        pytest.param([{"value": 50.0}], "", [], id="alone"),
        pytest.param([{"value": 50.01}, {"value": 50.02}], "AB", [], id="what-reads-the-same"),
        pytest.param(
            [
                {"value": 1.5, "config": {"score_aggregates": COUNTS}},
                {"value": 2.5, "config": {"score_aggregates": COUNTS}},
            ],
            "A",
            [],
            id="errors-are-better-small",
        ),
        pytest.param(
            [{"value": value, "config": {"score_aggregates": RATIO}} for value in (1.5, 2.5)],
            "",
            [],
            id="neither-is-better",
        ),
        pytest.param(
            [
                {"value": 50.0},
                {"value": 40.0},
                {"value": 90.0, "config": {"score_pipeline": ["exact-match"]}},
            ],
            "A",
            ["not comparable with A, which was scored otherwise: score_pipeline"],
            id="another-pipeline",
        ),
        pytest.param(
            [{"value": 50.0}, {"value": 90.0, "summary": {"total": 3}}],
            "",
            ["not comparable with A, which was scored otherwise: 3 rows for 6"],
            id="another-count",
        ),
        pytest.param(
            [{"value": 50.0}, {"value": None}],
            "",
            ["no value: 1 of 6 rows failed on the scorer's side; the value lies between 40 and 60"],
            id="no-value-is-not-zero",
        ),
        pytest.param(
            [{"value": 50.0, "config": {"official_protocol": False, "deviations": list("wxyz")}}],
            "",
            ["not official: w; x; y; 1 more"],
            id="not-official",
        ),
    ],
)
def test_the_best_of_what_can_be_compared(
    tmp_path: Path, given: list[dict[str, Any]], best: str, notes: list[str]
) -> None:
    made = grid(gather(scores(tmp_path, *given)), 1)
    assert "".join(model for (model, _), cell in made.cells.items() if cell.best) == best
    assert [text for _, text in made.notes] == notes


def test_several_protocols_are_several_columns(tmp_path: Path) -> None:
    write_score(tmp_path / "A" / "x" / "score.json")
    write_score(tmp_path / "A" / "y" / "score.json", config={"protocol": "pets@sane"})
    made = grid(gather([str(tmp_path / "A")]), 1)
    assert [each.name for each in made.columns] == ["owner/pets/main (pets)", "owner/pets/main (pets@sane)"]
    write_score(tmp_path / "A" / "z" / "score.json")
    with pytest.raises(UsageError, match=r"two scores of A on owner/pets/main \(pets\)"):
        grid(gather([str(tmp_path / "A")]), 1)


def export(format_: Any, words: list[str], **options: Any) -> str:
    return b"".join(format_.export(gather(words), Options(**options), str)).decode()


def test_latex(tmp_path: Path) -> None:
    words = scores(
        tmp_path, {"value": 50.0}, {"value": 61.25, "told": {"ci95": [60.0, 64.0]}}, {"value": None}
    )
    assert export(latex, [f"my_model={words[0]}", *words[1:]]).splitlines() == [
        r"% mmeval export; needs \usepackage{booktabs}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"& owner/pets/main \\",
        r"& {\footnotesize accuracy} \\",
        r"\midrule",
        r"my\_model & 50.0 {\footnotesize $\pm$ 2.0} \\",
        r"B & \textbf{61.2} $_{-1.2}^{+2.8}$ \\",
        r"C & --\textsuperscript{a} \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par{\footnotesize\textsuperscript{a}~no value: 1 of 6 rows failed on the scorer{'}s side; "
        r"the value lies between 40 and 60}",
    ]


def test_models_as_columns_with_ranges(tmp_path: Path) -> None:
    words = scores(tmp_path, {"value": 50.0}, {"value": 60.0})
    text = export(latex, words, columns="model", intervals="range", digits=0)
    assert r"& A & B \\" in text
    assert (
        r"owner/pets/main {\footnotesize accuracy} & 50 {\footnotesize [48, 52]} & "
        r"\textbf{60} {\footnotesize [58, 62]} \\" in text
    )
    assert "| A | B |" in export(markdown, words, columns="model")


def test_out_of_one_has_two_more_decimals(tmp_path: Path) -> None:
    words = scores(tmp_path, {"value": 0.5, "told": {"scale": 1.0, "ci95": None}})
    assert "A & 0.500 \\\\" in export(latex, words)


def test_latex_has_no_samples(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no --rows"):
        export(latex, scores(tmp_path, {}), rows=True)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("50%_#&$", r"50\%\_\#\&\$"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("[b]*", "{[}b{]}{*}"),
        ('a--b"', r"a{-}{-}b{\ttfamily\char34}"),
        ("a\nb\x1b", r"a b\textbackslash{}u001b"),
        ("x^2~<|>", r"x\textasciicircum{}2\textasciitilde{}\textless{}\textbar{}\textgreater{}"),
    ],
)
def test_latex_text_is_text(text: str, escaped: str) -> None:
    assert latex.escape(text) == escaped


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_breaks_a_table(tmp_path: Path, text: str) -> None:
    words = scores(tmp_path, {"config": {"dataset_name": text, "subset": None}})
    made = export(latex, words)
    bare = re.sub(r"\\(?:[{}$&#%_]|text\w+)", "", made.splitlines()[3])
    assert bare.count("&") == 1
    assert bare.count("{") == bare.count("}")
    assert not set(bare) & set("$#%_^~")
    row = export(markdown, words, columns="benchmark").splitlines()[2]
    assert len(re.findall(r"(?<!\\)\|", row)) == 3
    assert "<script" not in row


def test_markdown_of_runs(tmp_path: Path) -> None:
    write_score(tmp_path / "m" / "a|b" / "score.json", 50.0, config={"judge_model": ["x", "y"]})
    write_score(tmp_path / "m" / "none" / "score.json", None)
    assert export(markdown, [str(tmp_path / "m")]).splitlines()[2:] == [
        "| run | protocol | headline | value | 95 % interval | n | coverage | official | judge |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | --- | --- |",
        '| a\\|b | pets | accuracy | 50.00 | 48.00 to 52.00 | 6 | 50.0% | yes | \\["x","y"\\] |',
        "| none | pets | accuracy | – \\[1\\] |  | 6 | 50.0% | yes |  |",
        "",
        "\\[1\\] no value: 1 of 6 rows failed on the scorer's side; the value lies between 40 and 60",
    ]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", r"a\|b"),
        ("<i>&", "&lt;i&gt;&amp;"),
        ("**x** `y`", r"\*\*x\*\* \`y\`"),
        ("hi @you", "hi @<!-- -->you"),
        ("https://x", "https:<!-- -->//x"),
        ("www.x.y", "www<!-- -->.x.y"),
        ("a\n\n# h", r"a  \# h"),
        ("\u202ex", r"\\u202ex"),
    ],
)
def test_markdown_text_is_text(text: str, escaped: str) -> None:
    assert markdown.escape(text) == escaped


def test_markdown_of_samples(tmp_path: Path) -> None:
    samples = tuple(sample(number, 0.0, pred=text) for number, text in enumerate(HOSTILE))
    path = write_score(tmp_path / "score.json", samples=samples)
    lines = export(markdown, [str(path)], rows=True).splitlines()[2:]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {16}
    assert len(lines) == 2 + len(HOSTILE)


def booktabs() -> bool:
    """Whether LaTeX is installed here, and with the package that the table needs."""
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return False
    return subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not booktabs(), reason="pdflatex with booktabs is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    known = [text for text in HOSTILE if not latex.STRANGE.search(text)]
    known += [
        "naïve — Łukasz “x” ‘y’ … €™‰ †‡• ¿¡ Åéß½²·",
        "a_b & 50% #1 ~x^2 \\foo{}$y$",
        '?`!`--"q"|[x]*<>',
    ]
    words = []
    for number, text in enumerate(known):
        path = write_score(tmp_path / str(number) / "score.json", config={"dataset_name": text})
        words.append(f"m{number} {text}={path}")
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
        f"{export(latex, words)}\\end{{document}}\n",
        encoding="utf-8",
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=batchmode", "t.tex"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_names_that_pdflatex_leaves_out_are_told(tmp_path: Path) -> None:
    path = write_score(tmp_path / "score.json", config={"dataset_name": "模型 ≥"})
    said: list[str] = []
    text = b"".join(latex.export(gather([str(path)]), Options(), said.append)).decode()
    assert text.splitlines()[0].endswith("needs \\usepackage{booktabs} and LuaLaTeX or XeLaTeX")
    assert "does not know 模 型 ≥ " in said[0]


@pytest.mark.parametrize("text", ["„", "«", "ą", "đ", "Ω", "😀"])
def test_what_is_strange_to_pdflatex(text: str) -> None:
    assert latex.STRANGE.search(text)


@pytest.mark.parametrize("exporter", [latex, markdown])
def test_several_subsets_are_the_benchmark(tmp_path: Path, exporter: Any) -> None:
    words = scores(tmp_path, {"config": {"subset": ["a", "b"], "split": ["x", "y"]}}, {})
    text = export(exporter, words, columns="benchmark")
    assert "owner/pets/main" in text
    assert "owner/pets" in text.replace("owner/pets/main", "")
    assert "a, b" not in text.replace("'", "")


def test_one_score_under_two_names(tmp_path: Path) -> None:
    path = write_score(tmp_path / "score.json")
    with pytest.raises(UsageError, match="named twice, as m and as n; name it once"):
        gather([f"m={path}", f"n={path}"])
    assert [run.model for run in gather([f"m={path}", str(path)])] == ["m"]


def test_a_name_with_an_equals_sign(tmp_path: Path) -> None:
    path = write_score(tmp_path / "score.json")
    assert [run.model for run in gather([f"a=b={path}"])] == ["a=b"]
