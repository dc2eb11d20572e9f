"""`python -m mmeval` is the command `mmeval`."""

from mmeval.cli import main

if __name__ == "__main__":
    main()
