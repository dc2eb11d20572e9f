import pytest

from mmeval.options._gold import gold_letters
from mmeval.types import Options, Sample

FOUR = Options(("A", "B", "C", "D"), ("cat", "dog", "None of these", "10 cm"), "options")
ODD = Options(("A", "B", "C"), ("(b)", "C", "x"), "options")
TWICE = Options(("A", "B", "C"), ("cat", "cat", "dog"), "options")
NUMBERED = Options(tuple(map(str, range(1, 13))), tuple(f"item {n}" for n in range(1, 13)), "options")
UNKNOWN = Options(tuple("ABCDEF"))

CASES = [
    ("letter", FOUR, ("B",), "B"),
    ("lower-case", FOUR, ("b",), "B"),
    ("bracketed", FOUR, ("(B)",), "B"),
    ("full-stop", FOUR, ("B.",), "B"),
    ("full-width", FOUR, ("Ｂ",), "B"),
    ("comma", FOUR, ("A,C",), "A,C"),
    ("order-of-options", FOUR, ("C, A",), "A,C"),
    ("and", FOUR, ("A and C",), "A,C"),
    ("oxford", FOUR, ("A, B, and C",), "A,B,C"),
    ("ampersand", FOUR, ("A & C",), "A,C"),
    ("slash", FOUR, ("A/C",), "A,C"),
    ("semicolon", FOUR, ("A;C",), "A,C"),
    ("space", FOUR, ("A C",), "A,C"),
    ("brackets", FOUR, ("(A),(C)",), "A,C"),
    ("several-references", FOUR, ("A", "C"), "A,C"),
    ("same-twice", FOUR, ("A", "A"), "A"),
    ("text", FOUR, ("dog",), "B"),
    ("text-loose", FOUR, ("none  of These",), "C"),
    ("beyond-the-labels", FOUR, ("E",), "E"),
    ("text-in-brackets-before-letter", ODD, ("(b)",), "A"),
    ("label-before-text", ODD, ("C",), "C"),
    ("number", NUMBERED, ("10",), "10"),
    ("no-options", UNKNOWN, ("(D)",), "D"),
    ("label-and-its-text", FOUR, ("B. Dog",), "B"),
    ("bracketed-label-and-its-text", FOUR, ("(D) 10  cm",), "D"),
    ("label-and-any-text-without-options", UNKNOWN, ("B. ice skating",), "B"),
    ("label-and-another-text", FOUR, ("B. cat",), None),
    ("label-and-text-without-a-mark", UNKNOWN, ("A dog",), None),
    ("text-twice", TWICE, ("cat",), None),
    ("run-together", FOUR, ("AC",), None),
    ("other-text", FOUR, ("horse",), None),
    ("blank", FOUR, (" ",), None),
    ("missing", FOUR, (), None),
]


@pytest.mark.parametrize(
    ("options", "references", "letters"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_gold_letters(options: Options, references: tuple[str, ...], letters: str | None) -> None:
    sample = Sample(1, "", options, list(references), references, (), "mcq")
    assert gold_letters(sample) == letters
