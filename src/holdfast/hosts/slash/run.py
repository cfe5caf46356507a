"""Runs a line that begins with a slash.

What a command showed is written to the log, without what looks like a secret, so that whoever comes back sees
what the person saw. The model never sees it.
"""

from collections.abc import Callable, Coroutine
from difflib import get_close_matches
from importlib import import_module
from typing import TypeAlias

from holdfast.errors import BadInput
from holdfast.hosts.slash.answer import Answers
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.plain import text_of
from holdfast.hosts.slash.table import BY_NAME, COMMANDS, SlashCommand

COLUMNS = 78
"""How wide what the log keeps is: whoever comes back to it in a terminal of 80 sees it indented by two."""

DIGITS = 15
"""No position, and no number of anything, has more."""

Handler: TypeAlias = Callable[[str, SlashDesk], Coroutine[object, object, Answers]]
"""Does what one command is for; it is given what stands after the name, without space around it."""


def is_command(line: str) -> bool:
    """Whether a line is a command, and not words for the model that begin with a path such as `/etc/hosts`."""
    first = "".join(line.split(maxsplit=1)[:1])
    return line.startswith("/") and len(first) > 1 and "/" not in first[1:]


def named(name: str) -> SlashCommand:
    """The command of a name, with or without its slash. Raises `BadInput` with the names most like it."""
    wanted = name.removeprefix("/").lower()
    found = BY_NAME.get(wanted)
    if found is None:
        begun = [each.name for each in COMMANDS if len(wanted) > 1 and each.name.startswith(wanted)]
        near = begun or get_close_matches(wanted, BY_NAME, n=1, cutoff=0.6)
        hint = f"Did you mean {' or '.join(f'/{each}' for each in near)}?" if near else "/help lists what there is."
        raise BadInput(f"There is no command /{wanted}.", hint=hint)
    return found


async def run(line: str, desk: SlashDesk) -> Answers:
    """Do what a line says, and give what the host is to show and to do, in order.

    Raises `HoldfastError`, such as `BadInput` with the usage for what cannot be meant; then nothing was done.
    """
    name, *rest = line.split(maxsplit=1) or [""]
    command = named(name)
    answers = await _handler(command)("".join(rest).strip(), desk)
    if command.kept != "nothing" and not desk.conversation.closed:
        shown = text_of(answers, COLUMNS) if command.kept == "all" else ""
        redacted = desk.agent.engine.setup.redactor.redacted
        await desk.conversation.ran(redacted(line.strip())[0], redacted(shown)[0])
    return answers


def _handler(command: SlashCommand) -> Handler:
    module, _, function = command.handler.partition(":")
    found: Handler = getattr(import_module(f"holdfast.hosts.slash.{module}"), function)
    return found


def number(text: str) -> int | None:
    """A number that somebody typed; None for anything else, and for what is too long to be meant."""
    return int(text) if text.isdecimal() and len(text) <= DIGITS else None


def misused(name: str, why: str) -> BadInput:
    """The error for a command that was given what it does not take."""
    return BadInput(why, hint=f"Usage: {named(name).usage}")
