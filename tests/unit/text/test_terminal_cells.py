"""Text for a terminal: what commands it is spelled out, columns are counted as they are shown."""

from __future__ import annotations

import pytest

from mmeval.text.terminal_cells import LONGEST_CELL, aligned, cell, columns, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain", "plain", id="plain"),
        pytest.param("two\nlines", "two\nlines", id="line-feed-stays"),
        pytest.param("\x1b[31mred", "\\u001b[31mred", id="escape"),
        pytest.param("a\u202eb", "a\\u202eb", id="turned-around"),
        pytest.param("a\u2028b", "a\\u2028b", id="line-separator"),
    ],
)
def test_nothing_commands_the_terminal(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("", 0, id="empty"),
        pytest.param("abc", 3, id="latin"),
        pytest.param("caf\u00e9", 4, id="one-letter"),
        pytest.param("cafe\u0301", 4, id="letter-and-accent"),
        pytest.param("\u6f22\u5b57", 4, id="han"),
        pytest.param("\uff21", 2, id="full-width"),
        pytest.param("\uff71", 1, id="half-width"),
        pytest.param("\u0645\u0631\u062d\u0628\u0627", 5, id="arabic"),
        pytest.param("\u0939\u093f\u0928\u094d", 3, id="devanagari-with-a-spacing-vowel"),
        pytest.param("\U0001f600", 2, id="emoji"),
        pytest.param("a\u200db", 2, id="joiner"),
        pytest.param("a\u00adb", 3, id="soft-hyphen"),
    ],
)
def test_columns_are_those_that_are_shown(text: str, count: int) -> None:
    assert columns(text) == count


def test_columns_stand_below_each_other() -> None:
    lines = aligned([["name", "n"], ["\u6f22\u5b57\u6f22", "1"], ["cafe\u0301", "2"], ["\x1b", "3"]])
    assert {columns(line[:-1]) for line in lines} == {8}
    assert lines[3] == "\\u001b  3"


def test_one_cell_neither_breaks_its_row_nor_fills_the_screen() -> None:
    assert cell("a\nb") == "a\\u000ab"
    assert cell("x" * 10_000_000) == "x" * (LONGEST_CELL - 3) + "..."
    assert cell("x" * LONGEST_CELL) == "x" * LONGEST_CELL
