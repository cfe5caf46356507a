"""What the built-in demo model is kept from: long replies, repeating itself, and tasks it cannot do.

It is small enough to promise anything. A message that asks it to look at files or to run something is
therefore answered by a fixed line, which says what can do it, and not by the model.
"""

import re

from holdfast.context.system_text import PLAIN
from holdfast.model.protocol import Request, UserMessage
from holdfast.providers.local.first_model import ways
from holdfast.records.parts import plain_text

REPLY = 200
"""Tokens of a reply."""
LONG = 400
"""Characters; a longer message is something to read, and not a short order."""

_ENDS = frozenset(".!?")
_SHORTEST = 8
"""Letters of a line that counts: a brace or a fence of code stands in a text often."""
_NO_WORD = re.compile(r"[\W_]+")

_DOING = (
    "read|open|show|list|look|check|run|execute|start|launch|build|compile|test|fix|edit|change|modify|rename|move|copy"
    "|delete|remove|create|write|save|make|add|put|install|update|upgrade|search|find|grep|count|review|refactor"
    "|analy[sz]e|summari[sz]e|explain|describe|commit|push|pull|clone|download|fetch|debug|format|lint|print|tell|go|convert|visit|browse|clean|generate|replace|rewrite|sort"
    "|unzip|extract|compress|use|inspect|scan|profile|deploy|configure|compare|translate"
    "|give me an? (?:summary|list|overview)"
)
_THING = (
    "files?|folders?|director(?:y|ies)|projects?|repo(?:sitory)?|code(?:base)?|workspace|tests?|test suite|scripts?"
    "|programs?|app|build|server|dependencies|packages?|branch|changes|commits?|diff|logs?|modules?|desktop|disk"
    "|computer|machine|downloads|command|shell|terminal|readme|makefile|bug|tree|processes"
)
_HERE = "this|these|my|our|the current|the"
_PATH = (
    r"(?:(?<![\w/.])(?:~|\.{1,2})?/[\w.-]+[\w./-]*"
    r"|\b[\w-][\w./-]*\.(?:py|md|txt|toml|json|ya?ml|[jt]sx?|c|cpp|h|rs|go|java|rb|sh|csv|log|html|css|ini|cfg|lock|pdf|sql)\b"
    r"|\bhttps?://\S+)"
)
_BEGIN = r"(?:^|[.!?;,:]\s+|\b(?:and|then|please|to|me|lets|let's|you|just)\s+)"
"""Where an order begins."""
_ASKS_HOW = re.compile(
    r"(?:how (?:do|can|could|should|would|to)\b|how does (?:one|a|an)\b|what(?:'s| is| are) an? |what does\b.*\bmean\b"
    r"|what (?:do|does) (?!this|my|our|the)[\w -]+ do\b|who |when )",
    re.IGNORECASE,
)
"""How a question begins that asks for knowledge."""
_OF_HERE = rf"\b(?:{_HERE}|all|any|every|a new|new|which)(?: [\w.*-]+){{0,2}} (?:{_THING})\b"
_ORDERED = (
    rf"{_BEGIN}(?:{_DOING})\b[^?!]*?(?:{_OF_HERE}|\b(?:{_THING}) (?:here|in here|in this)\b|{_PATH}|`[^`]+`"
    r"|\b(?:npm|pip|make|git|cargo|docker|pytest) \w+)"
    rf"|^(?:list|show|count) (?:running |open |hidden )?(?:{_THING})\b|{_BEGIN}grep\b"
    rf"|{_BEGIN}(?:run|execute|start|launch) (?:pytest|make|git|npm|npx|ls|python3?|cargo|docker|ruff|mypy|it)\b"
    rf"|{_BEGIN}(?:add|write|create|make) (?:a |an |some )?(?:unit |new |more )?tests? for\b"
    rf"|{_BEGIN}(?:check|show|tell)\b[^?!]*\b(?:disk|memory|cpu) (?:usage|space|use)\b"
)
"""An order about something that is here: "run the tests", "rename a.py", "list all files"."""
_ASKED = (
    r"^(?:what|which|how|where|why|is|are|does|do|can|could|any)\b.*\b(?:this|these|my|our|the current)"
    rf" (?:[\w-]+ ){{0,2}}(?:{_THING})\b"
    r"|^(?:what|which)\b.*\b(?:is|are|do (?:i|we) have) installed\b"
    r"|^(?:what|which) (?:files|folders|changes)\b.*\b(?:i|we|here)\b|^what (?:has )?changed in the (?:last|latest)\b"
    rf"|\b(?:{_THING}) (?:are |is |do (?:i|we) have )?(?:here|in here)\b|\bwhat(?:'s| is) (?:in )?here\b"
    rf"|\bwhat(?:'s| is| does| do| are)\b.*{_PATH}"
)
"""A question about something that is here: "what is in this folder", "which files are here"."""
_TYPED = (
    r"^(?:\$ \S|(?:ls|pwd|whoami|pytest|git (?:status|diff|log|add|commit|push|pull|clone|checkout|branch|show)"
    r"|make (?:test|check|build|install|run|all|clean)|(?:npm|pip|cargo|docker|apt|brew|uv|go) [a-z]+(?: \S+)?$"
    r"|(?:cat|cd|rm|mkdir|head|tail|grep|find|curl|python3?|bash|sh|touch|mv|cp) (?:-\S+ )*\S*[./~*]\S*)(?:\s|$))"
)
"""A command as it would be typed in a shell."""
_TASK = re.compile(f"{_ORDERED}|{_ASKED}|{_TYPED}", re.IGNORECASE | re.MULTILINE)

CANNOT = "The built-in demo model cannot look at files or run anything; a real model can."


def is_task(text: str) -> bool:
    """Whether a message clearly asks to look at files or pages, to change them, or to run something."""
    text = text.strip()
    return bool(text) and len(text) <= LONG and not _ASKS_HOW.match(text) and _TASK.search(text) is not None


def refusal(request: Request) -> str:
    """What a request is answered without asking the model: what to do instead; '' if the model is to answer."""
    last = request.messages[-1] if request.messages else None
    # Only a conversation has this system text; a title or a summary is asked for with words of its own.
    if not (isinstance(last, UserMessage) and request.system.startswith(PLAIN) and is_task(plain_text(last.parts))):
        return ""
    key, ollama = ways()
    return f"{CANNOT} To get one {key}. Or {ollama}. Then start Holdfast again."


class Unrepeated:
    """The words of a reply up to the first line or sentence that it has said already."""

    def __init__(self) -> None:
        """Nothing was said."""
        self._said: set[str] = set()
        self._line = ""
        self._shown = 0
        self.over = False
        """Whether it began to repeat itself."""

    def take(self, text: str) -> str:
        """More words; gives those that can be shown, so not a line that may turn out to be a repeated one."""
        shown = ""
        for character in text:
            self._line += character
            if character == "\n" or (character == " " and self._line[-2:-1] in _ENDS):
                shown += self.rest()
                if self.over:
                    return shown
            elif not any(said.startswith(_plain(self._line)) for said in self._said):
                shown += self._line[self._shown :]
                self._shown = len(self._line)
        return shown

    def rest(self) -> str:
        """What was held back of a line that has ended; nothing, if it was said before."""
        line, words = self._line[self._shown :], _plain(self._line)
        self._line, self._shown = "", 0
        if words in self._said:
            self.over = True
            return ""
        if len(words) >= _SHORTEST:
            self._said.add(words)
        return line


def _plain(line: str) -> str:
    """A line as it is compared: its letters and digits."""
    return _NO_WORD.sub(" ", line).strip().casefold()
