"""The default option rules on replies of many models: what other families of models write.

The texts are our own, in the manner of models. Each row: the rule that reads (or the reason why nothing is
read), the options, the reply, the option.
"""

import pytest

from mmeval.options.robust import RULES
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

ANIMALS = ("cat", "dog", "fox", "owl")
BERRIES = ("bilberry", "cherry", "currant")
CAPTIONS = ("A boy is skating.", "A boy is swimming.")
DENIALS = ("It is hot.", "It is not hot.", "None of these is correct.")
YES_NO = ("Yes", "No")
SPEEDS = ("real time", "time-lapse", "slow motion")
NUMBERS = ("12", "24", "36", "48")
PARTS = ("the part shown as option C", "the part shown as option A", "the part shown as option B")
ORDERS = ("B, A, C", "C, A, B", "A, B, C")
TALK = "The ball takes long to fall, the dust hangs in the air, and the players hardly seem to move. " * 3
UNKNOWN = ()
FORMULAS = (r"$\pi$", r"$\frac{3 \pi}{2}$", r"$2 \pi$", r"$80-20\pi$")
RATIOS = ("$1: 2$", "$2: 3$", "$1: 1$", "$\\frac{120}{17}$")

# fmt: off
CASES = [
    # the text of an option as a formula, set otherwise (replies to MATH-Vision, mathllm/MATH-V @ a1f5cc3)
    ("boxed", FORMULAS, r"So it is \boxed{2\pi}.", "C"),
    ("boxed", FORMULAS, r"\boxed{80 - 20\pi}", "D"),
    ("boxed", FORMULAS, r"\boxed{\dfrac{3\pi}{2}}", "B"),
    ("option-text", FORMULAS, "2π", "C"),
    ("no-option-found", FORMULAS, r"\boxed{80 + 20\pi}", None),
    ("option-text", RATIOS, "1:1", "C"),
    ("option-text", RATIOS, "120/17", "D"),
    ("no-option-found", RATIOS, "17/120", None),
    # offered, not answered: reported by a reader of a comparison, 2026-12
    ("two-options-found", CAPTIONS, "It could be A or it could be B.", None),
    ("two-options-found", CAPTIONS, "It may be A; it may also be B.", None),
    ("two-options-found", CAPTIONS, "Maybe it is A, or it is B.", None),
    ("closing-label", CAPTIONS, "It could be B.", "B"),
    ("two-options-found", BERRIES, "It is either bilberry or currant.", None),
    ("two-options-found", BERRIES, "bilberry or cherry", None),
    ("two-options-found", BERRIES, "Bilberry, or maybe cherry.", None),
    ("text-alone", BERRIES, "It is a bilberry, not a cherry.", "A"),
    ("text-alone", BERRIES, "I was asked whether it is a cherry or a currant. It is a currant.", "C"),
    # what the question calls its options
    ("bare-label", CAPTIONS, "Caption B", "B"),
    ("bare-label", CAPTIONS, "Sentence B.", "B"),
    ("label-and-text", CAPTIONS, "Description B: A boy is swimming.", "B"),
    ("lead-label", CAPTIONS, "Caption B: A boy is swimming.\n\nWater can be seen all around him.", "B"),
    ("cue", CAPTIONS, "The better caption is **Caption B: A boy is swimming.** He is in a pool.", "B"),
    ("cue", CAPTIONS, "The best sentence for this clip is Sentence A.", "A"),
    ("no-option-found", CAPTIONS, "Neither caption A nor caption B is correct.", None),
    # an option's own words say nothing of it
    ("cue", DENIALS, "The right choice is (B) It is not hot.", "B"),
    ("cue", DENIALS, "The correct answer is (C) None of these is correct.", "C"),
    ("cue", YES_NO, "The answer is (B). No, the wall is not red.", "B"),
    ("cue", YES_NO, "The correct option is B: no, there are not fewer chairs than tables.", "B"),
    ("withdrawn", ANIMALS, "The answer is (B) dog. But (B) dog is not possible.", None),
    # several options, each with its text
    ("two-options-found", ANIMALS, "The correct answer is (A) cat and (C) fox.", None),
    ("two-options-found", ANIMALS, "The answers are (B) dog, (C) fox.", None),
    ("no-option-found", ANIMALS, "The animals in the picture are (A) cat and (D) owl.", None),
    ("cue", ANIMALS, "The answer is (B) dog, and (A) cat is wrong.", "B"),
    # options that are listed, not chosen
    ("no-option-found", UNKNOWN, "The correct answer is:\n\n(A) point A\n(B) point B\n(C) point C", None),
    ("no-option-found", UNKNOWN, "Please choose one:\n(A) picture A\n(B) picture B\nWhich is it?", None),
    ("cue", ANIMALS, "The correct answer is:\n\n(B) dog\n\nThe ears hang down.", "B"),
    # what is only compared with
    ("text-in-conclusion", SPEEDS,
     "The clouds race by. So the clip is shown as time-lapse, as opposed to slow motion.", "B"),
    ("no-option-found", SPEEDS,
     "People hurry by. That impression is based on motion that is faster than in real time.", None),
    # boxes: a label with its text; a text elsewhere is no answer where the box holds none
    ("boxed", NUMBERS, r"So the area is $\boxed{\textbf{(C) }36 \text{ cm}^2}$.", "C"),
    ("boxed", NUMBERS, r"Hence $n = \boxed{(B)\ 24}$", "B"),
    ("two-options-found", NUMBERS, r"Both fit: $\boxed{\text{(A) } 12, \text{(C) } 36}$.", None),
    ("letter-text-conflict", NUMBERS, r"Thus $\boxed{\textbf{(A) }24}$", None),
    ("no-option-found", NUMBERS, r"There are 12 rows. So the sum is $\boxed{30}$.", None),
    ("cue", NUMBERS, r"The sum is $\boxed{30}$. The answer is: (B)", "B"),
    # numbers in a calculation
    ("no-option-found", NUMBERS, "So x = (12) + (18) = 30.", None),
    ("no-option-found", NUMBERS, "width = 24\nheight = 10\nprint(width * height)", None),
    ("no-option-found", NUMBERS, "choices = [12, 24, 36, 48]\nprint(max(choices))", None),
    ("text-alone", NUMBERS, "With 3 rows of 8 there are 24.", "B"),
    # "the answer is" said of several, and nothing revised
    ("two-options-found", ANIMALS, "The answer is (A).\n\nThe answer is (D).\n\nThe answer is (B).", None),
    ("two-options-found", ANIMALS,
     "It barks. The answer is (B).\n\nTaking all answers together:\nThe answer is (C).", None),
    ("cue", ANIMALS, "The answer is (B).\nWait, the tail is bushy.\nThe answer is (C).", "C"),
    ("cue", ANIMALS, "The answer is (B). However, the closest answer on offer is (C).", "C"),
    ("cue", ANIMALS, "Options:\n(A) cat\n(B) dog\n(C) fox\n(D) owl\n\nIt barks.\n\nAnswer: B", "B"),
    # a reply that goes on to further questions
    ("cue", ANIMALS,
     "It barks. The answer is (B) dog.\n\nQuestion: Which animal flies?\nChoices:\n(A) cow\n(B) bee\n"
     "(C) eel\n(D) ox\n\nThe answer is (D) ox.", "B"),
    ("label-and-text", ANIMALS,
     "(C) fox\n\nHint: Give the letter of one option.\nQuestion: Is it a bird?\n(A) yes\n(B) no", "C"),
    ("cue", ANIMALS, "Let me restate it.\n\nQuestion: Which one is it?\n(A) cat\n(B) dog\nAnswer: (B)", "B"),
    # lower case
    ("label-and-text", ANIMALS, "(b) dog", "B"),
    ("label-and-text", YES_NO, "a) yes", "A"),
    ("no-option-found", ANIMALS, "(b) a lynx", None),
    # options whose texts name labels themselves
    ("cue", PARTS, "The correct answer is (A) the part shown as option C.", "A"),
    ("label-and-text", PARTS, "(b) the part shown as option A", "B"),
    ("cue", ORDERS, "By size they are C, A, B. The answer is (B) C, A, B.", "B"),
    ("option-text", ORDERS, "C, A, B", "B"),
    ("letter-text-conflict", PARTS, "The answer is (A) the part shown as option A.", None),
    # a thing that bears a label is compared, first of all
    ("subject", UNKNOWN, "Point B is closer to the camera, while point A is further away.", "B"),
    ("subject", UNKNOWN, "A is darker. The wall at A lies in full light and still looks darker.", "A"),
    ("subject", ("A", "B", "C"), "C appears taller than the rest.", "C"),
    ("two-options-found", UNKNOWN, "A is brighter at first sight. B is brighter in the shade.", None),
    ("no-option-found", ANIMALS, "B is darker than the others.", None),
    ("no-option-found", UNKNOWN, "A is under the table.", None),
    # "A:" for "answer"
    ("no-option-found", ANIMALS, "A: There is an animal with a long tail on the left.", None),
    ("lead-label", ANIMALS, "A: cat, as the ears show.", "A"),
    ("text-alone", ANIMALS, "A: This is clearly one dog.", "B"),
    # undecided after all, or on a condition
    ("no-option-found", UNKNOWN,
     "The third image (C) is the most natural one. Still, it is not possible to determine which one is real, "
     "as they all could be.", None),
    ("declared-best", UNKNOWN, "The third image (C) is the most natural one. The others are overlit.", "C"),
    ("no-option-found", UNKNOWN, "If it is the smallest, it is most likely D. Nobody can measure it.", None),
    ("declared-best", UNKNOWN,
     "The boxes are:\n\nBox A: 3 by 4\n\nBox B: 5 by 6\n\nHence Box B more accurately encloses it.", "B"),
    # "point A" is what another option says
    ("text-in-conclusion", ("point C", "point A", "point B"), "So the deepest place is at point A.", "B"),
    ("letter-text-conflict", PARTS, "The answer is option A.", None),
    ("cue", PARTS, "The answer is (A).", "A"),
    # the option's text in an opening statement of a longer reply
    ("text-in-opening", SPEEDS, "The clip is shown in slow motion. " + TALK, "C"),
    ("no-option-found", SPEEDS, "The clip is not shown in slow motion. " + TALK, None),
    ("no-option-found", SPEEDS, "The clip is shown in slow motion. " + TALK + " It may be time-lapse.", None),
    ("no-option-found", NUMBERS, "The number of rows is 24. " + TALK, None),
    # several, or none, of the things shown
    ("no-option-found", UNKNOWN, "Images (A), (B), and (D) are more likely to be real than the rest.", None),
    ("no-option-found", UNKNOWN, "Neither bounding box A nor B holds the cloth. Box A holds a jug.", None),
    # taken back in the same breath: which letter counts would be a guess
    ("withdrawn", ANIMALS, "The answer is A, no wait, B.", None),
    ("withdrawn", ANIMALS, "The answer is A... no, B.", None),
    ("withdrawn", ANIMALS, "A. No, B.", None),
    ("withdrawn", ANIMALS, "The answer is A. Sorry, I meant B.", None),
    ("withdrawn", ANIMALS, "The answer is A, or rather B.", None),
    ("withdrawn", ANIMALS, "The answer is A, no wait, actually I am not sure.", None),
    ("withdrawn", ANIMALS, "Answer: A\nActually, B.", None),
    ("lead-label", ANIMALS, "A. No other animal has such a tail.", "A"),
    ("cue", ANIMALS, "The answer is A. Actually, a cat can be seen twice.", "A"),
    ("cue", ANIMALS, "The answer is B, not A.", "B"),
]
# fmt: on


def sample(reply: str, texts: tuple[str, ...], gold: str = "B") -> Sample:
    labels = tuple("ABCDEFGHIJ"[: len(texts) or 4])
    options = Options(labels, texts, "options" if texts else "none")
    return Sample(1, "", options, gold, (gold,), (reply,), "mcq")


@pytest.mark.parametrize(
    ("rule", "texts", "reply", "value"), CASES, ids=[f"{row[0]}-{at}" for at, row in enumerate(CASES)]
)
def test_rule(rule: str, texts: tuple[str, ...], reply: str, value: str | None) -> None:
    reading = RULES.rule(reply, sample(reply, texts), Knobs())
    assert (reading.found.value, reading.found.rule) == (value, rule)
    assert reading.hit == (None if value is None else value == "B")
