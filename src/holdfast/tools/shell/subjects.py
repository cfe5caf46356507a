"""The subjects of a shell command, as permission rules match them.

A command line is taken apart into simple commands; each is a subject, written in one way: `"r"m  -f x`
is `rm -f x`. A program called by its path is a subject twice, with the path and without, and so is
what a wrapper such as `timeout 5` starts. All subjects must be allowed, so a second one never loosens
anything, and one that is denied is found. What may do more than its words say is opaque, and says why.
A rule that denies is a guard rail: a program can always be told to do something in another way.
"""

import re
from collections.abc import Sequence

from holdfast.errors import ToolFailed
from holdfast.records.parts import Value
from holdfast.tools.shell.known_programs import WRAPPERS, Wrapper, hazard, is_shell, usual
from holdfast.tools.shell.lexer import Operator, Word, pieces, read
from holdfast.tools.shell.runners import UNSURE, started_from

DEEPEST = 40
"""How far commands inside commands are looked into; what has more inside is not run."""

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^]]*\])?\+?=", re.ASCII)
_PROGRAM = re.compile(r"[A-Za-z0-9_./+\[:@%,-]+", re.ASCII)
_REDIRECTIONS = frozenset({"<", ">", ">>", ">|", "<>", "&>", "&>>", "<<", "<<-", "<<<", ">&", "<&"})
_JOINED = re.compile(r"[0-9]+|-")
_SEVERAL = re.compile(r"[ \t\n;|&]")
"""What a word must have in it to be more than the name of a program."""
_PIPES = frozenset({"|", "|&"})
_TRANSPARENT = frozenset({"{", "}", "!"})
_COMPOUND = frozenset("if then else elif fi while until do done for case esac select function [[ ]] in".split())
_NO_COMMAND = frozenset({"for", "case", "select"})
"""Words after which come names, not a command."""
_MOST_SUFFIXES = 200


class CommandSubjects(Value, frozen=True, kw_only=True):
    """What a command is about."""

    subjects: tuple[str, ...]
    """Its simple commands, and `> path` for each file it writes by redirection, `< path` for each it reads."""
    surprises: tuple[str, ...] = ()
    """Why it may do more than its subjects say; empty if each word of it stands for itself."""
    started: tuple[tuple[str, str], ...] = ()
    """Subjects that a runner starts, each with the beginning of the runner's own subject up to their program."""


def understood(command: str) -> CommandSubjects:
    """Take a command line apart. Raises `ToolFailed` where commands stand too deep inside each other to be seen."""
    found = _Found()
    found.look(command, 0)
    return CommandSubjects(
        subjects=tuple(found.subjects) or (command.strip(),),
        surprises=tuple(found.surprises),
        started=tuple(found.started.items()),
    )


class _Found:
    """What was found so far; dicts, because the order counts and a thing is said once."""

    def __init__(self) -> None:
        self.subjects: dict[str, None] = {}
        self.surprises: dict[str, None] = {}
        self.started: dict[str, str] = {}
        self._looked: set[str] = set()

    def look(self, text: str, depth: int) -> None:
        """Take a command line apart that stands in `depth` others."""
        if text in self._looked:
            return
        self._looked.add(text)
        _check_depth(depth)
        reading = read(text)
        self.surprises.update(dict.fromkeys(reading.surprises))
        command: list[Word] = []
        earlier: list[Word] = []
        target = ""
        before = ""
        for token in reading.tokens:
            if isinstance(token, Operator):
                target = token.text if token.text in _REDIRECTIONS else ""
                self._notice_parenthesis(before, token.text, command)
                if not target:
                    self._simple(command, depth)
                    earlier += command
                    command = []
                before = token.text
            elif target:
                self._redirected(target, token, depth)
                target = before = ""
            else:
                command.append(token)
                before = ""
        self._simple(command, depth)
        if any(isinstance(each, Operator) and each.text in _PIPES for each in reading.tokens):
            self._piped((*earlier, *command), depth)
        for each in reading.inner:
            self.look(each, depth + 1)

    def _piped(self, words: Sequence[Word], depth: int) -> None:
        """Where a shell in a pipe reads commands, those before it may write them."""
        if self.surprises and any(is_shell(_basename(word)) for word in words):
            self._all_inside(words, depth)

    def _notice_parenthesis(self, before: str, now: str, command: Sequence[Word]) -> None:
        if now == "(" and (command or before == "("):
            self.surprises["a function or a calculation"] = None

    def _redirected(self, operator: str, target: Word, depth: int) -> None:
        if operator.startswith("<<"):
            self.surprises["a here-document"] = None
            if operator == "<<<":
                self._inside(target.text, depth)
        elif operator in {">&", "<&"} and _JOINED.fullmatch(target.text):
            return  # one output joined to another
        elif target.shown != "/dev/null":
            sign = "<" if operator in {"<", "<&"} else ">"
            self.subjects[f"{sign} {target.shown}"] = None
            self.surprises["a file that is read or written by redirection"] = None

    def _simple(self, words: Sequence[Word], depth: int) -> None:
        for word in words:
            if _ASSIGNMENT.match(word.raw):
                self._inside(word.text, depth)
        words = self._without_keywords(words)
        if not words:
            return
        shown = " ".join(word.shown for word in words)
        self.subjects[shown] = None
        name = words[0].text
        if not words[0].plain or not _PROGRAM.fullmatch(name):
            self.surprises["a program whose name is not plain"] = None
        if not words[0].plain:  # it may come to nothing, and what follows is the program then
            self._all_inside(words, depth)
        if "/" in name:
            name = name.rsplit("/", 1)[1]
            self.subjects[" ".join([name, *(word.shown for word in words[1:])])] = None
        self._arguments(name, words, depth)

    def _without_keywords(self, words: Sequence[Word]) -> Sequence[Word]:
        """The words from the program on; what stands before it is noticed."""
        at = 0
        while at < len(words):
            word = words[at].raw
            at += 1
            if word in _TRANSPARENT:
                continue
            if word in _COMPOUND:
                self.surprises["a compound command"] = None
                if word in _NO_COMMAND:
                    at = _after_do(words, at)
                elif word == "function":
                    at += 1
            elif _ASSIGNMENT.match(word):
                self.surprises["a variable that is set"] = None
            else:
                return words[at - 1 :]
        return ()

    def _arguments(self, name: str, words: Sequence[Word], depth: int) -> None:
        name, arguments = usual(name), [word.text for word in words[1:]]
        if wrapper := WRAPPERS.get(name):
            _check_depth(depth)
            self._simple(words[_wrapped(wrapper, arguments) + 1 :], depth + 1)
        if (at := started_from(name, arguments)) is not None:
            self._started(name, words, at + 1, depth)
        if name == "git":
            self._git(words)
        if why := hazard(name, arguments):
            self.surprises[why] = None
            self._all_inside(words, depth)

    def _started(self, name: str, words: Sequence[Word], at: int, depth: int) -> None:
        """What `uv run` and its like start."""
        _check_depth(depth)
        if at == UNSURE + 1:
            self.surprises[f"an option of `{name}`, which runs other commands"] = None
            self._all_inside(words, depth)
            return
        command = list(words[at:])
        if name == "hatch" and command and ":" in command[0].text:  # the environment, and what runs in it
            program = command[0].text.partition(":")[2]
            command[0] = Word(text=program, raw=program, plain=command[0].plain)
        if command:
            self.started[" ".join(word.shown for word in command)] = " ".join(word.shown for word in words[: at + 1])
            self._simple(command, depth + 1)

    def _git(self, words: Sequence[Word]) -> None:
        """`git -C x push` is a `git push` too."""
        rest = list(words[1:])
        while rest and rest[0].text.startswith("-"):
            taken = 2 if rest[0].text in {"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env"} else 1
            rest = rest[taken:]
        self.subjects[" ".join(["git", *(word.shown for word in rest)])] = None

    def _all_inside(self, words: Sequence[Word], depth: int) -> None:
        """Where any of the arguments may begin a command, each is taken for one; only what is denied comes of it."""
        begins = [at for at, word in enumerate(words) if at and not _no_program(word)]
        for at in begins[:_MOST_SUFFIXES]:
            self.subjects[" ".join([_basename(words[at]), *(word.shown for word in words[at + 1 :])])] = None
        for word in words[1:]:
            self._inside(word.text, depth)

    def _inside(self, text: str, depth: int) -> None:
        """What of one word may be commands: all of it, what an option is given, what stands in quotes or brackets."""
        if not _SEVERAL.search(text):
            return
        values = [text.partition("=")[2], text.rpartition("=")[2], text[2:] if text.startswith("-") else ""]
        for each in (text, *values, *pieces(text)):
            self.look(each.lstrip("!: \t"), depth + 1)


def _check_depth(depth: int) -> None:
    if depth > DEEPEST:
        raise ToolFailed(
            f"The command has commands inside commands, more than {DEEPEST} deep.", hint="Write it more simply."
        )


def _after_do(words: Sequence[Word], start: int) -> int:
    """Where that begins what a loop over names does, if it stands in the same line: `for name do rm x`."""
    return next((at + 1 for at in range(start, len(words)) if words[at].raw == "do"), len(words))


def _no_program(word: Word) -> bool:
    return word.text.startswith("-") or _ASSIGNMENT.match(word.raw) is not None


def _basename(word: Word) -> str:
    return word.text.rsplit("/", 1)[-1] if word.plain and "/" in word.text else word.shown


def _wrapped(wrapper: Wrapper, arguments: Sequence[str]) -> int:
    """How many arguments belong to the wrapper itself."""
    operands, value = wrapper.operands, False
    for at, argument in enumerate(arguments):
        if value:
            value = False
        elif argument.startswith("-"):
            value = _takes_next(argument, wrapper.valued)
        elif operands:
            operands -= 1
        else:
            return at
    return len(arguments)


def _takes_next(option: str, valued: Sequence[str]) -> bool:
    """Whether the next argument belongs to an option: `-k`, `-vk`, `--kill-after`, and `--kill` for that."""
    if option.startswith("--"):
        return len(option) > len("--") and any(each.startswith(option) for each in valued)
    letters = [at for at, letter in enumerate(option) if f"-{letter}" in valued]
    return bool(letters) and letters[0] == len(option) - 1
