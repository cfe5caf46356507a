"""Runs one call of the command: its own handler or one of `commands`, whose answers are printed."""

import argparse
import gc
import os
from collections.abc import Mapping
from importlib import import_module
from shlex import quote

from holdfast.commands.command import REMOVE, Argument, Command
from holdfast.commands.context import CommandContext
from holdfast.commands.shell_table import DEFAULT, HOSTS
from holdfast.config import Loaded, read
from holdfast.errors import BadInput, NoSession, NotThere
from holdfast.hosts.cli.call import OwnHandler, ShellCall
from holdfast.hosts.cli.parser import find
from holdfast.hosts.console import Console
from holdfast.hosts.event_loop import run as run_loop
from holdfast.hosts.exits import Exit
from holdfast.stores.files.home_folder import home

OWN = {"key": "key:key", "completion": "completion:completion"}
RUN = ("goal", "run")
"""The one action of a command that needs an agent, so a host does it: `goal run`."""
"""Commands that are about the terminal or the shell itself, and where they are in this package."""


def handle(arguments: argparse.Namespace, console: Console, host: OwnHandler) -> Exit:
    """Run what a command line says; `host` starts another host, to talk or to serve."""
    command = find(arguments.command)
    assert command is not None, "the parser knows the commands of the table"  # noqa: S101
    os.environ["HOME"] = str(home(os.environ))  # what is started from here must not take the root folder for it
    values = vars(arguments)
    store = values.get("store")
    context = CommandContext(lambda: _loaded(store), store_option=f"--store {quote(store)}" if store else "")
    gc.freeze()  # what was loaded stays, and need not be looked at again and again
    gc.enable()
    try:
        return run_loop(_run(command, values, console, context, host))
    except NoSession as error:
        hint = run_loop(_elsewhere(context, error.key))
        if not hint:
            raise
        raise NotThere(error.message, hint=hint) from error


def _loaded(store: str | None) -> Loaded:
    """The settings, with what the command line has of them."""
    # An unset variable of a script must not make another store of it.
    if store == "":
        raise BadInput("--store is empty.", hint="Give it a folder, or leave it out.")
    return read(flags={} if store is None else {"store": store})


async def _run(
    command: Command, values: dict[str, object], console: Console, context: CommandContext, host: OwnHandler
) -> Exit:
    await _complete(command, values, context)
    call = ShellCall(command, values, console, context)
    if command.name in HOSTS:
        await context.close()
        return await host(call)
    if command.name in OWN:
        module, _, name = OWN[command.name].partition(":")
        handler: OwnHandler = getattr(import_module(f"holdfast.hosts.cli.{module}"), name)
        return await handler(call)
    if (command.name, values.get("action")) == RUN:
        from holdfast.hosts.cli.goal import run_goal

        return await run_goal(call)
    from holdfast.commands.answers import Confirm
    from holdfast.commands.run import run
    from holdfast.hosts.cli.output import AnswerPrinter

    printer = AnswerPrinter(call)
    context.progress = printer.progress
    try:
        answers = await run(command, call, context)
        if isinstance(answers[0], Confirm):
            again = _confirmed(console, answers[0].question) and answers[0].then.removeprefix("--")
            if not again:
                return Exit.DECLINED
            answers = await run(command, ShellCall(command, {**values, again: True}, console, context), context)
        return await printer.show(answers)
    finally:
        await context.close()


async def _complete(command: Command, values: dict[str, object], context: CommandContext) -> None:
    """Refuse empty names, and put keys in the place of names that stand for them."""
    for each in command.options:
        names = each.completes in {"keys", "tags", "trash"} or "--model" in each.names
        if names and (each.is_option or each.many == "?"):
            _must_name(each, values)
    whole = command.name == DEFAULT or command.shell.group == REMOVE
    for each in command.options:
        given = values[each.name] if each.completes == "keys" else None
        if isinstance(given, str):
            values[each.name] = await _key(given, context, whole=whole)
        elif isinstance(given, list):
            values[each.name] = [await _key(str(key), context, whole=whole) for key in given]


async def _key(name: str, context: CommandContext, *, whole: bool) -> str:
    """The key of the session that is meant."""
    if not context.has_sessions():
        return name
    store = await context.opened()
    if await store.exists(name):
        return name
    from holdfast.commands.session_names import find_session, whole_name

    return await (whole_name if whole else find_session)(store, name, context.identity)


def _must_name(argument: Argument, values: Mapping[str, object]) -> None:
    """Refuse an empty name: an unset variable of a script must not mean everything."""
    if values[argument.name] == "":
        shown = argument.names[-1] if argument.is_option else argument.names[-1].upper()
        raise BadInput(f"{shown} is empty.", hint="Name one, or leave it out.")


def _confirmed(console: Console, question: str) -> bool:
    """Ask; only a clear yes counts."""
    if not console.can_ask:
        console.note("Nothing was removed: there is no terminal to ask on. --yes removes without asking.")
        return False
    if console.ask(question):
        return True
    console.note("Nothing was removed.")
    return False


async def _elsewhere(context: CommandContext, key: str) -> str:
    """Where a session may be that is not among the others; '' where there is nothing to say."""
    if not context.has_sessions():
        return f"There are no sessions at all in {context.place}. HOLDFAST_STORE, or --store PATH, says where to look."
    try:
        if any(each.key == key for each in await (await context.opened()).trash()):
            return f"It is in the trash: `{context.line('trash restore', key)}` brings it back."
    finally:
        await context.close()
    return ""
