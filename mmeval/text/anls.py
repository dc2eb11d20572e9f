"""The edit distance behind ANLS, and the two ways in which the official scripts fold a text first."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache


@cache
def distance() -> Callable[[str, str], int]:
    """Levenshtein distance of two texts (insert, delete, replace cost 1 each); loaded on first use."""
    from rapidfuzz.distance.Levenshtein import distance as levenshtein

    return levenshtein


def collapsed(text: str) -> str:
    """Lower case, runs of white space as one space, none at the ends.

    Source: EvolvingLMMs-Lab/lmms-eval lmms_eval/api/metrics.py @ 75571cfe0fa3 and open-compass/VLMEvalKit
    vlmeval/dataset/utils/vqa_eval.py @ e8e78f05f308.
    """
    return " ".join(text.lower().split())


def stripped(text: str) -> str:
    """Lower case, no white space at the ends.

    Source: haotian-liu/LLaVA llava/eval/m4c_evaluator.py @ c121f0432da2 (STVQAANLSEvaluator).
    """
    return text.lower().strip()


def written_length(text: str) -> int:
    """The length of the text in upper case, before any folding ("ß" counts two)."""
    return len(text) if text.isascii() else len(text.upper())
