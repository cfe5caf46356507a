"""Permissions: which calls are allowed, which are asked about, which are denied.

A denial anywhere wins. Otherwise the last rule that matches decides, and where none does, reading is
allowed and everything else is asked about. What a person allows "always" is remembered for this
session in this process, or for the workspace in the user's own folder; no log, fork or project
file can bring a permission along.
"""

from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache
from re import Pattern
from re import compile as compiled
from typing import Literal

from holdfast.agent.tool import Ask
from holdfast.records.entries import PermissionAsked, QuestionAsked
from holdfast.records.parts import Value

Decision = Literal["allow", "ask", "deny"]
"""What happens with a call."""

Always = Literal["", "session", "workspace"]
"""For how long an answer counts: for this call, for this session, for this workspace."""

Mode = Literal["ask", "edits", "plan"]
"""What happens with calls that no rule is about: they are asked about; or edits of files in the workspace run without a
question; or nothing runs that does more than read, whatever the rules allow."""

NEXT_MODE: dict[Mode, Mode] = {"ask": "edits", "edits": "plan", "plan": "ask"}
"""The order in which one key switches them."""

PLANNING = (
    "Plan mode is on: only reading is allowed. Look at what is needed, change nothing, and end with a plan that the"
    " person can approve."
)
"""What the model is told while it plans."""

ANYTHING = "*"

_BRACKETS = compiled(r"\[[*?\[]\]|\[")


class Rule(Value, frozen=True, kw_only=True):
    """What happens with calls of a tool about some subjects."""

    tool: str
    """The name of a tool, or a pattern such as `mcp_*`; `*` is every tool."""
    pattern: str = ANYTHING
    """What it is about: `*` stands for any characters, `?` for one; `[*]`, `[?]` and `[[]` for the character itself.
    Everything else is what it is, brackets too."""
    decision: Decision

    def __str__(self) -> str:
        """Say it as on a command line: `TOOL` or `TOOL:PATTERN`."""
        return self.tool if self.pattern == ANYTHING else f"{self.tool}:{self.pattern}"


class Question(Value, frozen=True, kw_only=True):
    """Something only a person can answer: whether a call may run, or what a tool asks."""

    id: str
    """Where the call stands: `POSITION.NUMBER`, of its reply in the log and its own in the reply, from 0. What a tool
    asks has its own number behind it, from 1. So an id never means another question, also after a restart."""
    ask: Ask | None = None
    """The call that wants to run; None for a question of a tool."""
    text: str = ""
    """What a tool asks."""
    options: tuple[str, ...] = ()
    """Answers to choose from; any other is welcome too."""


class Answer(Value, frozen=True, kw_only=True):
    """What a person said to a question."""

    allowed: bool = False
    always: Always = ""
    text: str = ""
    """The answer to a tool's question; or, with a call that is not allowed, what to do instead."""


def question_of(asked: PermissionAsked | QuestionAsked) -> Question:
    """The question that an entry tells of."""
    if isinstance(asked, QuestionAsked):
        return Question(id=asked.question, text=asked.text, options=asked.options)
    ask = Ask(tool=asked.tool, subjects=asked.subjects, title=asked.title, detail=asked.detail, form=asked.form)
    return Question(id=asked.question, ask=ask)


class Permissions:
    """Decides calls by rules, and remembers what a person allowed."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        """Begin with the rules of the settings, the weakest first."""
        self._rules = tuple(rules)
        self._granted: list[Rule] = []
        self.mode: Mode = "ask"
        """It belongs to the open conversation: nothing writes it down, so nothing brings it along."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules it began with, the weakest first."""
        return self._rules

    @property
    def granted(self) -> tuple[Rule, ...]:
        """What was decided since, the oldest first."""
        return tuple(self._granted)

    def add(self, rule: Rule) -> None:
        """Count one more rule, stronger than those before it; a denial among them still wins."""
        self._granted.append(rule)

    def forget(self, rules: Iterable[Rule] = ()) -> None:
        """Take back what was decided since the beginning, and of what it began with, these rules that allow."""
        gone = {rule for rule in rules if rule.decision == "allow"}
        self._granted.clear()
        self._rules = tuple(rule for rule in self._rules if rule not in gone)

    def decide(self, ask: Ask) -> Decision:
        """What happens with a call."""
        decisions = [self._decide(ask, subject) for subject in ask.subjects or (ANYTHING,)]
        if "deny" in decisions or self.must_wait(ask):
            return "deny"
        return "ask" if "ask" in decisions else "allow"

    def denies(self, ask: Ask) -> bool:
        """Whether a rule denies a call, whatever the mode."""
        return any(self._decide(ask, subject) == "deny" for subject in ask.subjects or (ANYTHING,))

    def must_wait(self, ask: Ask) -> bool:
        """Whether a call does more than read, while a plan is made."""
        return self.mode == "plan" and (ask.opaque or not ask.reads_only)

    def allowing(self, ask: Ask) -> str:
        """The rules that allow a call, as settings have them; '' if it needs none."""
        known = [self._known(ask, subject)[-1:] for subject in ask.subjects or (ANYTHING,)]
        return ", ".join(dict.fromkeys(str(rule) for rules in known for rule in rules))

    def grant(self, ask: Ask) -> tuple[Rule, ...]:
        """Allow calls like this one from now on; gives the rules, for whoever keeps them for longer."""
        if ask.opaque:
            return ()  # what it does cannot be told from its words, so the next one may do something else
        rules = tuple(
            Rule(tool=_literal(ask.tool), pattern=_literal(subject), decision="allow")
            for subject in ask.subjects or (ANYTHING,)
        )
        self._granted += rules
        return rules

    def _known(self, ask: Ask, subject: str) -> list[Rule]:
        """The rules about a subject, the weakest first."""
        return [rule for rule in (*self._rules, *self._granted) if _matches(rule, ask, subject)]

    def _decide(self, ask: Ask, subject: str) -> Decision:
        known = self._known(ask, subject)
        if any(rule.decision == "deny" for rule in known):
            return "deny"
        if known:
            return known[-1].decision
        if any(subject == each and self._is_named(ask, words) for each, words in ask.started):
            return "allow"
        harmless = ask.reads_only or (ask.edits and self.mode == "edits")
        return "allow" if harmless and not ask.opaque else "ask"

    def _is_named(self, ask: Ask, words: str) -> bool:
        """Whether a rule that allows a command names the program that the command starts."""
        outer = [each for each in ask.subjects if f"{each} ".startswith(f"{words} ")]
        rules = [rule for rule in (*self._rules, *self._granted) if rule.decision == "allow"]
        named = [rule for rule in rules if rule.pattern.startswith(words)]
        return any(_matches(rule, ask, each) for rule in named for each in outer)


def covers(pattern: str, text: str) -> bool:
    """Whether a pattern, as rules have them, stands for a text."""
    return _pattern(pattern).fullmatch(text) is not None


def _matches(rule: Rule, ask: Ask, subject: str) -> bool:
    if not covers(rule.tool, ask.tool):
        return False
    if ask.opaque and rule.decision == "allow":
        return rule.pattern == ANYTHING
    return covers(rule.pattern, subject)


@lru_cache(maxsize=1024)
def _pattern(text: str) -> Pattern[str]:
    # To `translate`, other brackets would be sets of characters: `app/[id]` would not deny `app/[id]`.
    return compiled(translate(_BRACKETS.sub(lambda found: "[[]" if found[0] == "[" else found[0], text)))


def _literal(subject: str) -> str:
    """A pattern that matches this subject and nothing else."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in subject)
