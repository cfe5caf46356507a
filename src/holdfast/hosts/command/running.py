"""Running one command: settings, handler, and what goes wrong, in words and as an exit code."""

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module
from pathlib import Path

import msgspec

from holdfast.config import Settings, load
from holdfast.errors import BadInput, Held, HoldfastError, NotThere
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.console import Console, Styled, quiet_pipe
from holdfast.hosts.command.exits import Exit
from holdfast.hosts.command.parser import parse
from holdfast.hosts.command.table import HIDDEN, find

Handler = Callable[[Call], Awaitable[Exit]]
"""Does what one command is for."""


def run(words: Sequence[str]) -> int:
    """Run a command line and give its exit code. Nothing it meets becomes a traceback for the user."""
    console = Console(os.environ)
    try:
        code = _run(words, console)
        console.flush()
    except HoldfastError as error:
        console.note(Styled("holdfast: ", "red"), error.message)
        if error.hint:
            console.note(error.hint)
        return _code(error)
    except BrokenPipeError:
        return quiet_pipe()
    except KeyboardInterrupt:
        console.note()
        return Exit.INTERRUPTED
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        console.note(Styled("holdfast: ", "red"), f"{place}{error.strerror or error}")
        return Exit.ERROR
    return code


def _run(words: Sequence[str], console: Console) -> int:
    if words[0] == HIDDEN:
        from holdfast.hosts.command.completing import complete

        return complete(words[1:], console)
    try:
        arguments = parse(words)
    except SystemExit as done:  # help was asked for, and printed
        return int(done.code or 0)
    if arguments.version:
        from importlib.metadata import version

        console.line(f"holdfast {version('holdfast')} (Python {sys.version.split()[0]})")
        return Exit.OK
    return asyncio.run(_handle(arguments, console, _settings(arguments.store)))


def _settings(store: str | None) -> Settings:
    settings = load()
    return msgspec.structs.replace(settings, store=Path(store).expanduser()) if store else settings


async def _handle(arguments: argparse.Namespace, console: Console, settings: Settings) -> Exit:
    command = find(arguments.command)
    assert command is not None, "the parser knows the commands of the table"  # noqa: S101
    module, _, name = command.handler.partition(":")
    handler: Handler = getattr(import_module(f"holdfast.hosts.command.{module}"), name)
    return await handler(Call(arguments, console, settings))


def _code(error: HoldfastError) -> Exit:
    match error:
        case NotThere():
            return Exit.NOT_FOUND
        case Held():
            return Exit.HELD
        case BadInput():
            return Exit.USAGE
        case _:
            return Exit.ERROR
