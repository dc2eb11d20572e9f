"""Colours of the page: enough contrast, in the light and in the dark."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

STYLE = (files("mmeval.reports.html") / "assets" / "style.css").read_text(encoding="utf-8")
COLOURS = {name: pair for name, *pair in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", STYLE)}
TEXTS = ("ink", "soft", "link", "right", "partly", "wrong", "other")
SHAPES = ("line", "focus", *(name for name in COLOURS if name.startswith("fill-")))


def luminance(colour: str) -> float:
    """Relative luminance, 0..1 (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_measure() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["page", "raised", "chosen"])
@pytest.mark.parametrize("text", TEXTS)
def test_texts_can_be_read(text: str, ground: str, mode: int) -> None:
    assert contrast(COLOURS[text][mode], COLOURS[ground][mode]) >= 4.5


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_marks_can_be_read(mode: int) -> None:
    assert contrast(COLOURS["ink"][mode], COLOURS["mark"][mode]) >= 4.5


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_can_be_seen(shape: str, mode: int) -> None:
    for ground in ("page", "raised"):
        assert contrast(COLOURS[shape][mode], COLOURS[ground][mode]) >= 3


def test_every_colour_is_a_named_one() -> None:
    used = set(re.findall(r"var\(--([\w-]+)\)", STYLE))
    assert used <= set(COLOURS)
    assert set(COLOURS) <= used, "a colour that nothing uses"
    outside = re.sub(r":root \{.*?\}", "", STYLE, count=1, flags=re.DOTALL)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b", outside) == []


def test_focus_is_never_hidden() -> None:
    assert ":focus-visible { outline: 3px solid var(--focus)" in STYLE
    assert not re.search(r"outline:\s*(?:none|0)", STYLE)
