"""Normal forms of short answers in the VQA accuracy family.

Four named forms. They share the punctuation cleaning, the number words, the articles and the contractions
(lookup facts of GT-Vision-Lab/VQA PythonEvaluationTools/vqaEvaluation/vqaEval.py @ a013f0043c1e) and differ
in what comes before and in which full stops fall:

* `vqaeval`: that file. Full stops go unless a digit follows, so "3." becomes "3".
* `evalai`: haotian-liu/LLaVA llava/eval/m4c_evaluator.py @ c121f0432da2. First commas and question marks are
  deleted and "'s" becomes a word of its own; then as above.
* `vlmevalkit`: open-compass/VLMEvalKit vlmeval/dataset/utils/vqa_eval.py @ e8e78f05f308. A full stop stays
  where a digit stands on either side ("3." stays).
* `symmetric`: ours. As `vqaeval`, but an answer that is nothing but articles ("A") stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal, TypeAlias

from mmeval.text.punctuation import process_punctuation

Form: TypeAlias = Literal["vqaeval", "evalai", "vlmevalkit", "symmetric"]
Normalise: TypeAlias = Callable[[str], str]

_ARTICLES = frozenset({"a", "an", "the"})
_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_DIGITS = {"none": "0", **{word: str(value) for value, word in enumerate(_NUMBERS)}}


def _endings(stems: str, wrong: str, right: str) -> dict[str, str]:
    return {stem + wrong: stem + right for stem in stems.split()}


_PEOPLE = "he it she someone something there they we who you"
_CONTRACTIONS = {
    **_endings(
        "are ca could did does do had has have is might must need ought sha should was were wo would",
        "nt",
        "n't",
    ),
    **_endings("could might must not should they we what where who would you", "ve", "'ve"),
    **_endings("could had might should would", "n'tve", "n't've"),
    **_endings("could had might should would", "nt've", "n't've"),
    **_endings(_PEOPLE, "d've", "'d've"),
    **_endings(_PEOPLE, "'dve", "'d've"),
    **_endings("he how it someone something there they where who you", "d", "'d"),
    **_endings("how it somebody someone something they what who why you", "ll", "'ll"),
    **_endings("there they what why you", "re", "'re"),
    **_endings("he how somebody someone that there what when where who why", "s", "'s"),
    **dict.fromkeys(("ow's'at", "'ows'at", "'ow'sat"), "'ow's'at"),
    **dict.fromkeys(("yall'll", "y'allll"), "y'all'll"),
    **dict.fromkeys(("yall'd've", "y'alld've", "y'all'dve"), "y'all'd've"),
    "aint": "ain't",
    "maam": "ma'am",
    "oclock": "o'clock",
    "somebody'd": "somebodyd",  # the one that the official table gets backwards
    "somebodyd've": "somebody'd've",
    "somebody'dve": "somebody'd've",
    "twas": "'twas",
    "yall": "y'all",
}
"""Wrong spelling to right spelling. The official keys with a capital letter cannot match and are left out."""
_RESPELT = {**_CONTRACTIONS, **_DIGITS}
_CHANGED = _RESPELT.keys() | _ARTICLES


def unbroken(text: str) -> str:
    """The text with line breaks and tabs as spaces, trimmed; the official scripts do this before all else."""
    if "\n" in text or "\t" in text:
        text = text.replace("\n", " ").replace("\t", " ")
    return text.strip()


def _phrase(text: str) -> str:
    """Lower case, number words as digits, articles dropped, contractions spelt out, single spaces."""
    words = text.lower().split()
    if not _CHANGED.isdisjoint(words):
        words = [_RESPELT.get(word, word) for word in words if word not in _ARTICLES]
    return " ".join(words)


def vqaeval(answer: str) -> str:
    """The normal form of vqaEval.py.

    >>> vqaeval("The answer is 3."), vqaeval("1,000"), vqaeval("None")
    ('answer is 3', '1000', '0')
    """
    return _phrase(process_punctuation(unbroken(answer), keep_after_digit=False))


def evalai(answer: str) -> str:
    """The normal form of m4c_evaluator.py.

    >>> evalai("King's Cross, London")
    "king 's cross london"
    """
    spread = answer.lower().replace(",", "").replace("?", "").replace("'s", " 's").strip()
    return vqaeval(spread)


def vlmevalkit(answer: str) -> str:
    """The normal form of VLMEvalKit's vqa_eval.py.

    >>> vlmevalkit("The answer is 3."), vlmevalkit("U.S.A.")
    ('answer is 3.', 'usa')
    """
    return _phrase(process_punctuation(unbroken(answer)))


def symmetric(answer: str) -> str:
    """As `vqaeval`, but articles stay where nothing else would.

    >>> symmetric("A"), symmetric("a cat")
    ('a', 'cat')
    """
    cleaned = process_punctuation(unbroken(answer), keep_after_digit=False)
    return _phrase(cleaned) or " ".join(cleaned.lower().split())


FORMS: dict[Form, Normalise] = {
    "vqaeval": vqaeval,
    "evalai": evalai,
    "vlmevalkit": vlmevalkit,
    "symmetric": symmetric,
}
_REMEMBERED: dict[Form, Normalise] = {name: lru_cache(8192)(form) for name, form in FORMS.items()}
_SHORT = 64


def normalise(form: Form, answer: str) -> str:
    """The named normal form of an answer; short ones are remembered: annotators repeat one another."""
    return (_REMEMBERED if len(answer) <= _SHORT else FORMS)[form](answer)
