"""Questions that a turn waits on: how they are put, and what an answer means.

The default is no: whatever is not plainly a yes allows nothing.
"""

from holdfast.agent.permissions import Answer, Question
from holdfast.records.printable import printable, printable_line

YES, NO = Answer(allowed=True), Answer()
SESSION, WORKSPACE = Answer(allowed=True, always="session"), Answer(allowed=True, always="workspace")
UNANSWERED = "(The person gave no answer.)"

_KEYS = {"y": YES, "n": NO, "a": SESSION, "w": WORKSPACE}
_WORDS = {"yes": "y", "no": "n", "always": "a"}


def by_key(question: Question, key: str) -> Answer | None:
    """What one key says to a question; None if it says nothing."""
    if question.ask is None or (question.ask.opaque and key in {"a", "w"}):
        return None
    return _KEYS.get(key)


def by_words(question: Question, words: str) -> Answer:
    """What a line says to a question: for a permission, anything but a plain yes is what to do instead."""
    said = words.strip()
    if question.ask is None:
        return Answer(text=_chosen(question, said) or UNANSWERED)
    low = said.lower()
    return by_key(question, _WORDS.get(low, low)) or Answer(text=said)


def refusal(question: Question) -> Answer:
    """What it means to turn a question down."""
    return NO if question.ask is not None else Answer(text=UNANSWERED)


def _chosen(question: Question, said: str) -> str:
    if said.isascii() and said.isdecimal() and 1 <= int(said) <= len(question.options):
        return question.options[int(said) - 1]
    return said


def is_own(question: Question) -> bool:
    """Whether a command of the chat asks, and not a tool."""
    return question.ask is not None and not question.ask.tool


def asked(question: Question) -> list[str]:
    """The question, in lines."""
    if question.ask is not None:
        title = printable_line(question.ask.title, 400)
        return [f"Allow: {title}?" if question.ask.tool else title]
    options = (f"  {number}. {printable_line(each, 200)}" for number, each in enumerate(question.options, start=1))
    return [*printable(question.text).splitlines(), *options]


def ways(question: Question) -> str:
    """How it can be answered."""
    if question.ask is None:
        number = " or its number" if question.options else ""
        return f"write your answer{number}, then Enter · Esc gives none"
    if not question.ask.tool:
        return "y yes · n no (or Enter)"
    longer = "" if question.ask.opaque else " · a always in this session · w in this workspace"
    return f"y yes · n no (or Enter){longer} · or say what to do instead"


def ways_in_words(question: Question) -> str:
    """The same where answers are lines."""
    if question.ask is None:
        return "Write your answer" + (" or its number." if question.options else ".")
    longer = "" if question.ask.opaque else " a for always in this session, w for always in this workspace,"
    instead = " or what to do instead" if question.ask.tool else ""
    return f"Write y for yes, n for no,{longer}{instead}. An empty line is no.".replace(",.", ".")
