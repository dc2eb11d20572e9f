"""Files of predictions to samples."""

from mmeval.readers.combined import CombinedRun, open_combined
from mmeval.readers.discover import discover, is_own
from mmeval.readers.identity import Meta
from mmeval.readers.joined import JoinedRun, open_joined
from mmeval.readers.opening import ForeignRun, open_run
from mmeval.readers.predictions import SUFFIXES
from mmeval.readers.result import RunFile
from mmeval.readers.rows import BadRow, Fields

__all__ = [
    "SUFFIXES",
    "BadRow",
    "CombinedRun",
    "Fields",
    "ForeignRun",
    "JoinedRun",
    "Meta",
    "RunFile",
    "discover",
    "is_own",
    "open_combined",
    "open_joined",
    "open_run",
]
