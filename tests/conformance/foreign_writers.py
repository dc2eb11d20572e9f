"""Small runs written by the harnesses' own code: `foreign_writers.py HARNESS FOLDER`, with the peers' Python.

Exit code 77 says that the harness cannot be imported there; the last line then says why. Nothing of the
writers is changed: where a package's `__init__` would load a model's libraries, a bare package stands in for
it, and `torch` is an empty module where it is not installed (no writer calls it).
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

ABSENT = 77


def bare(package: str, *below: str) -> None:
    """Register a package, and some below it, without running their `__init__`."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"{package} is not installed")
    base = next(iter(found.submodule_search_locations))
    for name in (package, *below):
        module = types.ModuleType(name)
        module.__path__ = [os.path.join(base, *name.split(".")[1:])]
        module.__spec__ = importlib.util.spec_from_loader(name, None, is_package=True)
        sys.modules[name] = module


class Absent(types.ModuleType):
    """A library that is imported on the way and never called."""

    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def without(*names: str) -> None:
    """Let these modules be empty ones where the library that they are of is not installed."""
    absent = {name for name in names if importlib.util.find_spec(name.split(".")[0]) is None}
    for name in names:
        if name in absent:
            module = Absent(name)
            module.__spec__ = importlib.util.spec_from_loader(name, None, is_package=True)
            module.__version__ = "0"
            sys.modules[name] = module


def vlmevalkit(folder: Path) -> None:
    bare("vlmeval", "vlmeval.smp")
    import pandas as pd

    file = importlib.import_module("vlmeval.smp.file")
    status = None
    for form in ("xlsx", "tsv", "json"):
        os.environ["PRED_FORMAT"] = form
        run = folder / form / "my_model" / "T20250102-030405"
        run.mkdir(parents=True)
        data = pd.DataFrame(
            {
                "index": [1, 2, 3, 4],
                "question": ["Which animal?", "And this?", "None of these?", "The last?"],
                "hint": [None, "look", None, None],
                "A": ["cat", "None", "x", "p"],
                "B": ["dog", "cow", "y", "q"],
                "C": [None, "ant", "NA", None],
                "answer": ["A", "C", "B", "A"],
                "category": ["animals", "animals", "letters", "letters"],
                "image_path": ["1.jpg", "2.jpg", "3.jpg", "4.jpg"],
                "prediction": ["A", "The answer is C.", "Failed to obtain answer via API.", None],
            }
        )
        path = file.get_pred_file_path(str(run), "my_model", "MMBench_DEV_EN")
        file.dump(data, path)
        judged = data.assign(hit=[1, 1, 0, 0], log=["ok"] * 4, GT=data["answer"])
        file.dump(judged, file.get_intermediate_file_path(path, "_gpt-4o_result"))
        (run.parent / Path(path).name).symlink_to(Path(run.name) / Path(path).name)
        if status is None:
            status = _status_module()
        if status is not None:
            status.upsert_run_status(str(run), model_name="my_model")


def _status_module() -> Any:
    try:
        return importlib.import_module("vlmeval.smp.status_report")
    except ImportError:
        return None


def lmms_eval(folder: Path) -> None:
    bare("lmms_eval", "lmms_eval.loggers")
    without("torch", "torch.distributed", "transformers", "pytz")
    tracker = importlib.import_module("lmms_eval.loggers.evaluation_tracker").EvaluationTracker(
        output_path=str(folder)
    )
    tracker.general_config_tracker.model_name_sanitized = "org__model"
    tracker.general_config_tracker.model_name = "org/model"
    samples = [
        {
            "doc_id": number,
            "doc": {"question": "q"},
            "target": target,
            "arguments": [f"Question {number}?"],
            "resps": [[said]],
            "filtered_resps": [read],
            "token_counts": [None],
            "doc_hash": "0" * 64,
            "pope_accuracy": {"question_id": number, "score": score, "prediction": read},
        }
        for number, target, said, read, score in (
            (0, "yes", "Yes.", "yes", 1.0),
            (1, "no", "Yes", "yes", 0.0),
            (2, ["a", "b"], "a", "a", float("nan")),
        )
    ]
    tracker.save_results_aggregated(
        {"results": {}, "versions": {"pope": 0.1}}, {"pope": samples}, "20250102_030405"
    )
    tracker.save_results_samples("pope", samples)


def lm_eval(folder: Path) -> None:
    bare("lm_eval", "lm_eval.loggers")
    without("torch", "transformers")
    tracker = importlib.import_module("lm_eval.loggers.evaluation_tracker").EvaluationTracker(
        output_path=str(folder)
    )
    tracker.general_config_tracker.model_name_sanitized = "org__model"
    samples = [
        {
            "doc_id": number,
            "doc": {"question": f"{number}+1?", "answer": f"#### {number + 1}"},
            "target": number + 1,
            "arguments": [(f"Q: {number}+1?\nA:", {"until": ["Q:"]})],
            "resps": [[f"I say {number + 1}"]],
            "filtered_resps": [read],
            "filter": name,
            "metrics": ["exact_match"],
            "doc_hash": "0" * 64,
            "prompt_hash": "0" * 64,
            "target_hash": "0" * 64,
            "exact_match": score,
        }
        for number in (0, 1)
        for name, read, score in (
            ("strict-match", "[invalid]", 0.0),
            ("flexible-extract", str(number + 1), 1.0),
        )
    ]
    results = {"results": {}, "versions": {"gsm8k": 3.0}, "configs": {}}
    tracker.save_results_aggregated(results, {"gsm8k": samples})
    tracker.save_results_samples("gsm8k", samples)


def evalscope(folder: Path) -> None:
    cache = importlib.import_module("evalscope.api.evaluator.cache")
    metric = importlib.import_module("evalscope.api.metric.scorer")
    messages = importlib.import_module("evalscope.api.messages")
    model = importlib.import_module("evalscope.api.model")
    outputs = importlib.import_module("evalscope.utils.io_utils").OutputsStructure(outputs_dir=str(folder))
    manager = cache.CacheManager(outputs, "my-model", "mm_bench")
    for index, target, said, read, score in (
        (0, "A", "ANSWER: A", "A", 1.0),
        (1, "B", "ANSWER: C", "C", 0.0),
    ):
        chat = [
            messages.ChatMessageUser(content=f"Question {index}?"),
            messages.ChatMessageAssistant(content=said),
        ]
        output = model.ModelOutput.from_content("my-model", said)
        prediction = cache.ModelResult(
            index=index, model="my-model", model_output=output, messages=chat, metadata={"topic": "pets"}
        )
        review = cache.ReviewResult(
            index=index,
            target=[target],
            messages=chat,
            sample_score=metric.SampleScore(
                score=metric.Score(value={"acc": score}, extracted_prediction=read, prediction=said),
                sample_id=index,
                group_id=index,
                generation_index=0,
                sample_metadata={"topic": "pets"},
            ),
        )
        manager._get_writer(manager.get_prediction_cache_path("default")).write(prediction.model_dump())
        manager._get_writer(manager.get_review_cache_path("default")).write(review.model_dump())
    manager.close()


def inspect(folder: Path) -> None:
    import tiktoken

    class Words:
        """Its tokenizer would be fetched from the net."""

        def encode(self, text: str, **options: Any) -> list[str]:
            return text.split()

    tiktoken.get_encoding = lambda name: Words()
    ai = importlib.import_module("inspect_ai")
    data = importlib.import_module("inspect_ai.dataset")
    scorers = importlib.import_module("inspect_ai.scorer")
    solvers = importlib.import_module("inspect_ai.solver")
    models = importlib.import_module("inspect_ai.model")

    def model(*texts: str) -> Any:
        outputs = [models.ModelOutput.from_content("mockllm/model", text) for text in texts]
        return models.get_model("mockllm/model", custom_outputs=outputs)

    long = "Which animal is it? " + "long " * 60
    pets = [
        data.Sample(id="cat-1", input=long, choices=["cat", "dog"], target="A", metadata={"topic": "pets"}),
        data.Sample(id=2, input="And?", choices=["cat", "dog", "cow"], target=["A", "C"]),
    ]
    mcq = ai.Task(
        name="pets",
        dataset=data.MemoryDataset(pets),
        solver=solvers.multiple_choice(),
        scorer=scorers.choice(),
    )
    sums = [data.Sample(input="1+1?", target="2"), data.Sample(input="2+2?", target=["4", "four"])]
    twice = ai.Task(
        name="sums",
        dataset=data.MemoryDataset(sums),
        solver=solvers.generate(),
        scorer=[scorers.match(), scorers.includes()],
        epochs=2,
    )
    for form in ("eval", "json"):
        options = {"display": "none", "log_format": form, "max_samples": 1}
        ai.eval(mcq, model=model("ANSWER: A", "ANSWER: B"), log_dir=str(folder / form / "mcq"), **options)
        ai.eval(twice, model=model("2", "3", "it is 2", "4"), log_dir=str(folder / form / "twice"), **options)


def lighteval(folder: Path) -> None:
    bare("lighteval", "lighteval.logging", "lighteval.metrics", "lighteval.models", "lighteval.tasks")
    # What a model runs on, and the catalogue of tasks, which loads every metric; no writer calls either.
    without("torch", "transformers", "transformers.tokenization_utils_base", "git", "pytablewriter")
    sys.modules["lighteval.tasks.lighteval_task"] = Absent("lighteval.tasks.lighteval_task")
    sys.modules["git"].Repo = lambda path: None  # type: ignore[attr-defined]
    sys.modules["git"].InvalidGitRepositoryError = ValueError  # type: ignore[attr-defined]
    requests = importlib.import_module("lighteval.tasks.requests")
    responses = importlib.import_module("lighteval.models.model_output")
    config = importlib.import_module("lighteval.models.abstract_model").ModelConfig
    trackers = importlib.import_module("lighteval.logging.evaluation_tracker")
    tracker = trackers.EvaluationTracker(output_dir=str(folder), save_details=True)
    tracker.general_config_logger.log_model_info(config(model_name="org/model"))
    for task, samples in (
        (
            "community|pets|0",
            (("p1", "Which?", [" A", " B"], 0, ["A"], 1), ("p2", "And?", [" A", " B"], 1, ["A", "B"], 0)),
        ),
        (
            "community|sums|0",
            (("1", "1+1?", [" 2"], [0], ["It is 2"], 1), ("2", "2+2?", ["4", "four"], [0, 1], [""], 0)),
        ),
    ):
        for name, query, choices, gold, said, score in samples:
            doc = requests.Doc(
                query=query,
                choices=choices,
                gold_index=gold,
                id=name,
                task_name=task,
                specific={"topic": "pets", "level": None if score else 3},
                sampling_methods=[requests.SamplingMethod.GENERATIVE],
            )
            response = responses.ModelResponse(
                input=query,
                text=said,
                text_post_processed=[each.strip(" .") for each in said],
                reasonings=[None],
            )
            tracker.details_logger.log(task, doc, response, {"em": score, "f1": score / 2})
    # The library of the tables would ask an imported torch for its classes.
    sys.modules.pop("torch")
    tracker.details_logger.aggregate()
    tracker.save()


def helm(folder: Path) -> None:
    bare("helm", "helm.common", "helm.benchmark", "helm.benchmark.adaptation", "helm.benchmark.annotation")
    # How runs are adapted and priced; a statistic needs neither.
    for name in ("adaptation.adapters.adapter_factory", "metrics.metric_service"):
        sys.modules[f"helm.benchmark.{name}"] = Absent(f"helm.benchmark.{name}")
    general = importlib.import_module("helm.common.general")
    scenario = importlib.import_module("helm.benchmark.scenarios.scenario")
    requests = importlib.import_module("helm.common.request")
    media = importlib.import_module("helm.common.media_object")
    request_state = importlib.import_module("helm.benchmark.adaptation.request_state").RequestState
    adapter = importlib.import_module("helm.benchmark.adaptation.adapter_spec").AdapterSpec
    state = importlib.import_module("helm.benchmark.adaptation.scenario_state").ScenarioState

    def asked(
        number: int, question: str, said: str, mapping: dict[str, str] | None, *texts: tuple[str, bool]
    ) -> Any:
        parts = [media.MediaObject(content_type="image/png", location=str(picture))]
        parts.append(media.MediaObject(content_type="text/plain", text=question))
        references = [
            scenario.Reference(scenario.Output(text=text), tags=[scenario.CORRECT_TAG] if right else [])
            for text, right in texts
        ]
        instance = scenario.Instance(
            scenario.Input(multimedia_content=media.MultimediaObject(parts)),
            references,
            "test",
            id=f"id{number}",
        )
        completion = requests.GeneratedOutput(text=said, logprob=0.0, tokens=[])
        return request_state(
            instance=instance,
            reference_index=None,
            request_mode=None,
            train_trial_index=0,
            output_mapping=mapping,
            request=requests.Request(model="org/model", prompt=question),
            result=requests.RequestResult(success=True, embedding=[], completions=[completion], cached=False),
            num_train_instances=0,
            prompt_truncated=False,
        )

    picture = folder / "1.png"
    picture.write_bytes(b"")
    lettered = {"A": "cat", "B": "dog"}
    run = folder / "runs" / "mine" / "pets:subject=all,model=org_model"
    run.mkdir(parents=True)
    states = [
        asked(1, "Which?", " B", lettered, ("cat", False), ("dog", True)),
        asked(2, "What is 1+1?", "It is 3", None, ("2", True), ("two", True)),
    ]
    made = state(adapter(method="multiple_choice_joint", model="org/model"), states)
    metric = importlib.import_module("helm.benchmark.metrics.metric")
    named = importlib.import_module("helm.benchmark.metrics.metric_name").MetricName
    stat = importlib.import_module("helm.benchmark.metrics.statistic").Stat
    stats = [
        metric.PerInstanceStats(
            f"id{number}",
            None,
            0,
            [
                stat(named(name, split="test")).add(value)
                for name, value in (("num_output_tokens", 2), ("exact_match", score))
            ],
        )
        for number, score in ((1, 1), (2, 0))
    ]
    # The lines by which `helm/benchmark/runner.py` writes them; the runner itself loads every metric.
    told = json.dumps(list(map(general.asdict_without_nones, stats)), indent=2)
    general.write(str(run / "per_instance_stats.json"), told)
    general.write(str(run / "scenario_state.json"), json.dumps(general.asdict_without_nones(made), indent=2))


WRITERS: dict[str, Callable[[Path], None]] = {
    "vlmevalkit": vlmevalkit,
    "lmms-eval": lmms_eval,
    "lm-eval": lm_eval,
    "evalscope": evalscope,
    "inspect": inspect,
    "lighteval": lighteval,
    "helm": helm,
}


def main(arguments: list[str]) -> int:
    harness, folder = arguments
    try:
        WRITERS[harness](Path(folder))
    except ImportError as error:
        print(f"{harness} cannot be imported: {error}")
        return ABSENT
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
