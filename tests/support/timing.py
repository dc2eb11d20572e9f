"""How much longer than on a quiet machine a test may take: it runs under coverage, beside others."""

from __future__ import annotations

import sys


def room() -> float:
    """A factor for times that were measured alone and untraced; what is quadratic breaks it all the same."""
    return 20.0 if sys.gettrace() is not None else 5.0
