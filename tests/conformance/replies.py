"""Replies as models write them, and nasty ones: a seeded generator for comparisons with the peers."""

from __future__ import annotations

import random

OPTIONS: tuple[dict[str, str], ...] = (
    {"A": "red", "B": "blue", "C": "green car", "D": "yellow"},
    {"A": "Yes", "B": "No"},
    {"A": "1", "B": "2"},
    {"A": "left", "B": "left side", "C": "right"},
    {"A": "cat", "B": "dog"},
    {"A": "$6", "B": "$7.50", "C": "", "D": "None of the above"},
    {"A": "İstanbul", "B": "STRASSE", "C": "ﬁne", "D": "a", "E": "I", "F": "0.5"},
    {letter: f"Option text number {number}" for number, letter in enumerate("ABCDEFGHIJ")},
    {"A": "The spread of pathogens", "B": "A trade route", "C": "An invasion", "Z": "z"},
)

_FRAMES = (
    "{x}",
    "({x})",
    "{x}.",
    "{x})",
    "{x}. {t}",
    "({x}) {t}",
    "**{x}**",
    "**{x}. {t}**",
    "`{x}`",
    '"{x}"',
    "${x}$",
    "\\boxed{{{x}}}",
    "<answer>{x}</answer>",
    "<think>maybe {y}</think> {x}",
    "The answer is {x}.",
    "The answer is {x}",
    "the answer is: {x}",
    "Answer: {x}",
    "Answer:{x}",
    "ANSWER: {x}",
    "The correct answer is **{x}**. {t} because of {y}.",
    "The answer is {t}",
    "The answer is {t}.",
    "{t}",
    "It is {t} and not {u}.",
    "{x}/{y}",
    "{x} or {y}",
    "Both {x} and {y}",
    "{x}, {y}",
    "It is {x}, not {y}",
    "Option {x}",
    "option {x}: {t}",
    "I think {x} is the best answer here",
    "选 {x} ",
    "答案：{x}",
    "{x}\n",
    "{x}\n\n{t}",
    " {x}",
    "A {t} is on the left, so {x}",
    "Z",
    "Z {x}",
    "",
    " ",
    ".",
    "\n",
    "Cannot determine the answer",
    "I can't process this file. {x}",
    "Failed to obtain answer via API {x}",
    "I'm sorry, but without the image provided, {x}",
    "Not sure",
    "Let me see. {t} is wrong. {u} is right. Final answer: {x}",
    "Answer: {t}",
    "Looking at it, first {u}. Answer: the {x} one",
    "{x}{y}",
    "NASA says {t} {x}",
    "'{x}'",
    ",{x}.,",
    "{x}!?;:'",
    "We get x = 5, so the answer is {n}",
    "{n}",
    "about {n} units",
    "= {n}",
    "so {n}.\nis it {n}?\n= {n}",
    "{n}%",
    "${n}",
    "This is. So: {t}. Thus {n}\nTherefore the final result {u} ",
    "nan",
    "inf",
    "1e5",
    "1,234,567.89 and 12.5e-3",
    "Yes",
    "No",
    "yes.",
    "no.",
    "Yes, it is.",
    "No, there isn't.",
    "**Yes**",
    "Answer:Yes",
    "'yes'",
    "Yes/No",
    "No.5",
    "not",
    "nope",
    "Yes—it is",
    "There is no yes here",
    "no. yes",
    "n",
    "y",
    "Y.",
    "  Yes",
    "\nNo",
    "Not at all",
    "I know",
    "none",
    "YES",
    "NO",
    "No!",
    "y,es no",
    "ye-s -",
    "Yes (1,000)",
    "yes_no",
    "No, not {t}",
    "I cannot tell. no",
    "{q} Yes.",
    "{q}No.",
)

_NUMBERS = (
    "0",
    "5",
    "-3",
    "1,500",
    "2.50",
    "1.005",
    "007",
    ".5",
    "-.5",
    "1e3",
    "12,34",
    "3.14159",
    "٣",
    "1/2",
    "12.5,",
)
_JUNK = ".,;:!?()[]{}*#`'\"<>/\\$%_-+=@ \n\tABCDZabcd012９Ｂé—İſK\u200b\u2028\x1c"


def replies(count: int, seed: int = 7) -> list[tuple[str, dict[str, str]]]:
    """`count` replies with the options of their question."""
    draw = random.Random(seed)
    return [_one(draw) for _ in range(count)]


def _one(draw: random.Random) -> tuple[str, dict[str, str]]:
    options = draw.choice(OPTIONS)
    if draw.random() < 0.15:
        return "".join(draw.choices(_JUNK, k=draw.randrange(60))), options
    labels = list(options)
    filled = " ".join(_fill(draw, options, labels) for _ in range(draw.choice((1, 1, 1, 2, 3))))
    if draw.random() < 0.1:
        at = draw.randrange(len(filled) + 1)
        filled = filled[:at] + draw.choice(_JUNK) + filled[at:]
    return filled, options


def _fill(draw: random.Random, options: dict[str, str], labels: list[str]) -> str:
    letter = draw.choice(labels)
    if draw.random() < 0.1:
        letter = draw.choice((letter.lower(), "Z", "K", "I"))
    return draw.choice(_FRAMES).format(
        x=letter,
        y=draw.choice(labels),
        t=draw.choice((str.lower, str.upper, str))(draw.choice(list(options.values()))),
        u=draw.choice(list(options.values())),
        n=draw.choice(_NUMBERS),
        q="a. b " * draw.choice((3, 16, 17, 33)),
    )
