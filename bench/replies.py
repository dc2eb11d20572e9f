"""Replies as models write them: few bare, most in sentences, some long, at least 80 % distinct."""

from __future__ import annotations

import random
from typing import NamedTuple

NOUNS = [
    "bicycle",
    "lighthouse",
    "teapot",
    "harbour",
    "violin",
    "kettle",
    "orchard",
    "tunnel",
    "ladder",
    "canoe",
    "mural",
    "anchor",
    "bakery",
    "comet",
    "dune",
    "falcon",
    "glacier",
    "hammock",
    "island",
    "jacket",
    "keyboard",
    "lantern",
    "mosaic",
    "notebook",
    "oven",
    "parachute",
    "quilt",
    "robot",
    "saddle",
    "tractor",
]
PLACES = [
    "on the left",
    "near the window",
    "in the corner",
    "behind the fence",
    "under the bridge",
    "at the top",
]
ADJECTIVES = ["small", "red", "wooden", "striped", "golden", "broken", "round", "distant", "bright", "narrow"]
COLOURS = [
    "amber",
    "blue",
    "crimson",
    "green",
    "grey",
    "indigo",
    "olive",
    "purple",
    "silver",
    "turquoise",
    "violet",
    "white",
    "yellow",
]
LABELS = "ABCD"


class Mcq(NamedTuple):
    """A multiple-choice row."""

    question: str
    options: dict[str, str]
    answer: str
    prediction: str


def thing(rng: random.Random) -> str:
    """An object with a place."""
    return f"{rng.choice(ADJECTIVES)} {rng.choice(COLOURS)} {rng.choice(NOUNS)} {rng.choice(PLACES)}"


def mcq(n: int, seed: int = 0) -> list[Mcq]:
    """Multiple-choice rows, four options each."""
    rng = random.Random(seed)
    rows = []
    for number in range(n):
        options = {label: thing(rng) for label in LABELS}
        said = rng.choice(LABELS)
        rows.append(
            Mcq(
                f"Which object number {number}?",
                options,
                rng.choice(LABELS),
                _mcq_reply(rng, said, options, number),
            )
        )
    return rows


def _mcq_reply(rng: random.Random, said: str, options: dict[str, str], number: int) -> str:
    text, other = options[said], rng.choice([o for label, o in options.items() if label != said])
    forms = (
        f"{said}. {text}",
        f"({said}) {text}",
        f"The answer is {said}, the {text}.",
        f"The correct option is **{said}**, because the picture shows a {text} ({number}).",
        f"Answer: {said} ({text})",
        f"I can see a {text} in image {number}, so the answer is {said}.",
        f"Looking at the image, there is a {other}, but the question asks for the {text}. Answer: {said}",
        f"It is the {text}.",
        reasoning(rng, number, 3 + number % 7) + f"\nTherefore the final answer is ({said}).",
        reasoning(rng, number, 2) + f" \\boxed{{{said}}}",
        f"It is hard to tell in picture {number}.",
    )
    return said if rng.random() < 0.12 else rng.choice(forms)


def reasoning(rng: random.Random, number: int, steps: int) -> str:
    """A few sentences of thinking aloud."""
    return " ".join(
        f"Step {step + 1}: the {thing(rng)} does not match detail {number + step} of the question."
        for step in range(steps)
    )


def yes_no(n: int, seed: int = 1) -> list[tuple[str, str]]:
    """Gold and reply of yes/no questions."""
    rng = random.Random(seed)
    rows = []
    for number in range(n):
        said = rng.choice(("Yes", "No"))
        forms = (
            f"{said}, there is a {thing(rng)} in picture {number}.",
            f"{said}. The {thing(rng)} can be made out ({number}).",
            f"The answer is {said.lower()} for image {number}.",
            f"{reasoning(rng, number, 2)} {said}.",
            f"It cannot be told from image {number}.",
        )
        rows.append((rng.choice(("Yes", "No")), said if rng.random() < 0.15 else rng.choice(forms)))
    return rows


def documents(n: int, seed: int = 2) -> list[tuple[list[str], str]]:
    """References and reply of document questions."""
    rng = random.Random(seed)
    rows = []
    for number in range(n):
        gold = f"{rng.choice(NOUNS)} {rng.choice(NOUNS)} {number}"
        wrong = f"{rng.choice(NOUNS)} {number * 7}"
        reply = rng.choice((gold, gold.upper(), gold[:-1], f"{gold} inc", wrong))
        rows.append(([gold, gold.title()][: 1 + number % 2], reply))
    return rows


def annotated(n: int, seed: int = 3) -> list[tuple[list[str], str]]:
    """Ten annotators' answers and the reply."""
    rng = random.Random(seed)
    rows = []
    for number in range(n):
        main = f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {number % 3000}"
        answers = [main if rng.random() < 0.6 else f"a {rng.choice(NOUNS)}" for _ in range(10)]
        rows.append(
            (
                answers,
                rng.choice((main, main.capitalize() + ".", f"the {main}", rng.choice(NOUNS) + f" {number}")),
            )
        )
    return rows
