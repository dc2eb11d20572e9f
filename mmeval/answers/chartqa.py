"""ChartQA's relaxed correctness, the same for numeric and open questions (see mmeval.numbers._relaxed)."""

from __future__ import annotations

from mmeval.numbers._relaxed import grade
from mmeval.reading import RuleSet

RULES = RuleSet("chartqa", grade, grade)
