"""The JSON Schemas of the files that are read and written."""

from __future__ import annotations

from typing import Any

import msgspec

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def of(kind: str) -> dict[str, Any]:
    """The schema of `metadata`, `result` or `score`."""
    if kind == "metadata":
        from mmeval.metadata import metadata_schema

        return metadata_schema()
    return result_schema() if kind == "result" else score_schema()


def result_schema() -> dict[str, Any]:
    """The JSON Schema of a file of predictions (`result.json`)."""
    text = {"type": "string"}
    response = {"oneOf": [text, {"type": "null"}, {"type": "array", "items": {"type": ["string", "null"]}}]}
    user = {
        "type": "object",
        "description": "what the model was shown",
        "properties": {
            "question": text,
            "prompt": text,
            "hint": text,
            "options": {"type": "object", "description": "label to text"},
            "choices": {"type": "array"},
        },
    }
    assistant = {
        "type": "object",
        "required": ["response"],
        "properties": {"role": {"const": "assistant"}, "response": response},
    }
    sample = {
        "type": "object",
        "required": ["messages"],
        "properties": {
            "eval-id": {"type": ["integer", "string"], "description": "unique within the file"},
            "id": {"type": ["integer", "string"]},
            "messages": {
                "type": "array",
                "minItems": 1,
                "description": "the user's turn first, the answer last",
                "items": {"anyOf": [assistant, user]},
            },
            "answer": {"description": "the gold: a text, a number, or a list of references"},
            "reference_response": text,
            "question_type": {"enum": ["mcq", "yes_no", "numeric", "open"]},
            "dataset_meta": {
                "type": "object",
                "properties": {
                    "dataset_name": text,
                    "subset": {"type": ["string", "null"]},
                    "score_pipeline": {},
                },
            },
        },
    }
    return {
        "$schema": DIALECT,
        "title": "mmeval result.json",
        "type": "array",
        "minItems": 1,
        "items": sample,
    }


def score_schema() -> dict[str, Any]:
    """The JSON Schema of a score file."""
    from mmeval.scorefile import SampleLine

    _, parts = msgspec.json.schema_components([SampleLine], ref_template="#/$defs/{name}")
    number = {"type": ["number", "null"]}
    pair = {"type": ["array", "null"], "items": number, "minItems": 2, "maxItems": 2}
    headline = {
        "type": "object",
        "required": ["name", "value", "scale", "n", "stderr", "ci95", "bounds", "method"],
        "properties": {
            "name": {"type": "string"},
            "value": number,
            "stderr": number,
            "ci95": pair,
            "bounds": pair,
        },
    }
    counts = ["total", "filtered", "valid", "invalid", "decided", "undecided", "llm_errors", "errors"]
    rates = ["accuracy", "accuracy_valid", "accuracy_decided", "coverage", "mean_score"]
    summary = {
        "type": "object",
        "required": [
            *counts,
            *rates,
            "accuracy_bounds",
            "by_stage",
            "by_question_type",
            "headline",
            "aggregates",
            "groups",
        ],
        "properties": {
            **{name: {"type": "integer", "minimum": 0} for name in counts},
            **dict.fromkeys(rates, number),
            "accuracy_bounds": pair,
            "headline": headline,
        },
    }
    config = {
        "type": "object",
        "required": [
            "schema_version",
            "score_pipeline",
            "params_effective",
            "knob_sources",
            "official_protocol",
            "official_judge",
            "deviations",
            "fingerprint",
        ],
        "properties": {
            "official_protocol": {"type": ["boolean", "null"]},
            "official_judge": {"type": ["boolean", "null"]},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        },
    }
    return {
        "$schema": DIALECT,
        "title": "mmeval score.json",
        "type": "object",
        "required": ["config", "provenance", "summary", "samples"],
        "properties": {
            "config": config,
            "provenance": {"type": "object"},
            "summary": summary,
            "rows_file": {"type": "string", "description": "where the rows lie with --rows"},
            "samples": {"type": "array", "items": {"$ref": "#/$defs/SampleLine"}},
        },
        "$defs": parts,
    }
