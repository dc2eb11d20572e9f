"""What a dataset card says of its files."""

from __future__ import annotations

import pytest

from mmeval.benchmarks.card import Pattern, patterns

CARDS = [
    pytest.param("# no front matter\nconfigs:\n- config_name: a\n", [], id="none"),
    pytest.param("---\nlicense: mit\n---\n", [], id="no-configs"),
    pytest.param(
        "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    path: data/train-*\n"
        "  - split: test\n    path: data/test-*\ndataset_info:\n  config_name: x\n---\n",
        [("default", "train", "data/train-*"), ("default", "test", "data/test-*")],
        id="as-pushed",
    ),
    pytest.param(
        '---\r\nconfigs:\r\n  - config_name: "a"\r\n    data_files: "a/*.jsonl"\r\n'
        "  - config_name: b\r\n    default: true\r\n    data_files:\r\n"
        "      - b/1.json\r\n      - b/2.json\r\n---\r\n",
        [("a", None, "a/*.jsonl"), ("b", None, "b/1.json"), ("b", None, "b/2.json")],
        id="indented-and-windows",
    ),
    pytest.param(
        "---\nconfigs:\n- config_name: a\n  data_files:\n"
        "  - split: test\n    path: [x.json, 'y.json']\n---\n",
        [("a", "test", "x.json"), ("a", "test", "y.json")],
        id="brackets",
    ),
    pytest.param(
        "---\nconfigs:\n- config_name: a\n  data_files:\n  - split: test\n"
        "    path:\n    - x.json\n    - y.json\n---\n",
        [("a", "test", "x.json"), ("a", "test", "y.json")],
        id="list-of-paths",
    ),
]


@pytest.mark.parametrize(("card", "found"), CARDS)
def test_patterns(card: str, found: list[tuple[str, str | None, str]]) -> None:
    assert patterns(card) == tuple(Pattern(*each) for each in found)
