"""Replies that make careless patterns slow."""

from __future__ import annotations

from collections.abc import Callable

SIZE = 10_000
HOSTILE: dict[str, Callable[[], str]] = {
    "spaces": lambda: " " * SIZE,
    "letters": lambda: "A" * SIZE,
    "options": lambda: "A B " * (SIZE // 4),
    "brackets": lambda: "(" * SIZE,
    "nested": lambda: "(" * (SIZE // 2) + ")" * (SIZE // 2),
    "boxes": lambda: "\\boxed{" * (SIZE // 7),
    "braces": lambda: "{" * (SIZE // 2) + "}" * (SIZE // 2),
    "thinking": lambda: "<think>" * (SIZE // 7),
    "answers": lambda: "<answer>A" * (SIZE // 9),
    "digits": lambda: "1" * SIZE,
    "grouped": lambda: "1," * (SIZE // 2),
    "stops": lambda: "." * SIZE,
    "cues": lambda: "the answer is " * (SIZE // 14),
    "equals": lambda: "= " * (SIZE // 2),
    "lines": lambda: "\n" * SIZE,
    "stars": lambda: "*" * SIZE,
    "words": lambda: "no " * (SIZE // 3),
    "minus": lambda: "-" * SIZE,
    "wide": lambda: "答案" * (SIZE // 2),
    "marks": lambda: "e\u0301" * (SIZE // 2),
    "quotes": lambda: "'\"" * (SIZE // 2),
    "percent": lambda: "5% " * (SIZE // 3),
}
