"""Runs a command: a line that begins with a slash, or what a host has read in its own way.

What a command in a conversation showed is written to the log, without what looks like a secret, so that whoever comes
back sees what the person saw. The model never sees it.
"""

from collections.abc import Callable, Coroutine
from importlib import import_module
from typing import TypeAlias

from holdfast.commands.answers import Answers
from holdfast.commands.command import Command, Reach
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs, read_line
from holdfast.commands.text.plain_text import text_of
from holdfast.errors import BadInput, NoSession, NotThere

COLUMNS = 78
"""How wide what the log keeps is: whoever comes back to it in a terminal of 80 sees it indented by two."""

CommandHandler: TypeAlias = Callable[[Inputs, CommandContext], Coroutine[object, object, Answers]]
"""Does what one command is for."""

_LACKING: dict[Reach, str] = {
    "conversation": "It is about a conversation, and none is open here.",
    "store": "From here only this conversation can be reached.",
    "own files": "From here no file on your machine can be reached.",
    "terminal": "It is for a terminal.",
}


def is_command(line: str) -> bool:
    """Whether a line is a command, and not words for the model that begin with a path such as `/etc/hosts`.

    A single line that begins with `!` is one too: it is run in the sandbox.
    """
    if line.startswith("!"):
        return bool(line[1:].strip()) and "\n" not in line.strip()
    first = "".join(line.split(maxsplit=1)[:1])
    return line.startswith("/") and len(first) > 1 and "/" not in first[1:]


def named(name: str) -> Command:
    """The command of a name, with or without its slash. Raises `BadInput` with the names most like it."""
    from holdfast.commands.chat_table import BY_NAME, IN_CHAT

    wanted = name.removeprefix("/").lower()
    found = BY_NAME.get(wanted)
    if found is None:
        from difflib import get_close_matches

        begun = [each.name for each in IN_CHAT if len(wanted) > 1 and each.name.startswith(wanted)]
        near = begun or get_close_matches(wanted, BY_NAME, n=1, cutoff=0.6)
        hint = f"Did you mean {' or '.join(f'/{each}' for each in near)}?" if near else "/help lists what there is."
        raise BadInput(f"There is no command /{wanted}.", hint=hint)
    return found


async def run_line(line: str, context: ConversationContext) -> Answers:
    """Do what a line says, and give what the host is to show and to do, in order.

    Raises `HoldfastError`, such as `BadInput` with the usage for what cannot be meant; then nothing was done.
    """
    if line.startswith("!"):
        line = f"/shell {line[1:]}"
    name, *rest = line.split(maxsplit=1) or [""]
    if (answers := await _own(name, "".join(rest), context)) is not None:
        return answers
    command = named(name)
    answers = await run(command, read_line(command, "".join(rest)), context)
    kept = command.chat.kept
    if kept != "nothing" and not context.conversation.closed:
        shown = text_of(answers, COLUMNS) if kept == "all" else ""
        redacted = context.agent.engine.setup.redactor.redacted
        await context.conversation.ran(redacted(line.strip())[0], redacted(shown)[0])
    return answers


async def _own(name: str, rest: str, context: ConversationContext) -> Answers | None:
    """What comes of a command of the user's own; None if there is none of that name."""
    from holdfast.commands.chat_table import BY_NAME

    wanted = name.removeprefix("/").lower()
    if wanted in BY_NAME:
        return None
    from holdfast.commands.own_commands import run_own

    return await run_own(wanted, rest, context)


async def run(command: Command, given: Inputs, context: CommandContext) -> Answers:
    """Run a command with what it was given. Raises `BadInput` for what the host does not grant."""
    needed = [*command.reach, *(each.reach for each in command.arguments if each.reach and given.has(each))]
    missing = next((each for each in needed if each not in context.reach), None)
    if missing is not None:
        raise BadInput(f"`{command.name}` cannot do that here.", hint=_LACKING[missing])
    module, _, function = command.handler.partition(":")
    handler: CommandHandler = getattr(import_module(f"holdfast.commands.{module}"), function)
    try:
        return await handler(given, context)
    except NoSession as error:
        if isinstance(context, ConversationContext) and error.key == context.conversation.key:
            raise NotThere("Nothing was said in this conversation yet.", hint="Say something first.") from error
        raise


def is_granted(command: Command, context: CommandContext) -> bool:
    """Whether a command can be run where the person is."""
    return all(context.may(each) for each in command.reach)
