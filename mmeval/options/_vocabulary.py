"""The words by which a reply announces, refuses or takes back an answer.

Kept apart from the rules so that a language or a turn of phrase is added in one line. Patterns ignore case.
"""

from __future__ import annotations

import re

from mmeval.options._scan import Vocabulary, Words, stems


def _begun(line: str, pattern: str) -> Vocabulary:
    return Vocabulary(stems(line), Words(pattern))


ANNOUNCE = _begun(
    "answer answers ans option options choice choices alternative alternatives solution conclusion "
    "selection response caption sentence statement description "
    "letter verdict guess prediction choose chooses choosing chose select selects selected selecting "
    "pick picks "
    "picked picking opt opts opted opting going_with go_with goes_with say leaves settle settles "
    "settled lean leaning "
    "antwort respuesta resposta risposta antwoord cevap jawaban opcion alternativa elijo choisis "
    "lösung réponse opció odpowiedź trả wähle ответ выбираю đáp الإجابة उत्तर 答 正 应 解答 回答 "
    "정답 답 选 只有 選",
    r"\b(?:(?P<answer>answer|ans(?=[\s.:])\.?|antwort|réponse|respuesta|resposta|risposta|antwoord)|"
    r"answers|lösung|opci[oó]n|odpowiedź|"
    r"cevap|jawaban|options?|choices?|alternatives?|alternativa|trả\s+lời|solution|conclusion|"
    r"selection|response|letter|verdict|guess|prediction|caption|sentence|statement|description|"
    r"(?P<verb>choos(?:e|es|ing)|chose|select(?:s|ed|ing)?|pick(?:s|ed|ing)?|opt(?:s|ed|ing)?\s+for|"
    r"go(?:ing)?\s+with|say|leaves?(?:\s+(?:us|only|with))*|settle[sd]?\s+(?:on|for)|"
    r"lean(?:ing)?\s+towards?|wähle|elijo|choisis))\b"
    r"|ответ|выбираю|đáp án|الإجابة|उत्तर"
    r"|(?P<direct>答案|正解|答え|解答|回答|정답|답(?=[은는이:\s])|(?<![不别])选(?!项)(?:择|取)?|"
    r"正确的?是|应该?[是选为]|只有)|选项|選択肢|선택지",
)
"""A noun or verb that announces an answer. After a verb or a `direct` noun the answer may follow at once."""

JOIN = re.compile(
    r"[a-z\u00df-\u024f\u0430-\u044f']+|[:=]>?|-+>?|\u2192|不是|不选|不能是|아니|[は是为為选은는应]"
)
"""In lower-case text: the words and signs among which the joints are."""
JOINTS = frozenset(
    (
        *("is", "are", "be", "was", "being", "becomes", "matches", "equals", "as", "would", "ist", "lautet"),
        *("wäre", "est", "es", "sería", "é", "è", "adalah", "là", "это", ":", "=", "=>", "->", "-", "→"),
        *("は", "是", "为", "為", "选", "은", "는", "应"),
    )
)
"""What joins an announcement to its answer."""
NOT_JOINTS = frozenset(["isn't", "aren't", "wasn't", "n'est", "不是", "不选", "不能是", "아니"])
"""What keeps them apart."""

SENTENCE_END = re.compile(r"[.!?](?=[\s*]|\Z)|[。！？；;]|\n")
HEADING = re.compile(r"[*_#\s:]{0,6}\n[\s*_#]{0,8}")
"""An announcement on a line of its own ("### Final answer"), the answer below it."""

DOUBTS = stems(
    "if whether unless suppose supposing assume assumes assuming were wenn falls si whatever "
    "initially at_first "
    "thought might tempted incorrect wrong other another remaining eliminated rejected false "
    "distractor initial "
    "previous not isn't an_ none neither each every both these those all following instead rather "
    "than two three "
    "four between never cannot wouldn't can't don't didn't won't shouldn't couldn't isn't wasn't "
    "aren't weren't doesn't nicht ne_ no_ 如果 假设 错 不 别 没"
)
"""Words without which nothing below can be said before an announcement."""
BEFORE_HYPOTHESIS = Words(
    r"\b(?:if(?!\s+i\s+(?:had|have|must)\b)|whether|unless|suppose|supposing|assum(?:e|es|ing)|were|"
    r"wenn|falls|si|whatever|initially|at\s+first|thought|"
    r"might\s+think|tempted)\b[^.;:\n]*\Z|如果|假设"
)
IF_BEFORE = Words(r"\bif\b[^.;:,\n]*,\s*(?:then\s+)?(?:it\s+is\s+|it's\s+)?\Z")
OR_BEFORE = Words(r"\bor\s+(?:maybe\s+|perhaps\s+)?\Z")
"""What stands before a second answer that is offered beside a first one: "it is B, or it is D"."""
OR_THE = Words(
    r"\bor\s+(?:(?:maybe|perhaps|possibly)\s+)?(?:(?:it\s+is|it's)\s+)?(?:(?:an?|the)\s+)?[*\"'(]{0,3}\Z"
)
"""Between two texts that are offered beside each other."""
OR_IT = Words(r"\bor\s+(?:maybe\s+|perhaps\s+)?it\s*\Z")
POSSIBLY = Words(r"\b(?:could|may|might|can)\s+(?:(?:also|well|just|possibly)\s+)?\Z")
"""What stands before "be B" where B is offered as one possibility."""
POSSIBLY_BE = Words(r"\b(?:could|may|might|can)\s+(?:(?:also|well|just|possibly)\s+)?be\s*[*(\[]{0,3}\Z")
BEFORE_OTHER = Words(
    r"(?:\b(?:incorrect|wrong|other|another|remaining|eliminated|rejected|false|distractor|initial|"
    r"previous|"
    r"not\s+the|isn't\s+the|not\s+an?|none\s+of\s+the|neither|each|every|both|these|those|all|following|"
    r"instead\s+of|rather\s+than|than|two|three|four|between)\s+(?:(?:correct|right|best|answer|two|"
    r"three|four)\s+)?|错误的?)\Z"
)
"""An announcement of something that is not the answer: "the other options are A and B"."""
BEFORE_NOT = Words(
    r"(?:\b(?:not|never|cannot|wouldn't|can't|don't|didn't|nicht|ne|no|non|não)|n't|不|别|没)\s*(?:be\s+|"
    r"to\s+|\w{1,10}\s+)?\Z"
)

CONNECT = _begun(
    "therefore thus hence so_ so, so: consequently accordingly conclusion finally overall ultimately "
    "in_s also daher "
    "donc por_lo it_is it's it_must definitely probably certainly most_likely 因此 所以 故",
    r"\b(?:therefore|thus|hence|so|consequently|accordingly|conclusion|finally|overall|ultimately|"
    r"in\s+summary|"
    r"in\s+short|also|daher|also\s+ist\s+es|donc|por\s+lo\s+tanto|it\s+is|it's|it\s+must\s+be|"
    r"definitely|probably|"
    r"certainly|most\s+likely)\b(?:\s+(?:it\s+is|it's|it\s+must\s+be))?[\s,:]{0,4}"
    r"|(?:因此|所以|故)[,，:\s]?",
)
"""A word that draws a conclusion; the label has to follow at once."""

BEFORE_FIT = Words(
    r"\b(?:correspond(?:s|ing|ed)?\s+(?:best\s+|most\s+closely\s+)?(?:to|with)|match(?:es|"
    r"ing)?(?:\s+(?:best|exactly|most))?"
    r"(?:\s+(?:with|to))?|align(?:s|ed|ing)?(?:\s+\w+)?\s+with|consistent\s+with|closest\s+to|"
    r"described\s+by|represented\s+by|"
    r"best\s+(?:matches|describes|fits|matches\s+with)|(?:matches|fits|aligns)\s+best\s+with|"
    r"leads?\s+(?:us\s+)?to|points?\s+to|which\s+is|that\s+is|it\s+is|is|are|be)"
    r"(?:\s+(?:in|with|the|to|most|likely|therefore|thus|hence|probably))*[\s:]*\Z"
)
"""Before a label that is marked as one: says that something fits it ("matches option B", "is (B)")."""

RIGHT = Words(
    r"\s*(?:\([^()\n]{0,40}\)|:?\s*\"[^\"\n]{0,80}\"|(?:(?!\b[A-Z]\b)[^.,;:!?\n]){0,40}?)?\s*"
    r"(?:\b(?:is|are|was|(?:would|must|should|has\s+to)\s+be|seems|appears|looks)\b(?:\s+to\s+be)?"
    r"(?:\s+(?:indeed|clearly|thus|therefore|definitely|likely|most\s+likely|also))*"
    r"\s+(?:the\s+)?(?:only\s+|most\s+likely\s+|single\s+|most\s+)?"
    r"(?:correct\b|right\b(?=\s*(?:[.,;!*)]|\Z|\n|answer|option|choice|one\b))|"
    r"true\b(?=\s*(?:[.,;!*)]|\Z|\n))"
    r"|(?:best|final|intended|most\s+appropriate|appropriate)\s+(?:answer|option|choice)|answer\b)"
    r"|\s+it\s+is(?=\s*(?:[.!]|\Z))|\s+(?:fits|matches|works|suits)(?:\s+\w+){0,2}\s+(?:best|"
    r"perfectly|exactly)\b|\s+is\s+the\s+best\b"
    r"|(?:选项|項)?(?:才)?[是为]?(?:正确|对的|正しい)|[이가]?\s*(?:정답|맞))"
)
RIGHT_STEMS = stems("correct right true answer option choice best it_is perfectly exactly 正 对 정답 맞")
"""After a label: says that it is the right one."""
BETTER = Words(
    r"[^.,;:!?\n]{0,40}?\b(?:is|are|was|would\s+be|must\s+be|seems?|appears?|"
    r"looks)\b(?:\s+to\s+be)?(?:\s+(?:a|the|also|indeed|clearly))*\s*"
    r"(?:best|most|closest|nearest|more|likely|better|similar|one)\b"
    r"|\s+(?:best|most\s+closely|more\s+(?:closely|accurately))\s+\w+"
)
BETTER_STEMS = stems("best most closest nearest more likely better similar one")
"""After a marked label: says that it does better than the others."""
COMPARED = Words(r"[^.,;:!?\n(]{0,40}?\b(?:to|with|as|like)\s+[^.,;:!?\n(]{0,40}?(?=\()")
"""After a comparison: what something is compared with, up to its bracket."""
WRONG = Words(
    r"\s*(?:\([^()\n]{0,40}\)|:?\s*\"[^\"\n]{0,80}\"|"
    r",?(?:(?!\b[A-Z]\b)[^.,;:!?\n]){0,40}?)?\s*(?:\b(?:is|are|was|were|seems?|appears?|can|could|"
    r"would|does|do|did|has|have|be)\s*"
    r"(?:also\s+|clearly\s+|therefore\s+|thus\s+|be\s+|likely\s+|definitely\s+)*"
    r"(?:not|n't|incorrect|wrong|false|eliminated|excluded|rejected|ruled\s+out|out\b|unlikely|less|"
    r"too|impossible)"
    r"|cannot|can't|isn't|doesn't|aren't|wasn't|won't)"
    r"|[^.!?\n]{0,60}?[,;]\s*but\s+(?:that|this|it)\s*(?:'s|is|does|do)?\s*(?:not|n't|incorrect|wrong)"
    r"|\s*(?:是|也|都|选项)*(?:错|不|非)|ではな|ではあり|은?\s*(?:틀|아니)"
)
WRONG_STEMS = stems(
    "not isn't doesn't aren't wasn't weren't can't cannot won't couldn't wouldn't don't didn't "
    "hasn't haven't "
    "incorrect wrong false eliminated excluded rejected ruled out unlikely less too impossible "
    "错 不 非 ではな ではあり 틀 아니"
)
"""After a label: says that it is not the one."""
VERB = Words(
    r"[\s\"')*]{0,4}(?:(?:is|are|was|were|seems?|appears?|looks?|can|could|cannot|would|should|must|has|have|"
    r"does|do|did|fits?|matches|works|suits)\b|\w{2,6}n't\b)"
)
"""After an option's text: something is said of it."""
CORRECTED = Words(
    r"[\s,;.*)\]\"'-]{0,4}(?:but|rather|instead|it\s+is|it's|it\s+should\s+be|sondern|而是|"
    r",)?(?:\s+(?:rather|it\s+is|it's|instead|it\s+should\s+be))*\s*"
)

GOES_ON = Words(
    r"\s*(?:\Z|\n|[.!](?!\d)|[,;:?|(\]。，；：！、）】」]|--?>?\s|[^\x00-\x7f]|"
    r"(?:because|since|as|for|with|which|due|based|given|so|but|in|and|or|where|here|from|therefore|"
    r"according|option)\b|[*_$\\}])"
)
"""What may follow a bare label or an option's text that is the answer."""
CONDITION = Words(r"\s*(?:\?|\bif\b|\bunless\b|\bonly\s+if\b|\s(?:vs\.?|versus)\b)")
"""After a label: the statement was a question or has a condition."""

WITHDRAWN_NEXT = Words(
    r"[^.!?\n]{0,120}[.!?\n]+\s*(?:(?:no|wait|hmm|actually|sorry|oops|but)\b[\s,.!-]*){0,3}(?:that|this|it)"
    r"(?:\s+(?:answer|option|choice))?\s*(?:'s|is|was|seems|looks|must\s+be|can't\s+be|"
    r"cannot\s+be)\s*(?:also\s+)?"
    r"(?:wrong|incorrect|not\s+(?:right|correct)|a\s+mistake|an\s+error|mistaken|false)\b"
)
WITHDRAWN_LATER = _begun(
    "wait hmm hmmm oops scratch_that on_second correction actually no,_wait "
    "i_take i_was i_made let_me let_us let's 不对 错了 等等",
    r"不对|错了|等等|(?:(?<=[.!?\n*])|(?<=[.!?*):]\s)|(?<=\n\s))(?:wait\b|hmm|oops|scratch\s+that|"
    r"on\s+second\s+thoughts?|correction\b|actually,?\s+no\b|no,\s+wait|"
    r"i\s+take\s+(?:that|it)\s+back|i\s+(?:was\s+(?:wrong|mistaken)|made\s+(?:a\s+mistake|an\s+error))|"
    r"let\s+(?:me|us|'s)\s+(?:re-?\w+|double|check|think\s+again|verify|correct))",
)
REVISED = Words(
    r"\b(?:wait|however|but|actually|although|though|yet|re-?(?:check|read|examin|evaluat|consider|calculat|comput|think|visit|assess|count|view|interpret|do)\w*|let\s+me|let\s+us|correct(?:ed|ion|ing)|instead|"
    r"mistake\w*|error|close(?:st|r)|nearest|rather|sorry|no|not|hmm|oops|if|unless|still|options|choices)\b|n't\b|不|错"
)
"""Between two announcements: the second may correct the first."""
REFUSAL = _begun(
    "can't cannot can_not couldn't unable not_ don't do_not impossible sorry difficult hard unclear "
    "unsure insufficient none "
    "抱歉 无法",
    r"\b(?:can't|cannot|can\s+not|couldn't|unable|not\s+(?:sure|possible|certain|clear|enough|able)|"
    r"don't\s+know|do\s+not\s+know|"
    r"impossible|sorry|difficult\s+to|hard\s+to|unclear|unsure|insufficient|"
    r"none\s+of\s+the\s+(?:above|options|choices|given|provided))\b|抱歉|无法",
)
UNDECIDED = _begun(
    "not_possible impossible difficult challenging hard_to all_four all_of they_all any_of",
    r"(?:(?:not\s+possible|impossible|difficult|challenging|hard)\s+to\s+(?:definitively\s+|accurately\s+|"
    r"confidently\s+|make\s+a\s+)?(?:definitively|determine|decide|tell|definitive|choose|select)\b)"
    r"|(?:all\s+four|all\s+of\s+them|they\s+all|any\s+of\s+them)\b[^.\n]{0,40}\b(?:could|might|appear|seem)\b",
)
"""After all: nothing is decided."""
JUDGED = Words(
    r"(?P<right>✓|✔|✅|(?<![\w-])(?<!not\x20)(?<!n't\x20)(?:(?:this\s+)?is\s+)?(?:the\s+)?correct"
    r"(?=\s*(?:[.!)*|:]|\Z|\n|answer|option|choice)))"
    r"|✗|✘|❌|\b(?:incorrect|wrong|false|not\s+(?:the\s+)?correct|isn't\s+correct|does\s+not|doesn't|"
    r"not\s+match)\b"
)
"""A verdict on one option in a list of them; the last one on an option counts."""
BEFORE_STEMS = stems("not_ neither nor_ never only_")
ONLY_BEFORE = Words(r"\bonly\s+(?:(?:option|choice|answer)\s+)?[(\[*]{0,3}\Z")
ONLY_AFTER = Words(
    r"\s+(?:is|fits?|matches|works|satisfies|remains|makes|has|shows|would|could|can|meets|agrees|"
    r"corresponds|describes)\b"
)
"""Around a label: "only C fits"."""
NOT_BEFORE = Words(
    r"\b(?:(?:not|nor|never)\s+(?:(?:option|choice|caption|sentence|statement|description|image|point)\s+)?|"
    r"neither\s+(?:[a-z]{2,12}\s+){0,2})[(\[*]{0,3}\Z"
)
"""Right before a label: says that it is not the one."""
NEXT_QUESTION = Words(
    r"\n[\s*#]{0,6}(?:hint\s*:[^\n]{0,200}\n[\s*#]{0,6})?(?:\[question\]|(?:question|hint)\s*\d{0,3}[*]{0,2}\s*:)"
)
"""Where a reply that has answered asks the next question."""
NEGATION = Words(
    r"\b(?:not|no|never|neither|nor|none|without|cannot|instead\s+of|than(?=[^,;:]*\Z)|different\s+from|opposed\s+to|"
    r"unlike|except|"
    r"excluding|nicht|"
    r"kein\w*|pas|if|whether|or)\b|n't\b|不|没|非|無"
)
"""Before an option's text: it is denied, or only considered."""
STATES = Words(r"\b(?:is|are|was|were|shows|depicts|represents|called|named|indicates|would\s+be|will)\b")
"""In an opening sentence, before an option's text: it is stated."""
CONCLUDE = _begun(
    "therefore thus hence so_ so, so: consequently "
    "in_conclusion in_summary overall finally based_on 因此 所以",
    r"(?<![A-Za-z'-])(?:therefore|thus|hence|so|consequently|in\s+conclusion|overall|in\s+summary|"
    r"finally|(?<!is )(?<!was )(?<!are )based\s+on)\b"
    r"|因此|所以",
)
"""Begins a sentence that concludes."""
MULTIPLE = Words(
    r"\b(?:select|choose|mark|check|pick)\s+(?:all|every|one\s+or\s+more)\b|all\s+that\s+apply|"
    r"more\s+than\s+one\s+(?:answer|option)|multiple\s+(?:answers|options|choices)\s+(?:are|may|can)|"
    r"多选|多项"
)
