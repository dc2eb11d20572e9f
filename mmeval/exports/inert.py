"""Characters that no format carries as they are: controls, lone surrogates, marks of writing direction."""

from __future__ import annotations

import re
from collections.abc import Mapping

# C0 and C1 controls, what XML 1.0 forbids, separators of lines, and marks that turn what follows around.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u2028-\u202e\u2066-\u2069]")


def spelled(text: str, kept: Mapping[str, str]) -> str:
    r"""The same text with every such character spelled out; those in `kept` become what is said there.

    >>> spelled("a\x1b[2J\n", {"\n": " "})
    'a\\u001b[2J '
    """
    return UNSEEN.sub(lambda found: kept.get(found.group(), f"\\u{ord(found.group()):04x}"), text)
