"""Small runs of our own for every protocol folder: questions, golds, and the reply that repeats the gold.

A row is one sample of simple-mmeval's `result.json`; `reply` is kept beside it. Everything is made up and
drawn with a fixed seed.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import box_items
from hostile_replies import HOSTILE as HOSTILE
from judged_runs import say
from made_items import Item as Item

from mmeval.judge.templates import prompt

LETTERS = "ABCDEFGHIJ"
PERCEPTION = [
    "existence",
    "count",
    "position",
    "color",
    "posters",
    "celebrity",
    "scene",
    "landmark",
    "artwork",
    "OCR",
]
COGNITION = ["commonsense_reasoning", "numerical_calculation", "text_translation", "code_reasoning"]
SUBJECTS = ["Art", "Accounting", "Biology", "Pharmacy", "History", "Materials", "Music", "Finance"]
TASKS = ["Counting", "Jigsaw", "IQ_Test", "Art_Style", "Relative_Depth", "Spatial_Relation"]
FORMULA = "Handwritten Mathematical Expression Recognition"


def word(rng: random.Random, size: int = 9) -> str:
    """A word that is no option letter, number, yes or no."""
    return "".join(rng.choice(string.ascii_lowercase) for _ in range(size))


def choice(rng: random.Random, count: int = 4, **fields: Any) -> Item:
    """A multiple-choice question."""
    options = {letter: f"{word(rng)} {word(rng)}" for letter in LETTERS[:count]}
    gold = rng.choice(list(options))
    return Item("mcq", gold, gold, options, fields)


def mmmu(rng: random.Random) -> Iterator[Item]:
    while True:
        for turn, subject in enumerate(SUBJECTS):
            if turn % 4:
                yield choice(rng, subject=subject)
            else:
                gold = rng.choice([word(rng), f"{rng.randint(100, 9999)}", f"{rng.uniform(1, 99):.2f}"])
                yield Item("open", gold, gold, None, {"subject": subject})


def mmmu_pro(rng: random.Random, setting: str = "standard_10_options") -> Iterator[Item]:
    while True:
        for subject in SUBJECTS:
            yield choice(rng, 10, subject=subject)._replace(subset=setting)


def mmbench(rng: random.Random) -> Iterator[Item]:
    for group in range(10**6):
        texts = [f"{word(rng)} {word(rng)}" for _ in range(4)]
        right = rng.choice(texts)
        for turn in range(4):
            options = dict(zip(LETTERS, texts[turn:] + texts[:turn], strict=False))
            gold = next(letter for letter, text in options.items() if text == right)
            keys = {"circular_group": group, "g_index": group, "circular_pass": turn}
            yield Item("mcq", gold, gold, options, {**keys, "l2-category": "logic_reasoning"})


def blink(rng: random.Random) -> Iterator[Item]:
    while True:
        for task in TASKS:
            yield choice(rng, 4)._replace(subset=task)


def pope(rng: random.Random) -> Iterator[Item]:
    while True:
        for category in ("random", "popular", "adversarial"):
            gold = rng.choice(["yes", "no"])
            yield Item("yes_no", gold, gold, None, {"category": category})


def hallusion(rng: random.Random) -> Iterator[Item]:
    """Sets of three figures and two questions; the first figure is the original, the others are edited."""
    for number in range(10**6):
        category, subcategory = (("VD", "ocr"), ("VS", "ocr"), ("VD", "math"), ("VS", "map"))[number % 4]
        place = {"category": category, "subcategory": subcategory, "set_id": str(number)}
        for figure in ("1", "2", "3"):
            for question in ("0", "1"):
                fields = {**place, "figure_id": figure, "question_id": question}
                gold = rng.choice(["Yes", "No"])
                yield Item(
                    "yes_no", gold, gold, None, {**fields, "visual_input": "1" if figure == "1" else "2"}
                )


def amber(rng: random.Random) -> Iterator[Item]:
    kinds = ("attribute-state", "attribute-number", "attribute-action", "hallucination", "relation")
    while True:
        for kind in (*(f"discriminative-{kind}" for kind in kinds), "relation"):
            gold = "no" if kind.endswith("hallucination") else rng.choice(["yes", "no"])
            yield Item("yes_no", gold, gold.title(), None, {"category": kind})


def mme(rng: random.Random) -> Iterator[Item]:
    for image in range(10**6):
        category = (PERCEPTION + COGNITION)[image % 14]
        fields = {"category": category, "image_id": f"{category}/{image}", "image_path": f"{image}.jpg"}
        for gold in ("Yes", "No"):
            yield Item("yes_no", gold, gold, None, fields)


def mmevalpro(rng: random.Random) -> Iterator[Item]:
    for triplet in range(10**6):
        source = ("MMMU", "MathVista", "ScienceQA")[triplet % 3]
        for part in ("Origin", "Perception", "Knowledge"):
            yield choice(rng, source=source, triplet_id=triplet, eval_type=part)


def annotated(rng: random.Random) -> Iterator[Item]:
    """Ten annotators: all agree, or three against seven others who each say their own."""
    while True:
        gold = word(rng)
        yield Item("open", [gold] * 10, gold, None, {"answer_type": "other"})
        yield Item("open", [gold] * 3 + [word(rng) for _ in range(7)], gold, None, {"answer_type": "other"})


def document(rng: random.Random) -> Iterator[Item]:
    while True:
        gold = " ".join(word(rng, 7) for _ in range(2)).title()
        yield Item("open", [gold, word(rng)], gold)


def chart(rng: random.Random) -> Iterator[Item]:
    for turn in range(10**6):
        size = 3 ** (turn % 11)
        gold = (str(size), f"{size / 7:.3f}", word(rng), f"{rng.randint(1, 99)}%", "0", "1,000", "1987")[
            turn % 7
        ]
        split = ("human", "augmented")[turn % 2]
        yield Item("open", gold, gold, None, {"split": f"test_{split}"}, split)


def ocr(rng: random.Random) -> Iterator[Item]:
    while True:
        gold = word(rng)
        yield Item("open", [gold, word(rng)], gold, None, {"category": "Doc-oriented VQA"})
        yield Item("open", [rf"\frac{{{gold}}}{{2}}"], rf"\frac{{{gold}}}{{2}}", None, {"category": FORMULA})


def fact(rng: random.Random) -> Iterator[Item]:
    """A question for a search: a short gold, and the steps that a good answer goes through."""
    while True:
        gold = f"{word(rng)} {word(rng)}"
        yield Item("open", gold, gold, None, {"checklist": [word(rng) for _ in range(3)]})


def judged(rng: random.Random) -> Iterator[Item]:
    """A question whose answer a judge rates: capabilities, categories, tasks and versions in turn."""
    while True:
        for turn in range(3):
            gold = f"{word(rng)} {word(rng)}"
            fields = {
                "capability": [["ocr"], ["ocr", "spat"], ["know", "rec"]][turn],
                "category": ("llava_bench_conv", "llava_bench_detail", "llava_bench_complex")[turn],
                "caption": word(rng),
                "eval_type": "llm",
                "task_name": f"task_{turn}",
                "problem_version": ("Text Lite", "Vision Only", "Text Dominant")[turn],
            }
            yield Item("open", gold, gold, None, fields)


def mathvista(rng: random.Random) -> Iterator[Item]:
    while True:
        number, tenths = rng.randint(2, 9999), round(rng.uniform(0, 90), 1)
        yield Item("numeric", str(number), str(number), None, {"answer_type": "integer"})
        yield choice(rng, answer_type="text", skills=["geometry reasoning", "logical reasoning"])
        yield Item("numeric", str(tenths), str(tenths), None, {"answer_type": "float", "precision": 1})


def rated(rng: random.Random) -> Iterator[Item]:
    """Questions for a number, which a judge may rate too, in two styles."""
    while True:
        for style in ("Infrared", "RS"):
            gold = str(rng.randint(100, 9999))
            yield Item("numeric", gold, gold, None, {}, style)


def caption(rng: random.Random) -> Iterator[Item]:
    """A caption, and the multiple-choice question that a judge answers from it."""
    while True:
        options = {letter: f"{word(rng)} {word(rng)}" for letter in "ABCD"}
        gold = rng.choice(list(options))
        asked = "\n".join(f"{letter}. {text}" for letter, text in options.items())
        fields = {"mc_question": f"What happens?\n{asked}", "aspect": "action"}
        yield Item("open", f"{gold}. {options[gold]}", f"Somebody {options[gold]}", None, fields)


def answered(rng: random.Random) -> Iterator[Item]:
    while True:
        gold = rng.choice(["yes", "no"])
        yield Item("yes_no", gold, gold, None, {"aspect": "order"})


def matched(rng: random.Random) -> Iterator[Item]:
    while True:
        gold = f"Caption {rng.choice('AB')}: {word(rng)} {word(rng)}"
        yield Item("open", gold, gold, None, {"aspect": "speed"})


def counting(rng: random.Random) -> Iterator[Item]:
    while True:
        gold = rng.randint(0, 400)
        yield Item("numeric", gold, str(gold))


NUMBER_TASKS = [f"{kind}_prediction_{view}" for kind in ("depth", "distance") for view in ("oc", "oo_mv")]


def spar(rng: random.Random) -> Iterator[Item]:
    """Letters, numbers and changes of view, each in its tasks."""
    for turn in range(10**6):
        for at, task in enumerate(NUMBER_TASKS):
            gold = f"{0.1 * 3 ** ((turn * 4 + at) % 17):.3g}"
            yield Item("numeric", gold, gold, None, {"task": task})
        moves = {
            "move_right": rng.choice([0.0, 0.3, -1.2]),
            "move_up": 0.0,
            "rotate_left": rng.randint(5, 60),
        }
        gold = ",".join(f"{name}:{value}" for name, value in moves.items())
        yield Item("open", gold, gold, None, {"task": "view_change_infer"})
        for task in ("position_matching", "spatial_imagination_oo", "distance_infer_center_oo_mv"):
            yield choice(rng, task=task)


def grouped(field: str, *values: str) -> Callable[[random.Random], Iterator[Item]]:
    """Multiple choice, each value of a field in turn."""

    def items(rng: random.Random) -> Iterator[Item]:
        while True:
            for value in values:
                yield choice(rng, **{field: value})

    return items


def plain(count: int, **fields: Any) -> Callable[[random.Random], Iterator[Item]]:
    def items(rng: random.Random) -> Iterator[Item]:
        while True:
            yield choice(rng, count, **fields)

    return items


SEARCHES = (
    *("BrowseCompVL", "FREAK_VQA", "MMBrowseComp", "MMSearch", "MMSearchPlus", "RealXBench", "SimpleVQA"),
    *("SimpleVQA_300", "VDRBench", "VisBrowseBench", "hle"),
    *(f"{name}_test{part}" for name in ("EncyclopedicVQA", "FVQA", "Infoseek_GDM") for part in ("", "_300")),
)


def mathvision(rng: random.Random) -> Iterator[Item]:
    """A letter, a number or a short formula."""
    while True:
        yield choice(rng, 5, level=1, subject="logic")
        for gold in (str(rng.randint(2, 9999)), f"{rng.randint(2, 99)}\\pi"):
            yield Item("open", gold, gold, None, {"level": 2, "subject": "arithmetic"})


ITEMS: dict[str, Callable[[random.Random], Iterator[Item]]] = {
    "MMMU": mmmu,
    "MMMU-Pro": mmmu_pro,
    "MMBench": mmbench,
    "BLINK": blink,
    "ScienceQA": plain(4, is_multimodal=True, subject="natural science", grade="grade3"),
    "ScienceQA-IMG": plain(4),
    "HallusionBench": hallusion,
    "AMBER": amber,
    "POPE": pope,
    "MME": mme,
    "VizWiz-VQA": annotated,
    "OK-VQA": annotated,
    "VQAv2": annotated,
    "TextVQA": annotated,
    "TextVQA_VAL": annotated,
    "DocVQA": document,
    "DocVQA_VAL": document,
    "InfographicVQA": document,
    "ST-VQA": document,
    "ChartQA": chart,
    "ChartQA_TEST": chart,
    "OCRBench": ocr,
    "MMEvalPro": mmevalpro,
    "MMStar": plain(4, category="math"),
    "RealWorldQA": plain(4, category="cars"),
    "VStarBench": grouped("category", "direct_attributes", "relative_position"),
    "FREAK_MCQ": grouped("category", "Detection", "counting", "Attribute", "OCR"),
    "MMSIBench_wo_circular": grouped("category", "Pos-Cam-Cam", "Attr-Meas", "MSR"),
    "ERQA": grouped("question_type", "Pointing", "Task Reasoning", "Other"),
    "EmbSpatialBench": grouped("data_source", "mp3d", "ai2thor", "scannet"),
    "MindCubeBench_tiny_raw_qa": grouped("category", "rotation", "among", "around"),
    "SparBench_tiny": spar,
    "TempCompass": plain(4, aspect="speed", fine_grained_aspect="absolute speed"),
    "FSC147_val": counting,
    "CountQA": counting,
    "PixmoCount_val": counting,
    "BenchLMM": rated,
    "MathVision": mathvision,
    "MathVista": mathvista,
    "TempCompass:captioning": caption,
    "TempCompass:yes_no": answered,
    "TempCompass:caption_matching": matched,
    **box_items.FOLDERS,
    **dict.fromkeys(SEARCHES, fact),
    **dict.fromkeys(("MMVet", "MM-Vet-v2", "LLaVA-Bench-in-the-Wild", "MEGA-Bench", "MathVerse"), judged),
}


def items_of(folder: str, subset: str, count: int) -> list[Item]:
    """The first `count` questions of a benchmark's made-up run."""
    rng = random.Random(7)
    made = ITEMS.get(f"{folder}:{subset}") or ITEMS[folder]
    stream = mmmu_pro(rng, subset) if folder == "MMMU-Pro" and subset != "*" else made(rng)
    found = [item for item, _ in zip(stream, range(count), strict=False)]
    return (
        found if subset == "*" or folder == "MMMU-Pro" else [item._replace(subset=subset) for item in found]
    )


def row(name: int, folder: str, item: Item, reply: str | None) -> dict[str, Any]:
    """One sample as simple-mmeval writes it."""
    ask: dict[str, Any] = {"role": "user", "question": f"question {name}"}
    if item.options is not None:
        ask["options"] = item.options
    return {
        "eval-id": name,
        "messages": [ask, {"role": "assistant", "response": [reply]}],
        "answer": item.answer,
        "question_type": item.kind,
        **item.fields,
        "dataset_meta": {"dataset_name": folder, "subset": item.subset, "split": "test"},
    }


def ruled(name: str, sample: dict[str, Any]) -> str:
    """What an honest judge replies to a prompt of the library about a sample."""
    said = sample["messages"][1]["response"][0]
    options = sample["messages"][0].get("options", {})
    meant = [label for label, text in options.items() if text in said]
    if name in FREE:
        return FREE[name](sample, said)
    if name == "spatial-value":
        return say(name, "correct", said)
    if prompt(name).contract == "extract-option":
        return say(name, meant[0] if len(meant) == 1 else prompt(name).contract_params.get("none", "Z"))
    label = "correct" if _right(sample["answer"], said, options) else "incorrect"
    return say(name, label, said or "N/A", len(sample.get("checklist", ())))


def _captioned(sample: dict[str, Any], said: str) -> str:
    """The option of the question that the caption holds."""
    lines = [line.split(". ") for line in sample["mc_question"].split("\n")[1:]]
    return say("tempcompass-captioning", next((label for label, text in lines if text in said), "none"))


def _rating(best: str, worst: str) -> Callable[[dict[str, Any], str], str]:
    """The best rating for a reply that holds the gold, else the worst."""
    return lambda sample, said: best if _right(sample["answer"], said, {}) else worst


# What an honest judge replies to prompts whose verdict is no word: by prompt.
FREE: dict[str, Callable[[dict[str, Any], str], str]] = {
    "tempcompass-captioning": _captioned,
    "mathvista-extract": lambda sample, said: f"Extracted answer: {said}",
    "mathverse-extract": lambda sample, said: f"Extracted answer: {said}",
    "mm-vet": _rating("1.0", "0.0"),
    "default-partial-credit": _rating("1", "0"),
    "megabench": _rating("Score: 10", "Score: 0"),
    "llava-bench": _rating("8 8\nBoth are good.", "8 1\nThe second is off."),
}


def _right(answer: Any, said: str, options: Mapping[str, str]) -> bool:
    """Whether a reply holds the gold: its text, or its letter as a word of its own."""
    if options:
        letters = set(said.replace("(", " ").replace(")", " ").replace(".", " ").split())
        return answer in letters or options[answer] in said
    return all(str(each) in said for each in (answer if isinstance(answer, list) else [answer]))
