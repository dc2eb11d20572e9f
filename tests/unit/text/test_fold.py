import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval.text.fold import fold

CASES = [
    ("ascii", "The answer is B.", "The answer is B."),
    ("full-width-letter", "答案：Ｂ", "答案:B"),
    ("full-width-brackets", "（Ｃ）", "(C)"),
    ("minus", "−5", "-5"),
    ("en-dash", "3–5", "3-5"),
    ("em-dash", "B — cat", "B - cat"),
    ("no-break-space", "12\u00a0cm", "12 cm"),
    ("narrow-no-break-space", "1\u202f000", "1 000"),
    ("ideographic-space", "B\u3000猫", "B 猫"),
    ("zero-width-space", "\u200bB\u200b", " B "),
    ("byte-order-mark", "\ufeffB", " B"),
    ("curly-apostrophe", "isn’t", "isn't"),
    ("curly-quotes", "“B”", '"B"'),
    ("corner-quotes", "「B」", '"B"'),
    ("lenticular-brackets", "【B】", "[B]"),
    ("circled-letter", "Ⓒ", "C"),
    ("circled-digit", "③", "3"),
    ("mathematical-bold", "𝐁", "B"),
    ("mathematical-digit", "𝟓", "5"),
    ("half-width-katakana-stays", "ｱ", "ｱ"),
    ("accents-stay", "réponse", "réponse"),
    ("cjk-stays", "故选B。", "故选B。"),
    ("surrogate-stays", "\ud800", "\ud800"),
    ("direction-marks", "\u200eB\u202c \u2067C", " B   C"),
]


@pytest.mark.parametrize(("text", "folded"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_length_is_kept_and_folding_twice_is_folding_once(text: str) -> None:
    folded = fold(text)
    assert len(folded) == len(text)
    assert fold(folded) == folded


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_untouched(text: str) -> None:
    assert fold(text) is text
