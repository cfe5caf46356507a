"""Slash commands in the chat: what each gives back is shown, or done."""

from base64 import b64encode
from typing import Protocol, assert_never

from holdfast.commands.answers import (
    Bar,
    Choose,
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
from holdfast.commands.text.plain_text import text_of
from holdfast.commands.text.width import wrap
from holdfast.errors import BadInput
from holdfast.hosts.terminal.chat.state import ChatState
from holdfast.hosts.terminal.draw.markdown import markdown_lines
from holdfast.hosts.terminal.draw.spans import wrapped_text
from holdfast.hosts.terminal.input.surface import Surface
from holdfast.hosts.terminal.input.unsent import Draft
from holdfast.records.printable import printable

MOST_COPIED = 100_000
"""Characters that terminals take into the clipboard."""


class ChatActions(Protocol):
    """What commands let a chat do."""

    chat_state: ChatState
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


async def run_line(line: str, actions: ChatActions) -> None:
    """Run a line that begins with a slash. Raises `HoldfastError`."""
    chat_state = actions.chat_state
    context = ConversationContext(
        agent=chat_state.agent, conversation=chat_state.conversation, forget_typed=actions.surface.forget
    )
    for answer in await answers_to(line, context):
        await _do(answer, actions)


async def _do(answer: CommandAnswer, actions: ChatActions) -> None:
    match answer:
        case Prose() | Note() | PlainLines() | Facts() | Table() | Bar() | Plot() | Moved():
            _print(answer, actions)
        case DocumentFile():
            await _print_document(answer, actions)
        case SwitchTo():
            await actions.switch(answer.key)
        case PickSession():
            await _pick_session(answer.query, actions)
        case PickBranch() | Choose() | Confirm():
            line = await _chosen_line(answer, actions)
            if line:
                await run_line(line, actions)
            elif not isinstance(answer, PickBranch):  # who chose no branch has seen the tree
                actions.say(["Nothing was done."])
        case Typed() | Copied() | Cleared() | Themed() | Quit() | Data() | Transcript():
            _act(answer, actions)
        case _:
            assert_never(answer)


def _act(answer: Typed | Copied | Cleared | Themed | Quit | Data | Transcript, actions: ChatActions) -> None:
    match answer:
        case Typed():
            actions.surface.put(Draft(text=answer.text))
        case Copied():
            _copy(answer, actions)
        case Cleared():
            actions.surface.clear()
        case Themed():
            actions.chat_state.use_theme(answer.name)
        case Quit():
            actions.leave()
        case Data() | Transcript():  # for programs, and for hosts that show all of a conversation
            pass
        case _:
            assert_never(answer)


def _print(answer: CommandAnswer, actions: ChatActions) -> None:
    chat_state = actions.chat_state
    if isinstance(answer, Prose):
        lines = markdown_lines(answer.markdown, chat_state.columns, chat_state.theme)
    else:
        lines = text_of([answer], chat_state.columns).splitlines()
    actions.say(lines)


async def _print_document(document: DocumentFile, actions: ChatActions) -> None:
    text = b"".join([piece async for piece in document.pieces]).decode("utf-8", "replace")
    actions.say(markdown_lines(text, actions.chat_state.columns, actions.chat_state.theme))


async def _pick_session(query: str, actions: ChatActions) -> None:
    from holdfast.hosts.terminal.dialogs.picker import pick_session

    key = await actions.surface.aside(lambda means: pick_session(actions.chat_state.agent, query, means))
    if key is not None:
        await actions.switch(key)


async def _chosen_line(asked: PickBranch | Choose | Confirm, actions: ChatActions) -> str:
    """The line that a person wants to be run next; '' for none."""
    from holdfast.hosts.terminal.dialogs.picker import pick_branch, pick_text

    match asked:
        case Confirm():
            return asked.then if await actions.confirm(asked.question) else ""
        case PickBranch():
            number = await actions.surface.aside(lambda means: pick_branch(asked.choices, means))
            if number is None:
                _print(asked, actions)
            return "" if number is None else f"/tree {number}"
        case Choose():
            actions.say(list(wrap(printable(asked.question), actions.chat_state.columns)))
            index = await actions.surface.aside(lambda means: pick_text([each.text for each in asked.choices], means))
            return "" if index is None else asked.choices[index].then
        case _:
            assert_never(asked)


def _copy(answer: Copied, actions: ChatActions) -> None:
    """Put text into the clipboard of whoever looks at the terminal, through the terminal itself."""
    if len(answer.text) > MOST_COPIED:
        raise BadInput(f"This is {len(answer.text):,} characters, too much for a clipboard.", hint="/export writes it.")
    data = b64encode(answer.text.encode("utf-8", "replace")).decode()
    actions.surface.show(f"\x1b]52;c;{data}\x07")
    said = f"Copied {answer.what}, if your terminal lets programs do that."
    actions.say(wrapped_text(said, actions.chat_state.columns))
