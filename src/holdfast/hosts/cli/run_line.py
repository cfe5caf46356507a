"""Running one command line: what goes wrong becomes words and an exit code, never a traceback.

Only what parsing and help need is loaded here; the rest waits for a command to run.
"""

import os
import sys
from collections.abc import Sequence
from errno import EACCES, EIO, ENOSPC, EPERM, EROFS
from typing import TYPE_CHECKING

from holdfast.commands.keys import line
from holdfast.errors import BadInput, Held, HoldfastError, NotThere
from holdfast.hosts.cli.parser import HIDDEN, parse
from holdfast.hosts.console import Console, give_up
from holdfast.hosts.exits import Exit

if TYPE_CHECKING:
    from holdfast.hosts.cli.call import OwnHandler

_HINTS = {
    EACCES: "Check who owns it and how it is mounted.",
    EPERM: "Check who owns it and how it is mounted.",
    EROFS: "It is mounted for reading only.",
    ENOSPC: "Make room there, and try again.",
    EIO: "The disk may be failing: make a copy of the store, then run `holdfast verify`.",
}


def run(words: Sequence[str], host: "OwnHandler") -> int:
    """Run a command line and give its exit code; `host` starts another host, to talk or to serve."""
    console = Console(os.environ)
    try:
        code = _run(words, console, host)
        console.flush()
    except HoldfastError as error:
        console.settle()
        for note in getattr(error, "__notes__", ()):
            console.note(note)
        console.error(error.message)
        if error.hint:
            console.note(_hint(error))
        return _code(error)
    except KeyboardInterrupt:
        console.settle()
        console.note()
        return Exit.INTERRUPTED
    except OSError as error:
        return failed(error)
    return code


def failed(error: OSError) -> int:
    """Say what the system refused, unless it is only that nobody reads on."""
    if isinstance(error, BrokenPipeError):
        give_up(1)
        return Exit.PIPE_CLOSED
    console = Console(os.environ)
    console.settle()
    place = f"{error.filename}: " if error.filename else ""
    console.error(f"{place}{error.strerror or error}")
    hint = _HINTS.get(error.errno or 0)
    if hint:
        console.note(hint)
    return Exit.ERROR


def _hint(error: HoldfastError) -> str:
    if isinstance(error, Held):
        watch = f"`{line('show', error.key, '--follow')}` watches it live, `holdfast fork` makes a copy."
        return f"Try again when it is done. {watch}"
    return error.hint


def _run(words: Sequence[str], console: Console, host: "OwnHandler") -> int:
    if words[0] == HIDDEN:
        from holdfast.hosts.cli.completion import complete

        return complete(words[1:], console)
    try:
        arguments = parse(words)
    except SystemExit as done:  # help was asked for, and printed
        return int(done.code or 0)
    if arguments.version:
        from importlib.metadata import version

        console.line(f"holdfast {version('holdfast')} (Python {sys.version.split()[0]})")
        return Exit.OK
    from holdfast.hosts.cli.handle import handle

    return handle(arguments, console, host)


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
