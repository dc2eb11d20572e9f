r"""Normal forms of the `reference` rule sets: simple-mmeval's list, in its order.

Source: mm-evaluation/simple-mmeval `mmeval/scoring/extraction.py` @ 3aa72c0, described in our own words:

1. Unicode NFKC;
2. the content of the *first* `\boxed{...}` with balanced braces replaces the text;
3. the tags of think and answer elements go, their content stays;
4. code fences become a space; end-of-sentence tokens, `</s>`, CONCLUSION tags and a leading "Falcon: "
   go;
5. LaTeX sizing, font and spacing commands become a space (braces stay), `\%` becomes %;
6. minus signs and dashes become -, multiplication signs *, division signs /;
7. white space collapses; no space at the ends; lower case on request.

Open answers then lose wrapping quotes or back-ticks and after that trailing full stops and the like.
Articles, other punctuation, units and currency stay.

Traps: reasoning stays in the text, and of two boxes the first wins.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from functools import lru_cache

_BOXED = "\\boxed{"
_TAGS = re.compile(r"</?(?:think|answer)>", re.IGNORECASE)
_TOKENS = re.compile(
    r"</s>|</?CONCLUSION>|<\|(?:im_end|endoftext|eot_id|end[▁_ ]of[▁_ ](?:sentence|text|turn))\|>"
)
_PREFIX = "Falcon: "
_COMMANDS = re.compile(
    r"\\(?:(?:left|right|displaystyle|mathrm|textbf|textit|text|qquad|quad)(?![A-Za-z])|[,;:! ])"
)
_DASHES = "\u2212\u2010\u2011\u2012\u2013\u2014\u2015"
_SIGNS = str.maketrans({**dict.fromkeys(_DASHES, "-"), "×": "*", "·": "*", "÷": "/"})
_ANSWER = re.compile(r"<answer>", re.IGNORECASE)
_ANSWER_END = re.compile(r"</answer>", re.IGNORECASE)
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’"}
_CLOSING = ".。!！？"


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The last match of a pattern, or None."""
    found: deque[re.Match[str]] = deque(pattern.finditer(text), maxlen=1)
    return found[0] if found else None


def boxed(text: str) -> str | None:
    r"""The content of the first `\boxed{...}` whose braces balance, or None."""
    start = text.find(_BOXED)
    if start < 0:
        return None
    depth, begin = 1, start + len(_BOXED)
    for at in range(begin, len(text)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if not depth:
                return text[begin:at]
    return None


@lru_cache(maxsize=64)
def normalise(text: str) -> str:
    """Steps 1 to 7, upper and lower case kept."""
    text = unicodedata.normalize("NFKC", text)
    inner = boxed(text)
    text = text if inner is None else inner
    if "<" in text:
        text = _TOKENS.sub("", _TAGS.sub("", text))
    text = text.replace("```", " ").lstrip().removeprefix(_PREFIX)
    if "\\" in text:
        text = _COMMANDS.sub(" ", text).replace("\\%", "%")
    return " ".join(text.translate(_SIGNS).split())


@lru_cache(maxsize=64)
def open_normalise(text: str) -> str:
    """The normal form of an open answer: lower case, unwrapped, no full stop at the end."""
    text = normalise(text).lower()
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    return text.rstrip(_CLOSING).rstrip()


def last_answer_element(text: str) -> str | None:
    """The content of the last complete `<answer>` element, or None."""
    if "<" not in text:
        return None
    ends = [end.start() for end in _ANSWER_END.finditer(text)]
    starts = [start.end() for start in _ANSWER.finditer(text) if ends and start.end() <= ends[-1]]
    return text[starts[-1] : ends[-1]].strip() if starts else None


def parse_number(text: str) -> float | None:
    """A number from a whole open answer: no commas, a trailing % divides by 100, then as `float` reads it.

    So "1.5e3", "inf" and "nan" are numbers; "$12", "12 km", "six" and "1/2" are not.
    """
    digits = open_normalise(text).replace(",", "")
    percent = digits.endswith("%")
    try:
        value = float(digits[:-1] if percent else digits)
    except ValueError:
        return None
    return value / 100 if percent else value
