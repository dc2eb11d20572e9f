"""`python -m mmeval` is the command `mmeval`; an interrupt is heard from the first import on."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; leave with 130 where the user interrupts it, even before it has begun."""
    try:
        from mmeval.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; nothing half-written was left\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
