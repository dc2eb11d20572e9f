"""`python -m mmeval` is the command `mmeval`; an interrupt is heard from the first import on."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> None:
    """Run the command line; leave with 130 where the user interrupts it, even before it has begun."""
    try:
        from mmeval.cli import main as command

        command()
    except KeyboardInterrupt:
        _leave()
    except RuntimeError as error:
        # Python 3.11 wraps what is raised while a class is made, as happens during imports.
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        _leave()


def _leave() -> NoReturn:
    sys.stderr.write("interrupted; nothing half-written was left\n")
    sys.exit(130)


if __name__ == "__main__":
    main()
