"""Open questions of MMMU whose gold is a number: the authors' one open rule reads them, too.

See `mmeval.answers.mmmu`.
"""

from __future__ import annotations

from mmeval.answers.mmmu import exact, rule
from mmeval.reading import RuleSet

RULES = RuleSet("mmmu", exact, rule)
