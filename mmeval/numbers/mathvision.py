"""Numbers as MATH-Vision reads them: as any other short answer, equal at two decimals.

Source and rules: `mmeval.answers.mathvision`, which knows no kinds of question.
"""

from __future__ import annotations

from mmeval.answers.mathvision import grade
from mmeval.reading import RuleSet

RULES = RuleSet("mathvision", grade, grade)
