"""The default option rules: replies that announce their answer.

The texts are our own, in the manner of models. Each row: the rule that reads (or the reason why
nothing is read), the options, the reply, the option.
"""

import pytest

from mmeval.options.robust import RULES
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

ANIMALS = ("cat", "dog", "fox", "owl")
IMAGES = ("the first image", "the second image", "the third image", "the fourth image")
NUMBERS = ("12", "24", "36", "48")
YES_NO = ("Yes", "No")
TEN = tuple(f"opt {letter}x" for letter in "abcdefghij")

# fmt: off
CASES = [
    ("cue", ANIMALS, "**Answer:** C", "C"),
    ("cue", ANIMALS, "### Final Answer\n\nC. fox", "C"),
    ("cue", ANIMALS, "Answer: option C", "C"),
    ("cue", ANIMALS, "The correct option is **(C) fox**", "C"),
    ("cue", ANIMALS, "Thus, the answer is:\n\n(C)", "C"),
    ("cue", ANIMALS,
     "1. Option A shows a cat, which has no mane.\n2. Option B shows a dog.\n3. Option C "
     "shows a fox.\n4. Option D shows an owl.\n\nThe animal has a bushy tail, therefore "
     "the answer is C.", "C"),
    ("cue", ANIMALS, "The answer is B. Note that A is a common distractor.", "B"),
    ("cue", ANIMALS, "I would go with option D.", "D"),
    ("cue", ANIMALS, "I'd pick (D), the owl.", "D"),
    ("cue", ANIMALS, "Based on the image, the best choice is D", "D"),
    ("cue", ANIMALS, "ANSWER: A\nHmm, no.\nANSWER: B", "B"),
    ("cue", ANIMALS, "A. cat\nB. dog\nC. fox\nD. owl\n\nAnswer: D", "D"),
    ("cue", ANIMALS, "I can't tell, but my best guess is B.", "B"),
    ("cue", ANIMALS, "Die richtige Antwort ist B.", "B"),
    ("cue", ANIMALS, "Antwort: (B)", "B"),
    ("cue", ANIMALS, "La bonne réponse est B.", "B"),
    ("cue", ANIMALS, "Réponse : B", "B"),
    ("cue", ANIMALS, "La respuesta correcta es B.", "B"),
    ("cue", ANIMALS, "Respuesta: B", "B"),
    ("cue", ANIMALS, "A resposta correta é B.", "B"),
    ("cue", ANIMALS, "La risposta corretta è B", "B"),
    ("cue", ANIMALS, "Ответ: B", "B"),
    ("cue", ANIMALS,
     "答案是B", "B"),
    ("cue", ANIMALS,
     "正确答案是B。", "B"),
    ("cue", ANIMALS,
     "答案为（B）", "B"),
    ("cue", ANIMALS,
     "选B", "B"),
    ("cue", ANIMALS,
     "故选：B", "B"),
    ("cue", ANIMALS,
     "因此，选择C。", "C"),
    ("cue", ANIMALS,
     "应选D", "D"),
    ("cue", ANIMALS,
     "本题选B。", "B"),
    ("cue", ANIMALS,
     "正解はBです", "B"),
    ("cue", ANIMALS,
     "答えは(B)です。", "B"),
    ("cue", ANIMALS,
     "正しい答えはBです", "B"),
    ("cue", ANIMALS,
     "정답은 B입니다.", "B"),
    ("cue", ANIMALS,
     "답: B", "B"),
    ("cue", ANIMALS,
     "不选A，选B", "B"),
    ("cue", ANIMALS, "Đáp án: B", "B"),
    ("cue", ANIMALS, "Jawaban: B", "B"),
    ("cue", ANIMALS,
     "Let's analyze each option:\n\n**A. cat** - The ears do not match.\n**B. dog** - "
     "This matches the image.\n**C. fox** - No.\n**D. owl** - No.\n\nTherefore, the "
     "correct answer is **B. dog**.", "B"),
    ("cue", ANIMALS,
     "The correct answer is B) dog.\n\nExplanation: A) cat is wrong since it has no "
     "collar.", "B"),
    ("cue", ANIMALS, "The answer should be B because it barks.", "B"),
    ("cue", ANIMALS, "My answer is B", "B"),
    ("cue", ANIMALS, "So the answer is B", "B"),
    ("cue", ANIMALS, "the answer is b", "B"),
    ("cue", ANIMALS, "The answer is (b).", "B"),
    ("cue", ANIMALS, "The answer is \"B\".", "B"),
    ("cue", ANIMALS, "The other options, A and C, are wrong. The answer: B", "B"),
    ("cue", ANIMALS, "I choose B.", "B"),
    ("cue", ANIMALS, "I select option (B).", "B"),
    ("cue", ANIMALS, "I will not choose A. I choose B.", "B"),
    ("cue", ANIMALS, "Answer:\n\nB", "B"),
    ("cue", ANIMALS, "Answer is: B", "B"),
    ("cue", ANIMALS, "Ans: B", "B"),
    ("cue", ANIMALS, "Correct Answer: B. dog", "B"),
    ("cue", ANIMALS, "Correct option: B", "B"),
    ("cue", ANIMALS, "The answer is Option B: dog", "B"),
    ("cue", ANIMALS, "The choice is B!", "B"),
    ("cue", ANIMALS, "I believe the answer is B", "B"),
    ("cue", ANIMALS,
     "The correct answer is:\n\n**B. dog**\n\nThe animal shown is a dog, not a cat (A) "
     "or a fox (C).", "B"),
    ("cue", ANIMALS, "The answer could be A or B, but I choose B.", "B"),
    ("cue", ANIMALS, "Among the given options, the animal that barks is B. dog.", "B"),
    ("cue", ANIMALS, "The answer that best fits is B.", "B"),
    ("cue", ANIMALS, "The best answer is B: dog", "B"),
    ("cue", ANIMALS, "Hence, the correct option is (b).", "B"),
    ("cue", ANIMALS, "so the correct answer would be option B, dog.", "B"),
    ("cue", ANIMALS, "The answer is A. Actually, no, the answer is B.", "B"),
    ("cue", ANIMALS,
     "Let's examine the options one by one.\n\n**Option A (cat)**: Cats have slit "
     "pupils; the animal does not.\n\n**Option B (dog)**: The muzzle is long, but the "
     "tail isn't dog-like.\n\n**Option C (fox)**: Red fur, bushy tail. This "
     "matches.\n\n**Option D (owl)**: No feathers.\n\nTherefore, the best answer "
     "is:\n\n**C. fox**", "C"),
    ("cue", ANIMALS, "It looks like a dog at first, however the stripes indicate a cat. Answer: A", "A"),
    ("cue", ANIMALS, "Sure! The answer is (B).", "B"),
    ("cue", ANIMALS, "Certainly! Here's the answer:\n\nB. dog", "B"),
    ("cue", ANIMALS,
     "The answer: **B) dog**\n\n*Reasoning*: It's barking; A) cat can be excluded.", "B"),
    ("cue", ANIMALS, "answer is option (b)", "B"),
    ("cue", NUMBERS,
     "To determine the answer, we compare the areas.\n\nArea of A: 12\nArea of B: "
     "24\n\nHence the total is 36.\n\n**Answer: C**", "C"),
    ("cue", NUMBERS, "Thus x = 48.\n\nThe answer is D.", "D"),
    ("cue", ANIMALS,
     "Let me think step by step.\n\nFirst, option A says cat. The ears are floppy so "
     "it's not a cat.\nOption C says fox; the tail isn't bushy.\nOption D is an owl, "
     "clearly not.\n\nTherefore, by elimination, the answer must be B.", "B"),
    ("cue", ANIMALS, "<think>\nOK, maybe B.\n</think>\n\nThe correct answer is **C**.", "C"),
    ("cue", ANIMALS, "The best option is **B: dog**.", "B"),
    ("cue", ANIMALS, "**Correct option: (B)**", "B"),
    ("cue", ANIMALS, "Correct Option - B", "B"),
    ("cue", ANIMALS, "Answer: The correct answer is B.", "B"),
    ("cue", ANIMALS, "So, the final answer is: (B) dog.\n\nLet me know if you need more help!", "B"),
    ("cue", ANIMALS, "The answer is B.\n\nNo other option fits the picture.", "B"),
    ("cue", ANIMALS, "I would say B, though A is also plausible.", "B"),
    ("cue", ANIMALS, "I am torn between A and B, but I'll go with B.", "B"),
    ("cue", ANIMALS, "Answer - B", "B"),
    ("cue", ANIMALS, "Answer: [B]", "B"),
    ("cue", ANIMALS, "The answer is \\(B\\).", "B"),
    ("cue", ANIMALS, "The answer is $\\mathbf{B}$.", "B"),
    ("cue", ANIMALS, "The answer is __B__", "B"),
    ("cue", ANIMALS, "Selected option: B", "B"),
    ("cue", ANIMALS, "My choice: B", "B"),
    ("cue", ANIMALS, "Prediction: B", "B"),
    ("cue", ANIMALS, "Response: B", "B"),
    ("cue", ANIMALS, "The answer cannot be A. The answer is D.", "D"),
    ("cue", ANIMALS, "The correct choice, given the floppy ears, is B.", "B"),
    ("cue", ANIMALS, "The animal shown in the image is a dog. Therefore, the correct option is B.", "B"),
    ("cue", ANIMALS,
     "根据图片，动物有下垂的耳朵，因此正确答案是 B。", "B"),
    ("cue", ANIMALS,
     "图中是狗，所以选B。", "B"),
    ("cue", ANIMALS,
     "综上所述，答案选择B", "B"),
    ("cue", ANIMALS,
     "答案：(B) dog", "B"),
    ("cue", ANIMALS,
     "选项A错误，选项C错误，选项D错误，所以选B", "B"),
    ("cue", ANIMALS,
     "A、B、C都不对，选D", "D"),
    ("cue", ANIMALS,
     "正确选项为：C", "C"),
    ("cue", ANIMALS,
     "我选择B。", "B"),
    ("cue", ANIMALS,
     "【答案】B", "B"),
    ("cue", ANIMALS,
     "【答案】：B", "B"),
    ("cue", ANIMALS,
     "答案是A，不对，应该是B。", "B"),
    ("cue", ANIMALS,
     "回答: B", "B"),
    ("cue", ANIMALS,
     "正解は「B」です。", "B"),
    ("cue", ANIMALS,
     "正解はＢ。", "B"),
    ("cue", ANIMALS,
     "정답은 (B)입니다.", "B"),
    ("cue", ANIMALS,
     "답은 B입니다", "B"),
    ("cue", ANIMALS,
     "따라서 정답은 B이다.", "B"),
    ("cue", ANIMALS, "La réponse correcte est la B.", "B"),
    ("cue", ANIMALS, "Die Antwort lautet B.", "B"),
    ("cue", ANIMALS, "La respuesta es la opción B.", "B"),
    ("cue", ANIMALS, "La opción correcta es B.", "B"),
    ("cue", ANIMALS, "A alternativa correta é B.", "B"),
    ("cue", ANIMALS, "Правильный ответ: B", "B"),
    ("cue", ANIMALS, "Câu trả lời đúng là B.", "B"),
    ("cue", TEN, "The answer is I.", "I"),
    ("cue", TEN, "I believe the answer is J.", "J"),
    ("cue", TEN, "I would choose I.", "I"),
    ("cue", ANIMALS, "Explanation: dogs bark.\nAnswer: B\n\nExplanation: The cat doesn't.", "B"),
    ("cue", ANIMALS,
     "The correct answer is D, owl. The other options are wrong: A is a cat, B is a dog, "
     "C is a fox.", "D"),
    ("cue", ANIMALS, "A: cat\nB: dog\nC: fox\nD: owl\nThe picture shows feathers. Answer is D", "D"),
    ("cue", ANIMALS, "I don't see any animal, but if I had to guess, I'd say B.", "B"),
    ("cue", ANIMALS, "I cannot be certain, but the answer is likely B.", "B"),
    ("cue", ANIMALS, "The answer is B because option A is incorrect and C is incorrect.", "B"),
    ("cue", ANIMALS, "The answer is B.\nThe answer is B.\nThe answer is B.", "B"),
    ("cue", ANIMALS,
     "The correct answer is (B) dog. The cat in option (A) has been ruled out because it "
     "is smaller.", "B"),
    ("cue", ANIMALS,
     "Question: Which animal is shown?\nA. cat\nB. dog\nC. fox\nD. owl\nAnswer: B. dog", "B"),
    ("cue", ANIMALS, "**Conclusion**: C", "C"),
    ("cue", ANIMALS, "That leaves C.", "C"),
    ("cue", ANIMALS, "That leaves us with option C.", "C"),
    ("cue-corrected", ANIMALS, "The answer is not A, it is B.", "B"),
    ("cue-corrected", ANIMALS, "It is not A but C.", "C"),
    ("cue-corrected", ANIMALS, "The correct option is neither A nor B; it's C.", "C"),
    ("cue-corrected", ANIMALS, "The correct answer is not B. It is C.", "C"),
    ("cue-corrected", ANIMALS, "The answer isn't B but C.", "C"),
    ("cue-corrected", ANIMALS, "Die Antwort ist nicht A, sondern B.", "B"),
    ("cue-text", ANIMALS, "The answer is A dog", "B"),
    ("cue-text", ANIMALS, "The answer is a dog.", "B"),
    ("cue-text", ANIMALS, "The answer is dog (B).", "B"),
    ("cue-text", NUMBERS, "The answer is 24.", "B"),
    ("cue-text", YES_NO, "The answer is no, because the light is off.", "B"),
    ("cue-text", YES_NO, "Answer: Yes", "A"),
    ("cue-text", ANIMALS,
     "**Step 1:** Look at the ears.\n**Step 2:** Look at the tail.\n\n**Conclusion:** "
     "The animal is a fox (C).", "C"),
]
# fmt: on


def sample(reply: str, texts: tuple[str, ...], gold: str = "B") -> Sample:
    options = Options(tuple("ABCDEFGHIJ"[: len(texts)]), texts, "options")
    return Sample(1, "", options, gold, (gold,), (reply,), "mcq")


@pytest.mark.parametrize(
    ("rule", "texts", "reply", "value"), CASES, ids=[f"{row[0]}-{at}" for at, row in enumerate(CASES)]
)
def test_rule(rule: str, texts: tuple[str, ...], reply: str, value: str | None) -> None:
    reading = RULES.rule(reply, sample(reply, texts), Knobs())
    assert (reading.found.value, reading.found.rule) == (value, rule)
    assert reading.hit == (None if value is None else value == "B")
