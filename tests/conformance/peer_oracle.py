"""Ask the peers' comparators, unchanged from PyPI, through a subprocess: JSON lines in, JSON lines out.

`MMEVAL_PEERS_PYTHON` names a Python that has the peers (`ms-vlmeval`, `lmms-eval`) installed. In tests, the
fixture of conftest.py skips where that is unset:

    def test_same(ask_peer):
        verdicts = ask_peer("vlmeval.can_infer", [["The answer is B", {"A": "cat", "B": "dog"}], ...])

Run as a script it is the other side: `python peer_oracle.py FUNCTION` reads one JSON list of arguments per
line and writes one JSON value per line; an exception of the peer becomes `{"raised": "ValueError"}`.

The peers' package `__init__` files import torch and every model adapter, which their comparators do not need.
So the script first registers bare packages whose `__path__` is the installed folder; the comparator modules
below them then load from disk as they are.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import operator
import os
import random
import subprocess
import sys
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

BARE_PACKAGES = (
    "vlmeval",
    "vlmeval.dataset",
    "vlmeval.api",
    "lmms_eval",
    "lmms_eval.tasks",
    "lmms_eval.api",
    "lmms_eval.filters",
)

FUNCTIONS = {
    "vlmeval.can_infer": "vlmeval.utils.matching_util:can_infer",
    "vlmeval.yes_no": "vlmeval.dataset.utils.yorn:YOrN_Extraction",
    "vlmeval.punctuation": "vlmeval.smp.misc:process_punctuation",
    "vlmeval.spatial": "vlmeval.dataset.utils.spatial_bench.matching_func:can_match_option",
    "vlmeval.relaxed": "vlmeval.dataset.utils.vqa_eval:relaxed_correctness",
    "vlmeval.process_line": "vlmeval.dataset.utils.vqa_eval:process_line",
    "vlmeval.hits": "vlmeval.dataset.utils.vqa_eval:hit_calculate",
    "vlmeval.anls": "vlmeval.dataset.utils.vqa_eval:anls_compute",
    "vlmeval.spatial_number": "vlmeval.dataset.utils.spatial_bench.matching_func:can_match_na",
    "vlmeval.view_change": "vlmeval.dataset.sparbench:SparBench._compute_vci_metric",
    "vlmeval.mra": "vlmeval.dataset.utils.spatial_bench.cal_scores:mean_relative_accuracy",
    "lmms.mmmu_option": "lmms_eval.tasks._task_utils.mmmu_mcq_utils:parse_mmmu_multi_choice_response",
    "lmms.mmmu_parse_open": "lmms_eval.tasks.mmmu.utils:parse_open_response",
    "lmms.mmmu_eval_open": "lmms_eval.tasks.mmmu.utils:eval_open",
    "lmms.mme": "lmms_eval.tasks.mme.utils:parse_pred_ans",
    "lmms.relaxed": "lmms_eval.tasks.chartqa.utils:relaxed_correctness",
    "lmms.textvqa": "lmms_eval.tasks.textvqa.utils:textvqa_process_results",
    "lmms.vqav2": "lmms_eval.tasks.vqav2.utils:vqav2_process_results",
    "lmms.ocrbench": "lmms_eval.tasks.ocrbench.utils:ocrbench_process_results",
    "star.anls": "anls_star:anls_score",
    "lmms.anls": "lmms_eval.api.metrics:anls",
    "lmms.option": "lmms_eval.tasks._task_utils.mcq_extract:extract_mcq_answer",
    "lmms.number": "lmms_eval.tasks.vsibench.utils:extract_number",
    "lmms.mra": "lmms_eval.tasks.sparbench.utils:mean_relative_accuracy",
    "lmms.view_change": "lmms_eval.tasks.sparbench.utils:compute_vci_metric",
    "lmms.box_iou": "lmms_eval.tasks.refcoco.utils_rec:compute_iou",
    "lmms.box_hit": "lmms_eval.tasks.refcoco.utils_rec:compute_accuracy",
    "lmms.box_centre": "lmms_eval.tasks.refcoco.utils_rec:compute_center_accuracy",
    "lmms.first_box": "lmms_eval.tasks.refcoco.utils_rec:parse_float_sequence_within",
    "lmms.boxes": "lmms_eval.tasks.refcoco_grounding.utils:_parse_pred_boxes",
    "vlmeval.box_iou": "vlmeval.dataset.groundingme:compute_iou",
}


PEER_ERRORS = (ValueError, TypeError, LookupError, AssertionError, AttributeError, ArithmeticError)


def peers_python() -> str | None:
    """The Python that has the peers, if the environment names one."""
    return os.environ.get("MMEVAL_PEERS_PYTHON") or None


def ask(
    function: str,
    arguments: Iterable[list[Any]],
    timeout: float = 300,
    variables: dict[str, str] | None = None,
) -> list[Any]:
    """What a peer's function returns for each list of arguments, in order; `variables` are set for it."""
    python = peers_python()
    assert python is not None, "MMEVAL_PEERS_PYTHON is not set"
    lines = "".join(json.dumps(one) + "\n" for one in arguments)
    environment = {**os.environ, "OPENAI_API_KEY": "unused", "HF_HUB_OFFLINE": "1", "PYTHONPATH": ""}
    environment.pop("VERBOSE", None)
    environment |= variables or {}
    command = [python, "-W", "ignore", str(Path(__file__).resolve()), function]
    done = subprocess.run(
        command, input=lines, capture_output=True, text=True, env=environment, timeout=timeout, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the peer {function} did not run: {done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _bare_package(name: str) -> None:
    """Register an installed package without running its `__init__`."""
    top, _, rest = name.partition(".")
    spec = importlib.util.find_spec(top) if not rest else None
    parent = sys.modules.get(name.rpartition(".")[0])
    if spec is not None and spec.submodule_search_locations is not None:
        folders = list(spec.submodule_search_locations)
    elif parent is not None:
        folders = [os.path.join(folder, name.rpartition(".")[2]) for folder in parent.__path__]
    else:
        return
    module = types.ModuleType(name)
    module.__path__ = folders
    sys.modules[name] = module
    if parent is not None:
        setattr(parent, name.rpartition(".")[2], module)


def prepare() -> None:
    """Bare packages, and the one class that an annotation in lmms-eval's registry wants from torch's side."""
    for name in BARE_PACKAGES:
        _bare_package(name)
    model = types.ModuleType("lmms_eval.api.model")
    model.lmms = type("lmms", (), {})  # type: ignore[attr-defined]
    sys.modules["lmms_eval.api.model"] = model


class _RefusesToGuess(random.Random):
    """Stands in for a peer's `random`, so that a guess is seen."""

    def choice(self, seq: Any) -> Any:
        return "guess"


def load(function: str) -> Callable[..., Any]:
    """The peer's function of that short name."""
    module_name, _, name = FUNCTIONS[function].partition(":")
    module = importlib.import_module(module_name)
    if hasattr(module, "random"):
        module.random = _RefusesToGuess()  # type: ignore[attr-defined]
    found: Callable[..., Any] = operator.attrgetter(name)(module)
    return found


def main() -> None:
    """Answer every line of standard input."""
    replies, sys.stdout = sys.stdout, sys.stderr
    prepare()
    called = load(sys.argv[1])
    for line in sys.stdin:
        try:
            value = called(*json.loads(line))
        except (
            ValueError,
            TypeError,
            IndexError,
            KeyError,
            AssertionError,
            AttributeError,
            ZeroDivisionError,
        ) as error:
            value = {"raised": type(error).__name__}
        replies.write(json.dumps(value, default=str) + "\n")


if __name__ == "__main__":
    main()
