"""Multiple choice as MATH-Vision reads it: the letter or its option's text, as any other short answer.

Source and rules: `mmeval.answers.mathvision`, which knows no kinds of question.
"""

from __future__ import annotations

from mmeval.answers.mathvision import grade
from mmeval.reading import RuleSet

RULES = RuleSet("mathvision", grade, grade)
