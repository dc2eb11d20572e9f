"""As `spatial`, without its traps in reading.

Source: our objection to open-compass/VLMEvalKit vlmeval/dataset/utils/spatial_bench/matching_func.py
@ e8e78f05f308. The same places in the same order, but:

* reasoning is cut off first, so a letter that ends the thinking does not beat the answer;
* the letter of an answer element must end there: "<answer>Because" is no B, "<answer>dog" no D;
* a letter beyond the question's own options is not read, where the sample tells them.

The article "A" is still an option: no rule that looks at one letter treats all options alike.

`exact` is that of `spatial`.
"""

from __future__ import annotations

from mmeval.options._spatial import read_letter
from mmeval.options.spatial import exactly, graded
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.text.reasoning import final_part
from mmeval.types import Found, Sample


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The seven places of the reply behind its reasoning."""
    part = final_part(prediction)
    if part.kind == "reasoning-unclosed":
        return graded(Found(None, part.kind), sample)
    found = read_letter(prediction[part.start : part.end], whole=True)
    if found.value is not None and sample.options.parsed and found.value not in sample.options.labels:
        found = Found(None, "label-not-among-options")
    if found.span is not None:
        found = Found(found.value, found.rule, (found.span[0] + part.start, found.span[1] + part.start))
    return graded(found, sample)


RULES = RuleSet("spatial-sane", exactly(graded), rule)
