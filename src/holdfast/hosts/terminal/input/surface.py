"""The surface of a chat and the actions of its user, as protocols: output and input, and what hears them.

There are two surfaces: a screen that is redrawn, and plain lines for terminals and readers that cannot
have that. The talk behind them is the same.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from holdfast.agent.permissions import Answer, Question
from holdfast.hosts.terminal.dialogs.io import DialogIO
from holdfast.hosts.terminal.input.unsent import Draft

Result = TypeVar("Result")


class UserActions(Protocol):
    """What a person does."""

    @property
    def busy(self) -> bool:
        """Whether something runs that can be stopped."""
        ...

    @property
    def listening(self) -> bool:
        """Whether everything is said and done, and it is their turn."""
        ...

    def said(self, message: Draft, *, after: bool = False) -> None:
        """They sent a message; with `after`, for when the turn is over."""
        ...

    def go_on(self) -> None:
        """They pressed Enter and had typed nothing: what was broken off goes on."""
        ...

    def paste_picture(self) -> None:
        """They want the picture in the clipboard in their message."""
        ...

    def next_mode(self) -> None:
        """They want the next permission mode."""
        ...

    def typed(self, draft: Draft) -> None:
        """What they have typed and not sent is this now."""
        ...

    def answered(self, question: Question, answer: Answer) -> None:
        """They answered a question."""
        ...

    def stop(self) -> None:
        """They want what runs to stop."""
        ...

    def leave(self) -> None:
        """They want to go."""
        ...


class SurroundingLines(Protocol):
    """What stands around the input, as text with colours in it; each line fits."""

    def live(self, columns: int, rows: int) -> list[str]:
        """What is not finished yet."""
        ...

    def status(self, columns: int) -> str:
        """The line below the input."""
        ...


class Surface(Protocol):
    """What a person sees and types on."""

    def show(self, text: str) -> None:
        """Print finished lines; they are never touched again."""
        ...

    def refresh(self) -> None:
        """What is not finished has changed."""
        ...

    def ask(self, question: Question) -> None:
        """Put a question."""
        ...

    def withdraw(self, question: str) -> None:
        """A question needs no answer any more."""
        ...

    def put(self, draft: Draft) -> None:
        """Put a message into the input, before what was typed already."""
        ...

    async def aside(self, work: Callable[[DialogIO], Awaitable[Result]]) -> Result:
        """Lend the terminal to a choice until it is made."""
        ...

    def clear(self) -> None:
        """Begin with an empty screen."""
        ...

    def forget(self) -> None:
        """Bring nothing back that was typed in another session, or before the list was cleared."""
        ...

    async def run(self) -> None:
        """Take what a person does, until `leave` is called or the terminal is gone."""
        ...

    def leave(self) -> None:
        """Take nothing more."""
        ...
