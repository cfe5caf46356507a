"""What a person asked for who begins to talk: words, a conversation, a model, rules."""

from typing import Self

import msgspec

from holdfast.agent.permissions import Mode
from holdfast.commands.inputs import Inputs
from holdfast.config import Loaded
from holdfast.errors import BadInput
from holdfast.hosts.console import Console

_MODES: dict[str, Mode] = {"": "ask", "ask": "ask", "edits": "edits", "plan": "plan"}
_ONE_OF = ("continue", "new", "resume", "session")


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What a host is started with."""

    loaded: Loaded
    console: Console
    prompt: tuple[str, ...] = ()
    output: str = "text"
    """What is printed of one answer."""
    input: str = "text"
    """What is read from standard input."""
    session: str = ""
    chosen: tuple[str, ...] = ()
    """Which of `continue`, `new`, `resume` and `session` was asked for."""
    fork: bool = False
    take_over: bool = False
    model: str = ""
    mode: Mode = "ask"
    """The permission mode that the conversation begins with."""
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Inputs, console: Console, loaded: Loaded) -> Self:
        """What a command line says."""
        return cls(
            loaded=loaded,
            console=console,
            prompt=tuple(given.texts("prompt")),
            output=given.text("output"),
            input=given.text("input"),
            session=given.text("session"),
            chosen=tuple(each for each in _ONE_OF if given.flag(each)),
            fork=given.flag("fork"),
            take_over=given.flag("take_over"),
            model=given.text("model"),
            mode=_MODES[given.text("mode")],
            allow=tuple(given.texts("allow")),
            deny=tuple(given.texts("deny")),
        )

    def check(self) -> None:
        """Raise `BadInput` for what contradicts itself."""
        if len(self.chosen) > 1:
            first, second, *_ = self.chosen
            raise BadInput(f"--{first} and --{second} contradict each other.", hint="Give one of them.")
        if self.driven and self.output != "stream-json":
            raise BadInput("--input stream-json needs --output stream-json.", hint="Give both.")

    @property
    def driven(self) -> bool:
        """Whether a program drives the conversation, by lines of JSON."""
        return self.input == "stream-json"

    def wants(self, choice: str) -> bool:
        """Whether one of `continue`, `new` and `resume` was asked for."""
        return choice in self.chosen
