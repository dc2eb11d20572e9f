"""Every error a user can meet.

MmevalError                    exit code 2 unless said otherwise
├── UsageError                 a flag, a path or a name on the command line
├── MetadataError              metadata.json or a dataset_meta block
├── ResultError                a file of predictions, or of questions and golds
├── StageError                 a stage or aggregate that is broken (wrong value, unknown evidence)
├── JudgeError                 a judge that cannot be asked (key, address, model)
└── Incomplete                 exit code 3: resumable, some rows failed on our side

A message says where, what, and what to do next.
"""


class MmevalError(Exception):
    """Base of every error that is the user's business; shown as one sentence, never as a traceback."""

    exit_code = 2


class UsageError(MmevalError):
    """A flag, a path or a name on the command line is wrong."""


class MetadataError(MmevalError):
    """A protocol block cannot be used as it is written."""


class ResultError(MmevalError):
    """A file of predictions cannot be scored as it is."""


class StageError(MmevalError):
    """A stage or an aggregate broke its contract."""


class JudgeError(MmevalError):
    """A judge cannot be asked."""


class Incomplete(MmevalError):
    """Some rows failed on our side; running again resumes."""

    exit_code = 3
