"""What vLLM is told, and what its processes hear."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from mmeval.judge.providers._vllm import _deaf_to_interrupts, _turn
from mmeval.judge.wire import Image, Message, Text

PICTURE = "data:image/png;base64,AAAA"
BLOCKED = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("right?", "right?", id="text"),
        pytest.param(
            (Text("right?"), Image(PICTURE)),
            [{"type": "text", "text": "right?"}, {"type": "image_url", "image_url": {"url": PICTURE}}],
            id="text-and-picture",
        ),
    ],
)
def test_a_turn_as_vllm_takes_it(content: str | tuple[Text | Image, ...], expected: object) -> None:
    assert _turn(Message("user", content)) == {"role": "user", "content": expected}


def blocked_in_a_child() -> str:
    ran = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_a_process_that_starts_deaf_stays_deaf_and_we_do_not() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with _deaf_to_interrupts():
        assert blocked_in_a_child() == "True"
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
    assert blocked_in_a_child() == "False"


def test_a_thread_leaves_signals_alone() -> None:
    heard: list[str] = []

    def start() -> None:
        with _deaf_to_interrupts():
            heard.append(blocked_in_a_child())

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert heard == ["False"]
