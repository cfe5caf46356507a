"""Slash commands in the chat: what each gives back is shown, or done."""

from base64 import b64encode
from typing import Protocol, assert_never

from holdfast.commands.answers import (
    Bar,
    Cleared,
    CommandAnswer,
    Confirm,
    Copied,
    Data,
    DocumentFile,
    Facts,
    Moved,
    Note,
    PickBranch,
    PickSession,
    PlainLines,
    Plot,
    Prose,
    Quit,
    SwitchTo,
    Table,
    Themed,
    Transcript,
    Typed,
)
from holdfast.commands.context import ConversationContext
from holdfast.commands.run import run_line as answers_to
from holdfast.commands.text.plain import text_of
from holdfast.errors import BadInput
from holdfast.hosts.terminal.drafts import Draft
from holdfast.hosts.terminal.markdown import markdown_lines
from holdfast.hosts.terminal.room import Room
from holdfast.hosts.terminal.spans import wrapped_text
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

    def say(self, lines: list[str]) -> None:
        """Print lines of our own."""
        ...

    def leave(self) -> None:
        """Leave."""
        ...


async def run_line(line: str, errands: Errands) -> None:
    """Run a line that begins with a slash. Raises `HoldfastError`."""
    room = errands.room
    context = ConversationContext(agent=room.agent, conversation=room.conversation, forget_typed=errands.surface.forget)
    for answer in await answers_to(line, context):
        await _do(answer, errands)


async def _do(answer: CommandAnswer, errands: Errands) -> None:
    match answer:
        case Prose() | Note() | PlainLines() | Facts() | Table() | Bar() | Plot() | Moved():
            _print(answer, errands)
        case DocumentFile():
            await _print_document(answer, errands)
        case SwitchTo():
            await errands.switch(answer.key)
        case PickSession():
            await _pick_session(answer.query, errands)
        case PickBranch():
            await _pick_branch(answer, errands)
        case Confirm():
            if await errands.confirm(answer.question):
                await run_line(answer.then, errands)
            else:
                errands.say(["Nothing was done."])
        case Typed() | Copied() | Cleared() | Themed() | Quit() | Data() | Transcript():
            _act(answer, errands)
        case _:
            assert_never(answer)


def _act(answer: Typed | Copied | Cleared | Themed | Quit | Data | Transcript, errands: Errands) -> None:
    match answer:
        case Typed():
            errands.surface.put(Draft(text=answer.text))
        case Copied():
            _copy(answer, errands)
        case Cleared():
            errands.surface.clear()
        case Themed():
            errands.room.use_theme(answer.name)
        case Quit():
            errands.leave()
        case Data() | Transcript():  # for programs, and for hosts that show all of a conversation
            pass
        case _:
            assert_never(answer)


def _print(answer: CommandAnswer, errands: Errands) -> None:
    room = errands.room
    if isinstance(answer, Prose):
        lines = markdown_lines(answer.markdown, room.columns, room.theme)
    else:
        lines = text_of([answer], room.columns).splitlines()
    errands.say(lines)


async def _print_document(document: DocumentFile, errands: Errands) -> None:
    text = b"".join([piece async for piece in document.pieces]).decode("utf-8", "replace")
    errands.say(markdown_lines(text, errands.room.columns, errands.room.theme))


async def _pick_session(query: str, errands: Errands) -> None:
    from holdfast.hosts.terminal.picker import pick_session

    key = await errands.surface.aside(lambda means: pick_session(errands.room.agent, query, means))
    if key is not None:
        await errands.switch(key)


async def _pick_branch(tree: PickBranch, errands: Errands) -> None:
    from holdfast.hosts.terminal.picker import pick_branch

    number = await errands.surface.aside(lambda means: pick_branch(tree.choices, means))
    if number is None:
        _print(tree, errands)
    else:
        await run_line(f"/tree {number}", errands)


def _copy(answer: Copied, errands: Errands) -> None:
    """Put text into the clipboard of whoever looks at the terminal, through the terminal itself."""
    if len(answer.text) > MOST_COPIED:
        raise BadInput(f"This is {len(answer.text):,} characters, too much for a clipboard.", hint="/export writes it.")
    data = b64encode(answer.text.encode("utf-8", "replace")).decode()
    errands.surface.show(f"\x1b]52;c;{data}\x07")
    said = f"Copied {answer.what}, if your terminal lets programs do that."
    errands.say(wrapped_text(said, errands.room.columns))
