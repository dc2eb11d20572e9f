"""Replies to one kind of question, drawn with a seed, for comparisons with the peers' own readers.

Every shape in which models answer has its frames: bare letters, verbose sentences, chains of thought,
Chinese, markdown, LaTeX, empty replies, refusals, and edge cases that tell two readers apart. In a frame
`{x}` is the answer as a label (B, Yes, 12.5, coca cola), `{y}` another one, `{t}` and `{u}` what they stand
for, `{f}` filler. One reply in five is then damaged: cut, doubled, or a nasty character put into it.

    for reply in generated("option", rows()):
        reply.shape, reply.text, reply.options, reply.gold

`rows()` is how many rows a comparison takes: 2,000, or what MMEVAL_CONFORMANCE_ROWS says.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Hashable, Iterable
from typing import Literal, NamedTuple, TypeAlias

Question: TypeAlias = Literal["option", "yes_no", "number", "text"]
SHORT = 2000


class Reply(NamedTuple):
    """One reply, its shape, the options of its question (empty unless it has some), and the gold."""

    shape: str
    text: str
    options: dict[str, str]
    gold: str


class Said(NamedTuple):
    """What a frame is filled with."""

    x: str
    y: str
    t: str
    u: str
    options: dict[str, str]
    gold: str


FRAMES: dict[str, tuple[str, ...]] = {
    "bare": ("{x}", "({x})", "{x}.", "{x})", "[{x}]", " {x}\n", "{x}. {t}", "({x}) {t}", "{x}: {t}", "'{x}'"),
    "verbose": (
        "The answer is {x}.",
        "The answer is {x}",
        "the correct answer is: {x}",
        "Answer: {x}",
        "answer:{x}",
        "It is {t}.",
        "I think {x} is the best answer here",
        "I would say {t}, not {u}.",
        "{x} is right because {u} is not what the picture shows at all",
        "Option {x}",
        "The answer is {t} because of {y} and {u}",
        "Looking at the picture, {f}. {t} it is",
        "Based on what I see, {x}",
        "A {t} is on the left, so {x}",
        "Both {x} and {y}",
        "{x} or {y}",
        "It is {x}, not {y}",
    ),
    "chain of thought": (
        "<think>maybe {y}</think> {x}",
        "<think>maybe {y}?</think>\n\nThe answer is {x}.",
        "<think>{f}. It could be {y}. {f}.",
        "<think>({y})</think><answer>{x}</answer>",
        "<answer>{x}</answer>",
        "<answer> {x}. {t} </answer>",
        "<ANSWER>{t}</ANSWER>",
        "<answer>because {t}</answer>",
        "Let me see. {f}. {u} is wrong.\nSo {t} is right.\nFinal answer: {x}",
        "Step 1: {f}.\nStep 2: {y} is excluded.\nStep 3: {x}",
        "Option {x}: {t}\nOption {y}: {u}\nSo the answer is {x}",
        "{x}. {t}\n{y}. {u}",
        "{f}. {f}. {f}.\n\n{x}\n",
        "{x}\n\nReason: {f}, and {u} does not fit.",
        "{y}? No. {x}? Yes, that is it: {f}.",
    ),
    "Chinese": (
        "答案：{x}",
        "答案是{x}。",
        "答案为 {x}",
        "选{x}",
        "我选择 {x} ，因为{f}",
        "所以{x}、",
        "因此，答案是（{x}）",
        "选项 {x}：{t}\n选项 {y}：{u}",
        "图中有{t}，不是{u}。最终答案：{x}",
        "【{x}】",
        "结论:{x}",
    ),
    "markdown": (
        "**{x}**",
        "**{x}. {t}**",
        "**Answer: {x}**",
        "**Answer:** {x}",
        "`{x}`",
        "```\n{x}\n```",
        "> {x}",
        "# Answer\n\n{x}",
        "- {x}: {t}\n- {y}: {u}",
        "* **{y}**: no\n* **{x}**: yes",
        "_{x}_",
        "| answer | {x} |",
        "The correct answer is **{x}**. {f}, so {y} is out.",
    ),
    "LaTeX": (
        "\\boxed{{{x}}}",
        "$\\boxed{{\\text{{{x}}}}}$",
        "${x}$",
        "\\( {x} \\)",
        "\\[ \\boxed{{{x}}} \\]",
        "\\text{{{t}}}",
        "\\boxed{{{y}}} \\boxed{{{x}}}",
        "$$ {x} = {y} $$",
    ),
    "empty": ("", " ", "\n", ".", "\u200b", "nan", "None", "-", "\t\n "),
    "refusal": (
        "Cannot determine the answer",
        "I can't process this file. {x}",
        "I'm sorry, but without the image provided, {x}",
        "Sorry, I can't help with images of people yet. Perhaps {x}",
        "Failed to obtain answer via API {x}",
        "I do not know",
        "I cannot tell {t} from {u}.",
        "Not sure",
        "N/A",
        "None of the above",
    ),
    "edge": (
        "{x}/{y}",
        "{x}{y}",
        "{x},{y}",
        '"{x}"',
        "{x}\u200b",
        "\ufeff{x}",
        "{x}</answer>",
        "({x}) </think> {y}",
        "<answer>{y}",
        "{x}!?;:",
        "NASA says {t} {x}",
        "{t}{t}",
        "answer is {f}",
        "the answer is **{x}**, or is it?",
        "{x}" + " word" * 300,
        "{y} " + "words and words " * 60 + "{x}",
        "{y}\n" * 8 + "{x}",
        '{{"answer": "{x}"}}',
        "['{x}', '{y}']",
        "[{x}, {y}]",
        "{x}\u3000",
        "{x}\u2028{y}",
        "Z",
        "Z {x}",
        "e\u0301{x}",
    ),
}
SHAPES = tuple(FRAMES)

_FILLER = (
    "the car is blue",
    "there are 3 of them and 12 more",
    "I see a dog and no cat",
    "yes is not what it says",
    "it moves to the left",
    "clearly a long story",
    "it has five legs",
    "about 2.5 meters away",
)
_JUNK = ".,;:!?()[]{}*#`'\"<>/\\$%_-+=@ \n\tABCDZabcd012９Ｂé—İK。，】\u200b\u2028\x1c"
_OPTIONS: tuple[dict[str, str], ...] = (
    {"A": "red", "B": "blue", "C": "green car", "D": "yellow"},
    {"A": "Yes", "B": "No"},
    {"A": "1", "B": "2"},
    {"A": "left", "B": "left side", "C": "right"},
    {"A": "cat", "B": "dog"},
    {"A": "a dog", "B": "the cat behind it", "C": "both", "D": "none of them"},
    {"A": "0.5 m", "B": "1.5 m", "C": "2.5 m", "D": "", "E": "None"},
    {letter: f"Option text number {number}" for number, letter in enumerate("ABCDEFGHIJ")},
    {"A": "The first of two", "B": "A trade route", "C": "İstanbul", "F": "STRASSE", "Z": "z"},
)
_NUMBERS = (
    *(
        "0",
        "5",
        "-3",
        "1,500",
        "2.50",
        "007",
        ".5",
        "-.5",
        "1e3",
        "12,34",
        "3.14159",
        "٣",
        "1/2",
        "12.5,",
        "5%",
    ),
    *("five", "twenty", "twenty-one", "Zero", "3-5", "2.5.1", "1,200", "+7", "1E-2", "12 m", "10 000"),
)
_TEXTS = (
    "coca cola",
    "coke",
    "pepsi",
    "the dog",
    "U.S.A.",
    "1,000",
    "isnt",
    "can't",
    "a",
    "yes",
    "ab",
    "Stop!",
)
_GOLDS = ("coca cola", "Coke", "pepsi", "dog", "usa", "1000", "isn't", "2.5", "no", "abcd", "stop", "10:30")


def rows(short: int = SHORT) -> int:
    """How many rows a comparison takes: `short`, or what MMEVAL_CONFORMANCE_ROWS says."""
    return int(os.environ.get("MMEVAL_CONFORMANCE_ROWS") or short)


def generated(question: Question, count: int, seed: int = 3) -> list[Reply]:
    """`count` replies to questions of one kind, every shape in turn."""
    draw = random.Random(f"{question} {seed}")
    return [drawn(draw, SHAPES[number % len(SHAPES)], SAID[question]) for number in range(count)]


def disagreement(*readings: Iterable[Hashable]) -> float:
    """The share of rows on which not all readers say the same."""
    answers = list(zip(*readings, strict=True))
    return sum(len(set(each)) > 1 for each in answers) / len(answers)


def drawn(draw: random.Random, shape: str, said: Callable[[random.Random], Said]) -> Reply:
    """One reply of a shape; `said` draws what its frame is filled with."""
    words = said(draw)
    frame = draw.choice(FRAMES[shape])
    text = frame.format(x=words.x, y=words.y, t=words.t, u=words.u, f=draw.choice(_FILLER))
    if draw.random() < 0.2 and shape != "empty":
        text = _damaged(draw, text)
    return Reply(shape, text, words.options, words.gold)


def _damaged(draw: random.Random, text: str) -> str:
    """One nasty thing done to a reply."""
    at = draw.randrange(len(text) + 1)
    junk = draw.choice(_JUNK)
    return draw.choice(
        (
            text[:at] + junk + text[at:],
            text[:at],
            text + text,
            text + junk,
            junk + text,
            text.swapcase(),
            f"<think>{draw.choice(_FILLER)}</think>{text}",
            "".join(draw.choices(_JUNK, k=draw.randrange(40))),
        )
    )


def _option(draw: random.Random) -> Said:
    options = draw.choice(_OPTIONS)
    x, y = draw.choice(list(options)), draw.choice(list(options))
    texts = draw.choice((str.lower, str.upper, str))
    t, u = texts(options[x]), texts(options[y])
    if draw.random() < 0.1:
        x = draw.choice((x.lower(), "Z", "K", "I", "G"))
    gold = draw.choice((x.upper(), draw.choice(list(options))))
    return Said(x, y, t, u, options, gold)


def _yes_no(draw: random.Random) -> Said:
    x, y = draw.sample(("Yes", "No"), 2)
    gold = draw.choice((x, y))
    if draw.random() < 0.2:
        x = draw.choice((x.lower(), x.upper(), "Not", "none", "y", "n", "unclear", f"{x}, {y}"))
    return Said(x, y, f"{x.lower()}, there is one", f"{y.lower()}-one", {}, gold)


def _number(draw: random.Random) -> Said:
    x, y = draw.choice(_NUMBERS), draw.choice(_NUMBERS)
    if draw.random() < 0.5:
        x = f"{draw.choice((1, -1, 1)) * draw.choice((1, 0.25, 0.1)) * draw.randrange(40):g}"
    gold = f"{draw.choice((1, 0.5, 0.1, 2.5)) * draw.randrange(21):g}"
    near = f"{float(gold) * (1 + draw.randint(-12, 12) / 20):g}"
    return Said(draw.choice((x, near)), y, f"{near} meters", f"{y} of them", {}, gold)


def _text(draw: random.Random) -> Said:
    gold = draw.choice(_GOLDS)
    x = draw.choice((gold, draw.choice(_TEXTS)))
    x = draw.choice((str.lower, str.upper, str, str.title))(x)
    if draw.random() < 0.3 and x:
        at = draw.randrange(len(x))
        x = x[:at] + draw.choice(("", "x", ".", "-", " ")) + x[at + 1 :]
    return Said(x, draw.choice(_TEXTS), draw.choice((f"the {x}", f"{x}.", f"an {x}")), "two", {}, gold)


SAID: dict[str, Callable[[random.Random], Said]] = {
    "option": _option,
    "yes_no": _yes_no,
    "number": _number,
    "text": _text,
}
