"""As `vlmevalkit`, with the guard that upstream has where the environment variable VERBOSE is set.

Source: open-compass/VLMEvalKit `vlmeval/utils/matching_util.py` (`can_infer_option`), PyPI `ms-vlmeval`
0.0.20. The variable is meant for logs, and changes verdicts: where exactly one option letter stands among
more than three tokens and one of the tokens is A, that A may be an article, and no letter is read. Then
follows the text rule. Without the variable, as in `vlmevalkit`, the guard is off and "I think A is the best"
is A.

`exact` is that of `vlmevalkit`.
"""

from __future__ import annotations

from mmeval.options.vlmevalkit import exact, graded, read
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Sample


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The rules of `vlmevalkit`, guarded."""
    return graded(read(prediction, sample.options, guard=True), sample)


RULES = RuleSet("vlmevalkit-verbose", exact, rule)
