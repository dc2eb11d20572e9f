"""Texts of the user's and of datasets: official ones by an invented text, and their own."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from mmeval.errors import UsageError
from mmeval.judge._prompt_file import Official, read_spec
from mmeval.judge.templates import Prompt, Rendered, from_file, from_text, prompt
from mmeval.types import Case, Invalid, Json, Options, Pass, Sample

HOW = "REPLY LIKE THIS"
PREDICTION = "The ANSWER-WORD, {question} and {instruction}"


def case(prediction: str = PREDICTION, **changed: object) -> Case:
    given: dict[str, object] = {
        "id": 7,
        "question": "QUESTION-WORD with {response}?",
        "options": Options(("A", "B"), ("RED-WORD", "BLUE-WORD"), "options"),
        "answer": "GOLD-WORD",
        "references": ("GOLD-WORD",),
        "predictions": (prediction,),
        "question_type": "open",
    }
    sample = Sample(**{**given, **changed})  # type: ignore[arg-type]
    return Case(sample, prediction, (Pass("extracted-by-judge", "EXTRACTED-WORD"),))


def rendered(template: Prompt, about: Case | None = None, params: dict[str, Json] | None = None) -> Rendered:
    made = template.render(about or case(), params or {}, HOW, lambda url: url)
    assert isinstance(made, Rendered)
    return made


def text_of(made: Rendered) -> str:
    content = made.messages[-1].content
    assert isinstance(content, str)
    return content


SECRET = "Say %s.\nJudge {q} by {gold}: {{{ans}}}\n"
SYSTEM = "Be fair."
GOOD = "description = 'd'\ncontract = 'binary'\n"


def with_official(**changed: object) -> Prompt:
    """A prompt with an invented official text."""
    about = {
        "sha256": hashlib.sha256(SECRET.encode()).hexdigest(),
        "where": "a/b c.py @ 0123",
        "placeholders": {"q": "question", "gold": "reference", "ans": "response"},
    }
    like = prompt("judge-vdr")
    official = Official(**{**about, **changed})  # type: ignore[arg-type]
    return replace(like, spec=msgspec.structs.replace(like.spec, official=(official,)))


@pytest.mark.parametrize(
    ("saved", "how"),
    [
        (SECRET, "exact"),
        (SECRET.replace("\n", "\r\n"), "line-endings"),
        ("\ufeff" + SECRET, "line-endings"),
        (SECRET.rstrip("\n"), "outer-blank-lines"),
        ("\n" + SECRET + "\n\n", "outer-blank-lines"),
    ],
)
def test_an_official_text_is_known_by_its_hash(tmp_path: Path, saved: str, how: str) -> None:
    path = tmp_path / "official.txt"
    path.write_bytes(saved.encode())
    made = from_file(path, with_official())
    assert (made.official, made.matched, made.schema_allowed) == (True, how, False)
    text = text_of(rendered(made))
    assert text == f"Say %s.\nJudge QUESTION-WORD with {{response}}? by GOLD-WORD: {{{PREDICTION}}}\n"
    assert made.contract == "binary" and made.id == "official.txt"


def test_an_official_text_shows_an_empty_prediction_as_it_is() -> None:
    assert text_of(rendered(from_text(SECRET, "x", with_official()), case(""))).endswith(": {}\n")


def test_a_changed_official_text_is_not_official(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing is known that belongs into \{q\}"):
        from_text(SECRET + "!", "x.txt", with_official())


@pytest.mark.parametrize(
    ("style", "text", "names_", "seen"),
    [
        ("format", "{} {1!r} {{x}}", {"0": "question", "1": "response"}, "Q P {x}"),
        ("format", "{} {}", {"0": "question", "1": "response"}, "Q P"),
        ("percent", "%s 5%% %s", {"0": "question", "1": "response"}, "Q 5% P"),
        ("percent", "%(a)s %(b)s", {"a": "response", "b": "question"}, "P Q"),
        ("literal", "<|q|> {r} {}", {"<|q|>": "question", "{r}": "response"}, "Q P {}"),
        ("literal", "a {q}", {"{q}": "({response})"}, "a (P)"),
        ("format", "{o}{a}", {"o": "Options:\n{options}\n", "a": "response"}, "P"),
    ],
)
def test_the_styles_of_official_texts(style: str, text: str, names_: dict[str, str], seen: str) -> None:
    sha = hashlib.sha256(text.encode()).hexdigest()
    made = from_text(text, "x", with_official(sha256=sha, style=style, placeholders=names_))
    assert text_of(rendered(made, case("P", question="Q", options=Options(("A",))))) == seen


def test_what_official_code_appends() -> None:
    sha = hashlib.sha256(b"Grade.\n").hexdigest()
    like = with_official(sha256=sha, style="literal", placeholders={}, tail="\n{question} | {response} | ")
    made = from_text("Grade.\n", "x", like)
    assert text_of(rendered(made, case("P", question="Q"))) == "Grade.\n\nQ | P | "


def test_a_part_of_an_official_text_is_refused_with_the_remedy() -> None:
    with pytest.raises(UsageError, match=r"only a part .*a/b c\.py @ 0123.*whole text"):
        from_text(SECRET, "x.txt", with_official(part=True))


def test_an_official_text_without_its_system_message_is_not_official() -> None:
    like = with_official(system_sha256=hashlib.sha256(SYSTEM.encode()).hexdigest())
    made = from_text(SECRET, "x", like)
    assert (made.official, made.matched) == (False, "exact")


def test_a_toml_file_with_both_official_messages_is_official(tmp_path: Path) -> None:
    like = with_official(system_sha256=hashlib.sha256(SYSTEM.encode()).hexdigest())
    path = tmp_path / "both.toml"
    path.write_text(GOOD + f"[messages]\nsystem = '{SYSTEM}'\nuser = '''{SECRET}'''\n")
    made = from_file(path, like)
    assert (made.official, made.matched) == (True, "exact")
    system, user = rendered(made).messages
    assert (system.role, system.content) == ("system", SYSTEM) and user.content == text_of(rendered(made))


@pytest.mark.parametrize("system", ["system = 'Be kind.'\n", ""])
def test_a_toml_file_with_another_system_message_is_not_official(tmp_path: Path, system: str) -> None:
    like = with_official(system_sha256=hashlib.sha256(SYSTEM.encode()).hexdigest())
    path = tmp_path / "both.toml"
    path.write_text(GOOD + f"[messages]\n{system}user = '''{SECRET}'''\n[fields]\nq = {{}}\n")
    with pytest.raises(UsageError, match=r"belongs into \{gold\}"):
        from_file(path, like)


def test_a_toml_file_of_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        GOOD + "temperature = 0.5\n[messages]\nsystem = 'Be fair to {question}.'\nuser = '{response}'\n"
    )
    made = from_file(path, prompt("judge-vdr"))
    assert (made.official, made.schema_allowed, made.temperature) == (False, False, 0.5)
    assert "QUESTION-WORD" in str(rendered(made).messages[0].content) and len(rendered(made).quoted) == 2


def test_a_text_of_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text(
        "Compare {response} with {reference}. Write {{verdict}}: yes or no; {not one}", encoding="utf-8"
    )
    made = from_file(path, prompt("judge-vdr"))
    assert (made.official, made.matched, made.schema_allowed, made.contract) == (False, None, False, "binary")
    text = text_of(rendered(made))
    assert "<<<END REFERENCE>>>. Write {verdict}: yes or no; {not one}" in text and HOW not in text
    assert made.sha256 not in (
        prompt("judge-vdr").sha256,
        from_text("{response}", "x", prompt("judge-vdr")).sha256,
    )


def test_a_text_of_the_users_own_may_leave_the_form_to_the_contract() -> None:
    made = from_text("{reference} {response} {instruction}", "x", prompt("judge-vdr"))
    assert made.schema_allowed and HOW in text_of(rendered(made))


OPEN = {"options": Options(("A", "B"))}
"""A question without the texts of options."""


def test_only_a_line_that_says_nothing_else_is_left_out() -> None:
    """Not the question and the answer with it, which may stand in the same line as the options."""
    like = prompt("default-binary")
    alone = from_text("Q: {question}\nAmong: {options}\nA: {response}", "x", like)
    assert "Among" not in text_of(rendered(alone, case(**OPEN))) and "GOLD" not in text_of(rendered(alone))
    shared = from_text("Q: {question} among {options}\nA: {response}", "x", like)
    assert shared.render(case(**OPEN), {}, HOW, lambda url: url) == Invalid("judge-input-missing: options")
    assert "among" in text_of(rendered(shared))
    ours = from_text("{question} {reference_syntax} {more}\n{response} {instruction}", "x", like)
    for word in ("QUESTION-WORD", PREDICTION, HOW):
        assert word in text_of(rendered(ours, case(**OPEN)))


def test_a_text_of_a_datasets_with_names_of_its_own() -> None:
    made = from_text(
        "{gt} or {pred}?", "metadata.json", prompt("judge-vdr"), {"gt": "reference", "pred": "response"}
    )
    assert made.slots == ("reference", "response")


def test_fields_that_a_benchmark_declares_may_be_named() -> None:
    made = from_text("{response} {details}", "x", prompt("judge-vdr"), fields=["details"])
    about = case(fields={"gt_details": "DETAILS-WORD"})
    assert "DETAILS-WORD" in text_of(rendered(made, about, {"inputs": {"details": "gt_details"}}))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{respons}", r"own\.txt: nothing is known that belongs into \{respons\}; did you mean \{response\}"),
        ("{question}", r"own\.txt: it never shows the answer"),
        ("nothing", r"it never shows the answer; write \{response\}"),
    ],
)
def test_a_text_that_cannot_be_filled_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "own.txt"
    path.write_text(text)
    with pytest.raises(UsageError, match=says):
        from_file(path, prompt("judge-vdr"))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.txt: No such file"):
        from_file(tmp_path / "none.txt", prompt("hle"))
    (tmp_path / "latin.txt").write_bytes("für {response}".encode("latin-1"))
    with pytest.raises(UsageError, match="not UTF-8"):
        from_file(tmp_path / "latin.txt", prompt("hle"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD + "[messages]\nuser = '{response}'\n[respones]\n", "did you mean 'response'"),
        (GOOD + "temprature = 1\n[messages]\nuser = '{response}'\n", "did you mean 'temperature'"),
        (GOOD + "[messages]\nuser = '{response}'\nzzz = 1\n", "known: "),
        (GOOD + "[messages]\nuser = 3\n", r"messages\.user"),
        (GOOD, "missing required field `messages`"),
        (GOOD + "max_tokens = 'many'\n[messages]\nuser = '{response}'\n", "max_tokens"),
        ("= 1", "not TOML"),
    ],
)
def test_a_prompt_file_says_nothing_unknown(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read_spec(text, "own.toml")


def test_only_what_determines_the_request_changes_the_hash() -> None:
    text = GOOD + "[messages]\nuser = '{response}'\n"
    base = read_spec(text, "x").determining()
    assert read_spec(text.replace("'d'", "'other'"), "x").determining() == base
    assert read_spec("temperature = 1.0\n" + text, "x").determining() != base


def test_settings_of_the_prompts() -> None:
    assert prompt("simplevqa").max_tokens == "none"
    assert prompt("llava-bench").temperature == 0.2
    assert prompt("judge-vdr").temperature is None and prompt("judge-vdr").max_tokens is None
