r"""MATH-Vision's own reading: one short answer out of the reply, compared as text or to two decimals.

Source: mathllm/MATH-V evaluation/evaluate.py and evaluation/utils.py (find_math_answer, is_equal) @
a1f5cc3add20. The same for every kind of question. First the reply becomes a short text:

1. it ends in " B." or " (B).", or begins with "B" or "(B)" and a line break: that letter (A to E);
2. what follows its last "is " is a number: that number;
3. without a box, what follows "the final answer is", "the answer is", "the correct answer is" or "the answer
   should be", to the end of its line or sentence;
4. the last box, from its brace to the last brace of the reply; without a box the whole;
5. of that, in lower case, what follows the last equals sign, without spaces, some units, degrees, `\text` and
   their like.

It is right if it is the gold, or the text of the gold's option: letter for letter (case aside), as a tuple of
plain numbers, or where both have the same number at two decimals (`mmeval.text.latex`). So 1/55 is 1/60, and
"3.The" is 3.

Where none of this holds and one of the two is a formula that the reader of formulas does not know
(`formula-not-known`), nothing is read: the authors' library may see more. Everything else is read, and wrong.
"""

from __future__ import annotations

import re

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.text.latex import same_number
from mmeval.types import Found, Sample

_PLACES = 2
_BOX = "oxed{"
_CUES = ("the final answer is", "the answer is", "the correct answer is", "the answer should be")
_SHORTHANDS = tuple((f"{left}{letter}{right}", letter) for left, right in ("()", "{}") for letter in "abcde")
_TIDYING = (
    (" ", ""), ("\\,", ""), ("∞", "\\infty"), ("+\\infty", "\\infty"), ("\\\\", "\\"), ("\n", ""),
    ("\\text", ""), ("\\mbox", ""), ("bmatrix", "pmatrix"), ("\\left", ""), ("\\right", ""),
    ("^{\\circ}", ""), ("^\\circ", ""), ("{m}^3", ""), ("m^3", ""), ("{units}", ""), ("units", ""),
    ("{km}", ""), ("km", ""), ("\\!", ""), ("\\\\", "\\"), ("tfrac", "frac"), ("dfrac", "frac"),
    ("\\left", ""), ("\\right", ""), ("^{\\circ}", ""), ("^\\circ", ""), ("\\$", ""), ("$", ""),
    ("\\%", ""), ("{.", "{0."),
)  # fmt: skip
"""What is taken out or put right, one after the other; some twice, as an earlier one may uncover them."""
_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII)
_DECIMAL = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)", re.ASCII)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _committed(reply: str) -> str:
    """Rules 1 and 2."""
    text = reply.strip()
    for letter in "ABCDE":
        ends = (f" {letter}.", f" ({letter}).")
        if text.endswith(ends) or text.startswith((f"{letter}\n", f"({letter})\n", f"({letter}) {letter}\n")):
            text = letter
    tail = text.rpartition("is ")[2].rstrip(".")
    return tail if _is_number(tail) else text


def _announced(text: str) -> str:
    """Rule 3, each cue with a small and then with a capital letter."""
    for cue in _CUES:
        for wording in (cue, cue.replace("the", "The")):
            said = wording in text
            text = text.rpartition(wording)[2].strip() if said else text.strip()
            text = text.split("\n")[0].split(". ")[0] if said else text
    return text


def _boxed(text: str) -> str:
    """Rule 4: what the box holds, cut at a brace that nothing in it opened."""
    begin, end = text.find(_BOX), text.rfind("}")
    inside = text[begin + len(_BOX) : end] if 0 <= begin <= end - len(_BOX) else text
    closing, opening = inside.find("}"), inside.find("{")
    unopened = closing != -1 and (opening == -1 or closing < opening)
    return inside[:closing] if unopened else inside


def _braced_roots(text: str) -> str:
    first, *others = text.split("\\sqrt")
    braced = (f"{{{each[0]}}}{each[1:]}" if each and each[0] != "{" else each for each in others)
    return "\\sqrt".join([first, *braced])


def _braced_fractions(text: str) -> str:
    r"""`\frac12` with its braces; unchanged if any has fewer than two signs behind it."""
    first, *others = text.split("\\frac")
    braced = []
    for each in others:
        if each[:1] == "{":
            braced.append(each)
        elif len(each) < 2:
            return text
        else:
            below = each[1] if each[1] == "{" else f"{{{each[1]}}}"
            braced.append(f"{{{each[0]}}}{below}{each[2:]}")
    return "\\frac".join([first, *braced])


def _tidied(text: str) -> str:
    """Rule 5."""
    text = text.rpartition("=")[2].rpartition("\\approx")[2]
    for before, after in _TIDYING:
        text = text.replace(before, after)
    text = f"0{text}" if text[:1] == "." else text
    if "sqrt" in text:
        text = _braced_fractions(_braced_roots(text))
    above, slash, below = text.partition("/")
    if slash and _WHOLE.fullmatch(above) and _WHOLE.fullmatch(below) and "-0" not in (above, below):
        return f"\\frac{{{above}}}{{{below}}}"
    return "\\frac{1}{2}" if text == "0.5" else text


def answer_of(reply: str) -> str:
    """The short answer that a reply gives, by rules 1 to 5; the whole reply is the last resort."""
    text = _committed(reply)
    boxes = text.count(_BOX)
    if not boxes:
        text = _announced(text)
    elif boxes > 1:
        text = f"\\boxed{{{text.rpartition(_BOX)[2]}"
    text = _tidied(_boxed(text.lower().replace("{}", "")))
    for before, after in _SHORTHANDS:
        text = text.replace(before, after)
    return text.rstrip(".").lstrip(":").strip()


def _numbers(text: str) -> str:
    """A tuple or list of plain numbers at two decimals; any other text as it is."""
    members = text[1:-1].split(",")
    if (
        text[:1] + text[-1:] not in ("()", "[]")
        or len(members) < 2
        or not all(map(_DECIMAL.fullmatch, members))
    ):
        return text
    rounded = ",".join(str(round(float(each), _PLACES) + 0.0) for each in members)
    return f"{text[0]}{rounded}{text[-1]}"


def same(gold: str, answer: str) -> bool | None:
    """Whether an answer is a gold, as text, tuple or number; None where a formula is not known."""
    gold, answer = gold.lower(), answer.lower()
    if not gold.strip() or not answer.strip():
        return False
    if gold.strip() == answer.strip() or _numbers(gold) == _numbers(answer):
        return True
    return same_number(answer, gold, _PLACES)


def _golds(sample: Sample) -> list[str]:
    """The gold as written, and the text of the option that it names."""
    texts = dict(zip(sample.options.labels, sample.options.texts, strict=False))
    return [*sample.references[:1], *(texts[gold] for gold in sample.references[:1] if gold in texts)]


def grade(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Read the answer and compare it with the gold and its option's text."""
    golds = _golds(sample)
    if not any(gold.strip() for gold in golds):
        return Reading(Found(None, "blank-reference"), invalid="blank-reference")
    answer = answer_of(prediction)
    if not answer:
        return Reading(Found(None, "empty-answer"))
    verdicts = [same(gold, answer) for gold in golds]
    if True in verdicts:
        return Reading(Found(answer, "short-answer"), True)
    if None in verdicts:
        return Reading(Found(None, "formula-not-known"))
    return Reading(Found(answer, "short-answer"), False)


RULES = RuleSet("mathvision", grade, grade)
