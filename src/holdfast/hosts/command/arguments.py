"""What a command of the table consists of, and the arguments that several commands have."""

from typing import NamedTuple


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


class Command(NamedTuple):
    """One command."""

    name: str
    group: str
    help: str
    """One line."""
    handler: str
    """The module and the function that do it."""
    arguments: tuple[Argument, ...] = ()
    details: str = ""
    """More lines, for its own help and the reference."""
    examples: tuple[str, ...] = ()
    dashes: bool = False
    """Whether words that begin with a dash are values here: `tag notes -old`."""
    secret: bool = False
    """Whether a word that does not belong here may be a key, which no message repeats."""


JSON = Argument(("--json",), "print JSON for programs")
KEY = Argument(("key",), "the session's key, as `holdfast sessions` lists it", completes="keys")
YES = Argument(("-y", "--yes"), "do not ask")
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
