"""What a command consists of: its name, its arguments, what it needs, and how it is written in a shell and in a chat.

An argument is declared once. In a shell it is a place or an option; a chat has a shorter form of it, or none. Nothing
is imported here, so that help and completion are there at once.
"""

from typing import Literal, NamedTuple, TypeAlias

Reach: TypeAlias = Literal["conversation", "store", "own files", "terminal"]
"""What a command works on: the conversation one is in; other conversations of the store; paths on the person's machine;
the terminal itself. A host states which of them it grants."""

EVERYTHING: frozenset[Reach] = frozenset({"conversation", "store", "own files", "terminal"})
"""What a person has who sits at the machine."""

ChatForm: TypeAlias = Literal["", "word", "rest", "switch", "@", "#"]
"""How an argument is written after a slash command: not at all; as the first word, if it is a number or one of the
choices; as all that is left; as an option at the end; as a position `@42`; as a number `#2` at the end."""

Takes: TypeAlias = Literal["", "command", "session", "model", "theme", "setting", "format", "branch", "tool"]
"""What can be completed after a slash command."""

Kept: TypeAlias = Literal["all", "line", "nothing"]
"""What the log keeps of a slash command: with what it showed, only that it was run, or nothing."""

TALK, LOOK, CHANGE, REMOVE, CARE = "Talk", "Look", "Change", "Remove", "Look after"
SHELL_GROUPS = (TALK, LOOK, CHANGE, REMOVE, CARE)

TALKING, SESSIONS, COURSE, WINDOW, AGENT, LOOKING, LEAVING = (
    "Talking",
    "Sessions",
    "Going back and aside",
    "What the model sees",
    "The agent",
    "Looking up and taking along",
    "Leaving",
)
CHAT_GROUPS = (TALKING, SESSIONS, COURSE, WINDOW, AGENT, LOOKING, LEAVING)


class Argument(NamedTuple):
    """Something a command is given."""

    names: tuple[str, ...]
    """One word for a place, words with dashes for an option."""
    help: str
    value: str = ""
    """What the value of an option is called; an option without is a switch."""
    number: bool = False
    least: int = 0
    """The lowest number there is."""
    many: str = ""
    """`?`, `*` or `+`: how often a place may be filled."""
    choices: tuple[str, ...] = ()
    default: str | int | None = None
    completes: str = ""
    """What may stand here: keys, trash, tags or files."""
    repeats: bool = False
    """Whether an option may be given more than once."""
    shell: bool = True
    """Whether there is such an argument in a shell."""
    chat: ChatForm = ""
    reach: Reach | None = None
    """What is needed to give it, beside what its command needs."""

    @property
    def name(self) -> str:
        """The name that its value is found by."""
        return self.names[-1].lstrip("-").replace("-", "_")

    @property
    def is_option(self) -> bool:
        """Whether it is given by name."""
        return self.names[0].startswith("-")

    @property
    def shown(self) -> str:
        """How it is written in a line of usage."""
        if self.is_option:
            return f"{self.names[-1]} {self.value}".strip()
        return {"": "{}", "?": "[{}]", "*": "[{}…]", "+": "{}…"}[self.many].format(self.names[0].upper())


class InShell(NamedTuple):
    """How a command is offered in a shell."""

    group: str = ""
    """Where it stands in the help; '' if it is not offered."""
    help: str = ""
    """One line."""
    details: str = ""
    """More lines, for its own help and the reference."""
    examples: tuple[str, ...] = ()
    dashes: bool = False
    """Whether words that begin with a dash are values here: `tag notes -old`."""
    secret: bool = False
    """Whether a word that does not belong here may be a key, which no message repeats."""


class InChat(NamedTuple):
    """How a command is offered in a conversation."""

    group: str = ""
    """Where it stands in the help; '' if it is not offered."""
    help: str = ""
    """One line."""
    arguments: str = ""
    """What it is given, as in a line of usage."""
    aliases: tuple[str, ...] = ()
    details: str = ""
    """More, for its own help and for the reference."""
    takes: Takes = ""
    kept: Kept = "all"


class Command(NamedTuple):
    """One command."""

    name: str
    """Without the slash."""
    handler: str
    """The module of `commands` and the function in it; '' where the host itself does it."""
    reach: tuple[Reach, ...] = ()
    """What it needs."""
    arguments: tuple[Argument, ...] = ()
    shell: InShell = InShell()
    chat: InChat = InChat()

    @property
    def options(self) -> tuple[Argument, ...]:
        """What it is given in a shell."""
        return tuple(each for each in self.arguments if each.shell)

    @property
    def usage(self) -> str:
        """How it is written in a chat."""
        return f"/{self.name} {self.chat.arguments}".rstrip()


JSON = Argument(("--json",), "print JSON for programs")
KEY = Argument(("key",), "a key, the beginning of one, a title, or `@last`", completes="keys", reach="store")
YES = Argument(("-y", "--yes"), "do not ask", chat="switch")
REPLACE = Argument(("--replace",), "replace a file that exists", shell=False, chat="switch")
BRANCH = Argument(
    ("--branch",),
    "the branch that ends at this position, or `all` for every entry of the log",
    value="POSITION",
)
LIMIT = 50
"""How many sessions a list has unless another number is asked for."""
STORE = Argument(
    ("--store",), "the folder with the sessions, instead of HOLDFAST_STORE", value="PATH", completes="files"
)


def words(name: str, about: str, *choices: str) -> Argument:
    """An argument of a slash command alone: all that is left of its line."""
    return Argument((name,), about, choices=choices, shell=False, chat="rest")
