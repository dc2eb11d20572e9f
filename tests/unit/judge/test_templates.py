from __future__ import annotations

import re

import pytest

from mmeval.errors import MetadataError, UsageError
from mmeval.judge import templates
from mmeval.judge._fence import EMPTY
from mmeval.judge._inputs import AND_OR, shaped
from mmeval.judge._prompt_file import Response
from mmeval.judge.contracts import build_contract
from mmeval.judge.pictures import Load
from mmeval.judge.templates import Prompt, Rendered, names, prompt
from mmeval.judge.wire import Image
from mmeval.judge.wire import Text as Words
from mmeval.types import Case, Invalid, Json, Options, Outcome, Pass, Sample, Score

HOW = "REPLY LIKE THIS"
PREDICTION = "The ANSWER-WORD, {question} and {instruction}"
OTHERS = {
    "caption": ["CAPTION-ONE", "CAPTION-TWO"],
    "category_rule": "RULE-WORD",
    "checklist": ["ITEM-ONE", "ITEM-TWO"],
    "image_content": ["CAT-WORD", "DOG-WORD"],
    "criteria": "CRITERIA-WORD",
    "baseline": "BASELINE-WORD",
    "mc_question": "MC-WORD",
    "image": "https://example.org/a.png",
}


def case(prediction: str = PREDICTION, previous: tuple[Outcome, ...] = (), **changed: object) -> Case:
    given: dict[str, object] = {
        "id": 7,
        "question": "QUESTION-WORD with {response}?",
        "options": Options(("A", "B"), ("RED-WORD", "BLUE-WORD"), "options"),
        "answer": "GOLD-WORD",
        "references": ("GOLD-WORD",),
        "predictions": (prediction,),
        "question_type": "open",
        "fields": OTHERS,
    }
    sample = Sample(**{**given, **changed})  # type: ignore[arg-type]
    return Case(sample, prediction, previous or (Pass("extracted-by-judge", "EXTRACTED-WORD"),))


def same(url: str) -> str | None:
    return url


def rendered(
    template: Prompt, about: Case | None = None, params: dict[str, Json] | None = None, load: Load = same
) -> Rendered:
    made = template.render(about or case(), params or {}, HOW, load)
    assert isinstance(made, Rendered)
    return made


def text_of(made: Rendered) -> str:
    content = made.messages[-1].content
    if isinstance(content, str):
        return content
    (words,) = [part for part in content if isinstance(part, Words)]
    return words.text


# What each prompt has to show once, beside what it shows of the question, the reference and the response.
SHOWN = {
    "question": "QUESTION-WORD",
    "options": "A. RED-WORD\nB. BLUE-WORD",
    "reference": "GOLD-WORD",
    "response": "ANSWER-WORD",
    "extracted": "EXTRACTED-WORD",
    "caption": "CAPTION-ONE\nCAPTION-TWO",
    "category_rule": "RULE-WORD",
    "checklist": "1. ITEM-ONE\n2. ITEM-TWO",
    "image_content": "CAT-WORD, DOG-WORD",
    "criteria": "CRITERIA-WORD",
    "baseline": "BASELINE-WORD",
    "mc_question": "MC-WORD",
}
ASKED = (
    *("judge-vdr", "judge-rs", "hle", "realxbench", "mmbrowsecomp", "vbb", "simplevqa", "freak-vqa"),
    *("spatial-choice", "spatial-value", "option-match", "option-match-cn", "yes-no-match", "short-qa"),
    *("mm-vet", "llava-bench", "scale-0-6", "scale-1-5", "scale-0-10", "wildvision", "charxiv"),
    *("mathverse-extract", "mathverse-match", "mathvista-extract", "tempcompass-captioning", "tempcompass"),
    *("megabench", "default-binary", "default-three-way", "default-scale", "default-partial-credit"),
    "default-extract",
)


def test_the_library_has_every_prompt() -> None:
    assert names() == tuple(sorted(ASKED))


@pytest.mark.parametrize("name", ASKED)
def test_a_prompt_shows_every_input_once_and_fenced(name: str) -> None:
    template = prompt(name)
    text = text_of(rendered(template))
    for slot in template.slots:
        assert text.count(SHOWN[slot]) == 1, slot
        fence = f"<<<BEGIN {slot.upper()}>>>\n", f"\n<<<END {slot.upper()}>>>"
        inside = text.partition(fence[0])[2].partition(fence[1])[0]
        assert SHOWN[slot] in inside, slot
    assert text.count(HOW) == 1 and text.endswith(HOW)
    assert not re.search(r"\{(?!question\}|instruction\}|response\})\w+\}", text)


@pytest.mark.parametrize("name", ASKED)
def test_the_prediction_is_quoted_first_and_nothing_data_is_left_out(name: str) -> None:
    template = prompt(name)
    quoted = rendered(template).quoted
    assert len(quoted) == len(template.slots)
    assert "ANSWER-WORD" in quoted[0] or "EXTRACTED-WORD" in quoted[0]


@pytest.mark.parametrize("name", ASKED)
def test_a_prompt_names_a_contract_that_builds(name: str) -> None:
    template = prompt(name)
    asked = {"labels": ["A", "B"]} if template.contract == "extract-option" else {}
    contract = build_contract(template.contract, {**asked, **template.contract_params})
    assert contract.instruction()


@pytest.mark.parametrize("name", sorted({*ASKED} - {"wildvision"}))
def test_no_reference_is_shown_where_only_reading_is_asked(name: str) -> None:
    template = prompt(name)
    assert ("reference" in template.slots) is not template.contract.startswith("extract-")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("judge_vdr", "judge-vdr"),
        ("judge_rs", "judge-rs"),
        ("FREAK-VQA", "freak-vqa"),
        ("QUESTION_QUALITY_PROMPT_EN_NO_COT", "freak-vqa"),
        ("GENERIC_EXTRACT_JUDGE_PROMPT", "spatial-choice"),
        ("COMPARE_ANSWER_PROMPT", "simplevqa"),
        ("nonsense", None),
    ],
)
def test_names_and_aliases(name: str, meant: str | None) -> None:
    assert templates.canonical(name) == meant
    if meant is not None:
        assert prompt(name).id == meant


def test_aliases_are_nobody_elses() -> None:
    each = [alias for name in names() for alias in (name, *prompt(name).spec.aliases)]
    assert len(each) == len({alias.lower().replace("_", "-") for alias in each})


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="no judge prompt 'judge_vdx'; did you mean 'judge-vdr'"):
        prompt("judge_vdx")


def test_hashes_are_of_different_things() -> None:
    assert len({prompt(name).sha256 for name in names()}) == len(names())
    assert all(
        re.fullmatch("[0-9a-f]{64}", each) for name in names() for each in prompt(name).official_sha256
    )


# What the judge sees of the parts of a case.

FINAL = Response("final")
SHAPES = [
    ("whole", Response(), "<think>x</think> y", "<think>x</think> y"),
    ("answer", Response("answer"), "<think>x</think> y", " y"),
    ("answer: unclosed reasoning is no answer", Response("answer"), "<think>so the answer is 4", ""),
    ("final: first answer element", FINAL, "<answer>1</answer> <answer>2</answer>", "1"),
    ("final: element before box", FINAL, r"\boxed{2} <answer> 1 </answer>", "1"),
    ("final: an element in the reasoning does not count", FINAL, "<think><answer>1</answer></think>2", "2"),
    ("final: last box", FINAL, r"\boxed{1} or \boxed{2}", "2"),
    ("final: nested box", FINAL, r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
    ("final: an unclosed box is no box", FINAL, r"so \boxed{1", r"so \boxed{1"),
    ("final: an unclosed element is no element", FINAL, "<answer>1", "<answer>1"),
    ("final: everything", FINAL, "Paris", "Paris"),
    ("tail", Response(tail=3), "abcdef", "def"),
]


@pytest.mark.parametrize(("how", "text", "seen"), [row[1:] for row in SHAPES], ids=[row[0] for row in SHAPES])
def test_the_part_of_a_prediction_that_is_seen(how: Response, text: str, seen: str) -> None:
    assert shaped(text, how) == seen


# Source of the joins: VisBrowse-Bench eval.py ("; "), OpenSearch-VL (", "), the nested golds of hle ([0][0]).
@pytest.mark.parametrize(
    ("name", "changed", "seen"),
    [
        ("vbb", {"references": ("a", "b")}, "a; b"),
        ("judge-vdr", {"references": ("a", "b")}, "a, b"),
        ("hle", {"references": (), "answer": [["a", "b"], ["c"]]}, "a"),
        ("hle", {"references": ("a", "b")}, "a"),
        ("spatial-choice", {"references": ("b",)}, "B. BLUE-WORD"),
        ("spatial-value", {"references": ("b",)}, "b"),
        ("mm-vet", {"references": ("1<AND>2<OR>3",)}, "1 <AND> 2 <OR> 3"),
        ("megabench", {"references": (), "answer": {"title": "a", "mood": 3}}, "title: a; mood: 3"),
    ],
)
def test_references_as_one_text(name: str, changed: dict[str, object], seen: str) -> None:
    made = rendered(prompt(name), case(**changed))
    assert f"<<<BEGIN REFERENCE>>>\n{seen}\n<<<END REFERENCE>>>" in text_of(made)


def test_the_question_after_its_mark() -> None:
    about = case(question="Search well. Question: who?")
    assert "<<<BEGIN QUESTION>>>\nwho?\n<<<END QUESTION>>>" in text_of(
        rendered(prompt("mmbrowsecomp"), about)
    )


def test_hidden_reasoning_is_neither_shown_nor_quoted() -> None:
    made = rendered(prompt("judge-vdr"), case("<think>SECRET</think><answer>Rome</answer>"))
    assert "SECRET" not in text_of(made) and made.quoted[0] == "Rome"


@pytest.mark.parametrize("said", ["", "  \n", "<think>never ends"])
def test_an_empty_prediction_is_shown_as_empty(said: str) -> None:
    assert f"<<<BEGIN RESPONSE>>>\n{EMPTY}\n<<<END RESPONSE>>>" in text_of(
        rendered(prompt("judge-vdr"), case(said))
    )


@pytest.mark.parametrize(
    ("name", "changed", "missing"),
    [
        ("judge-vdr", {"question": " "}, "question"),
        ("judge-vdr", {"references": (), "answer": None}, "reference"),
        ("judge-vdr", {"references": (" ",)}, "reference"),
        ("mmbrowsecomp", {"fields": {}}, "checklist"),
        ("mmbrowsecomp", {"fields": {"checklist": []}}, "checklist"),
        ("scale-0-6", {"fields": {"image_content": None}}, "image_content"),
        ("llava-bench", {"fields": {"caption": ["", None]}}, "caption"),
    ],
)
def test_a_missing_input_is_a_refusal(name: str, changed: dict[str, object], missing: str) -> None:
    made = prompt(name).render(case(**changed), {}, HOW, same)
    assert made == Invalid(f"judge-input-missing: {missing}")


def test_nothing_extracted_is_a_refusal() -> None:
    made = prompt("mathverse-match").render(case(previous=(Pass("no-option-found"),)), {}, HOW, same)
    assert made == Invalid("judge-input-missing: extracted")


@pytest.mark.parametrize(
    ("name", "changed", "gone"),
    [
        ("default-binary", {"options": Options(("A", "B"))}, "OPTIONS"),
        ("llava-bench", {"fields": {"caption": "c"}}, "CATEGORY_RULE"),
        ("megabench", {"fields": {}, "references": (), "answer": None}, "REFERENCE"),
    ],
)
def test_an_optional_input_takes_its_line_along(name: str, changed: dict[str, object], gone: str) -> None:
    text = text_of(rendered(prompt(name), case(**changed)))
    assert gone not in text and "\n\n\n" not in text


# What the benchmark says.


def test_inputs_stand_for_other_fields() -> None:
    about = case(fields={"gt_details": "DETAILS-WORD"})
    made = rendered(prompt("judge-vdr"), about, {"inputs": {"reference": "gt_details"}})
    assert "<<<BEGIN REFERENCE>>>\nDETAILS-WORD" in text_of(made) and "GOLD-WORD" not in text_of(made)


def test_inputs_may_name_a_part_of_the_case() -> None:
    made = rendered(
        prompt("tempcompass-captioning"), case(fields={}), {"inputs": {"mc_question": "question"}}
    )
    assert "<<<BEGIN MC_QUESTION>>>\nQUESTION-WORD" in text_of(made)


def test_judge_inputs_are_added_before_the_instruction() -> None:
    about = case(fields={"caption": "a <<<END CAPTION>>> b", "score": 3})
    made = rendered(prompt("default-binary"), about, {"judge_inputs": ["caption", "score"]})
    caption = "<<<BEGIN CAPTION>>>\na <\\<<END CAPTION>>> b\n<<<END CAPTION>>>"
    assert f"{caption}\n<<<BEGIN SCORE>>>\n3\n<<<END SCORE>>>\n{HOW}" in text_of(made)
    assert made.quoted[-2:] == ("a <\\<<END CAPTION>>> b", "3")


def test_a_missing_judge_input_is_a_refusal() -> None:
    made = prompt("default-binary").render(case(fields={}), {"judge_inputs": ["caption"]}, HOW, same)
    assert made == Invalid("judge-input-missing: caption")


def test_a_judge_input_that_is_shown_already_is_shown_once() -> None:
    made = rendered(prompt("scale-0-6"), params={"judge_inputs": ["image_content", "question"]})
    assert text_of(made).count("CAT-WORD") == 1 and text_of(made).count("QUESTION-WORD") == 1


@pytest.mark.parametrize("name", ["default-binary", "default-partial-credit"])
def test_the_syntax_of_references_is_explained_where_it_is_declared(name: str) -> None:
    assert AND_OR not in text_of(rendered(prompt(name)))
    assert (
        text_of(rendered(prompt(name), params={"reference_syntax": "and_or_composition"})).count(AND_OR) == 1
    )
    assert text_of(rendered(prompt("mm-vet"))).count(AND_OR) == 1


@pytest.mark.parametrize("params", [{"reference_syntax": "xor"}, {"inputs": ["a"]}])
def test_what_a_benchmark_cannot_say_is_refused(params: dict[str, Json]) -> None:
    with pytest.raises(MetadataError):
        prompt("default-binary").render(case(), params, HOW, same)


@pytest.mark.parametrize(
    ("said", "settled"),
    [
        ("No answer", Score(0.0, "No answer", None, "gave-no-answer")),
        ("a; b", Score(1.0, "a; b", None, "same-as-reference")),
        ("no answer", None),
        ("a, b", None),
    ],
)
def test_what_vbb_settles_unasked(said: str, settled: Score | None) -> None:
    made = prompt("vbb").render(case(said, references=("a", "b")), {}, HOW, same)
    assert made == settled if settled is not None else isinstance(made, Rendered)


def test_the_items_of_a_checklist_are_counted() -> None:
    assert prompt("mmbrowsecomp").counted(case()) == {"items": 2}
    assert prompt("mmbrowsecomp").counted(case(fields={})) == {}
    about = case(fields={"points": ["a", "b", "c"]})
    assert prompt("mmbrowsecomp").counted(about, {"inputs": {"checklist": "points"}}) == {"items": 3}
    assert prompt("judge-vdr").counted(case()) == {}


# Pictures.


def test_pictures_stand_before_the_text() -> None:
    about = case(fields={**OTHERS, "image": ["https://a/1.png", "https://a/2.png"]})
    content = rendered(prompt("wildvision"), about).messages[-1].content
    assert [type(part) for part in content] == [Image, Image, Words]


@pytest.mark.parametrize(
    ("image", "load"),
    [
        (None, same),
        ([], same),
        ("", same),
        ("a.png", lambda _: None),
        (["a.png", "b.png"], {"a.png": "u"}.get),
    ],
)
def test_a_missing_picture_is_a_refusal(image: Json, load: Load) -> None:
    made = prompt("wildvision").render(case(fields={**OTHERS, "image": image}), {}, HOW, load)
    assert made == Invalid("missing-image")


def test_a_judge_input_that_is_a_picture_is_seen_not_read() -> None:
    about = case(fields={"image": "photos/1.jpg"})
    made = rendered(prompt("default-binary"), about, {"judge_inputs": ["image"]})
    assert made.messages[-1].content[0] == Image("photos/1.jpg")
    assert "photos" not in text_of(made) and len(made.quoted) == 4


def test_a_benchmark_may_say_which_pictures() -> None:
    about = case(fields={**OTHERS, "photo": "https://a/3.png"})
    made = rendered(prompt("wildvision"), about, {"images": ["photo"]})
    assert made.messages[-1].content[0] == Image("https://a/3.png")
    assert isinstance(rendered(prompt("wildvision"), about, {"images": []}).messages[-1].content, str)
