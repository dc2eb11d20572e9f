"""Option letters of the spatial benchmarks, without a judge: MMSI-Bench, ERQA, EmbSpatial, MindCube, SPAR.

Source: open-compass/VLMEvalKit vlmeval/dataset/utils/spatial_bench/{matching_func,cal_scores}.py
(`can_match_option`, `compute_mcq_score`) @ e8e78f05f308; the fork of EASI has the same. In order:

1. white space at the ends and zero-width characters are dropped;
2. an `<answer>` element that begins with a letter A to J;
3. a letter right before `</answer>`, else before `</think>`, in the last 800 characters;
4. the last six lines behind the thinking, from the bottom: a line that is a letter, a line that begins with
   one and a mark, a line with exactly one capital A to F standing alone; "Option A:" lines are skipped;
5. the same in the last six lines of the last 800 characters;
6. a letter behind the first "answer", "answer is", 答案, 结论, 所以, 因此, 选 or 选择 that names one;
7. the one capital A to F that stands alone anywhere.

The gold is read in the same way; right if both are the same letter. Traps: only A to F, except in the answer
element; no boundary is needed there ("<answer>Because ..." is B); a letter that ends the thinking beats the
answer behind it; the article "A" is option A.

One thing differs on purpose: upstream compares "nothing was read" as a text, so that a reply without a letter
is right where the gold has none. Here such a gold makes the row invalid (`spatial-literal` keeps the trap).

`exact` reads a reply that is the letter alone, with brackets and emphasis at most.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from mmeval.options._spatial import alone, read_letter
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample

UNPARSABLE = "unparsable-gold"


@lru_cache(maxsize=1024)
def gold_letter(reference: str) -> str | None:
    """The letter of one reference, in lower case; None where it names none."""
    value = read_letter(reference).value
    return None if value is None else value.lower()


def graded(found: Found, sample: Sample) -> Reading:
    """Right if the letter is that of a reference; invalid where no reference has one."""
    golds = {gold_letter(reference) for reference in sample.references} - {None}
    if not golds:
        return Reading(found, invalid=UNPARSABLE)
    return Reading(found, None if found.value is None else found.value.lower() in golds)


def exactly(grade: Callable[[Found, Sample], Reading]) -> Callable[[str, Sample, Knobs], Reading]:
    """The reader of replies that are a letter alone."""

    def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
        return grade(alone(prediction) or Found(None, "not-a-lone-option"), sample)

    return exact


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The seven places."""
    return graded(read_letter(prediction), sample)


RULES = RuleSet("spatial", exactly(graded), rule)
