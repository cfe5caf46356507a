"""Slash commands in the chat: what each gives back is shown, or done."""

from base64 import b64encode
from typing import Protocol, assert_never

from holdfast.errors import BadInput
from holdfast.hosts.slash.answer import (
    Bar,
    Cleared,
    Confirm,
    Copied,
    Facts,
    Moved,
    PickBranch,
    PickSession,
    Plot,
    Quit,
    SlashAnswer,
    SwitchTo,
    Table,
    Themed,
    Typed,
    Words,
)
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.plain import text_of
from holdfast.hosts.slash.run import run
from holdfast.hosts.terminal.drafts import Draft
from holdfast.hosts.terminal.room import Room
from holdfast.hosts.terminal.surface import Surface

MOST_COPIED = 100_000
"""Characters that terminals take into the clipboard."""


class Errands(Protocol):
    """What commands let a chat do."""

    room: Room
    surface: Surface

    async def switch(self, key: str) -> None:
        """Go on in another session."""
        ...

    async def confirm(self, question: str) -> bool:
        """Ask yes or no."""
        ...

    def leave(self) -> None:
        """Leave."""
        ...


async def run_line(line: str, errands: Errands) -> None:
    """Run a line that begins with a slash. Raises `HoldfastError`."""
    room = errands.room
    for answer in await run(line, SlashDesk(agent=room.agent, conversation=room.conversation)):
        await _do(answer, errands)


async def _do(answer: SlashAnswer, errands: Errands) -> None:  # noqa: C901
    surface = errands.surface
    match answer:
        case Words():
            from holdfast.hosts.terminal.markdown import markdown_lines

            lines = markdown_lines(answer.markdown, errands.room.columns, errands.room.theme)
            surface.show("".join(f"{line}\n" for line in [*lines, ""]))
        case Facts() | Table() | Bar() | Plot():
            surface.show(text_of([answer], errands.room.columns) + "\n\n")
        case SwitchTo():
            await errands.switch(answer.key)
        case PickSession():
            await _pick_session(answer.query, errands)
        case PickBranch() | Moved():
            surface.show(text_of([answer], errands.room.columns) + "\n\n")
        case Typed():
            surface.put(Draft(text=answer.text))
        case Confirm():
            if await errands.confirm(answer.question):
                await run_line(answer.then, errands)
            else:
                surface.show("Nothing was done.\n\n")
        case Copied():
            _copy(answer, errands)
        case Cleared():
            surface.clear()
        case Themed():
            errands.room.use_theme(answer.name)
        case Quit():
            errands.leave()
        case _:
            assert_never(answer)


async def _pick_session(query: str, errands: Errands) -> None:
    raise BadInput("No session is named.", hint="Give its name: /resume NAME.")


def _copy(answer: Copied, errands: Errands) -> None:
    """Put text into the clipboard of whoever looks at the terminal, through the terminal itself."""
    if len(answer.text) > MOST_COPIED:
        raise BadInput(f"This is {len(answer.text):,} characters, too much for a clipboard.", hint="/export writes it.")
    data = b64encode(answer.text.encode("utf-8", "replace")).decode()
    errands.surface.show(f"\x1b]52;c;{data}\x07")
    errands.surface.show(f"Copied {answer.what}, if your terminal lets programs do that.\n\n")
