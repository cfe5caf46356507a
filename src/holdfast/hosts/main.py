"""The entry point: knows every host, and starts the one that is wanted.

This module loads nothing until it knows which one that is, because help must be there at once.
"""

import gc
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.hosts.cli.call import ShellCall
    from holdfast.hosts.exits import Exit

_HELP = ("-h", "--help", "help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    try:
        return _main(argv)
    except KeyboardInterrupt:  # while it was still loading
        return 130


def _main(argv: Sequence[str] | None) -> int:
    gc.disable()  # loading makes nothing but what stays; `call` turns it on again before a command runs
    if None in {sys.stdin, sys.stdout, sys.stderr}:
        _stand_in()
    words = sys.argv[1:] if argv is None else list(argv)
    if words and words[0] in _HELP[: 3 if len(words) == 1 else 2]:
        return _overview()
    if words and words[0] == "help":
        words = [*words[1:], "--help"]
    from holdfast.hosts.cli.run_line import run

    return run(_named(words), _start)


async def _start(call: "ShellCall") -> "Exit":
    """Start the host that a command is for: to talk, or to serve."""
    if call.command.name == "serve":
        try:
            from holdfast.hosts.gateway.serve import serve
        except ImportError as error:
            from holdfast.errors import BadInput
            from holdfast.installation import how_to_mend

            raise BadInput(f"The gateway cannot start: {error}.", hint=how_to_mend(error, "gateway")) from error
        return await serve(call, call.context, call.console)
    return await _talk(call)


async def _talk(call: "ShellCall") -> "Exit":
    """Talk to the agent: in a terminal, or for one answer."""
    from holdfast.hosts.start import Start

    start = Start.of(call, call.console, call.context.loaded)
    start.check()
    piped = not sys.stdin.isatty()
    if call.flag("print") or start.driven or piped or not sys.stdout.isatty():
        from holdfast.hosts.oneshot import answer_once

        return await answer_once(start, piped=piped and not start.driven)
    from holdfast.hosts.terminal.chat.app import talk

    return await talk(start)


def _stand_in() -> None:
    """Open nothing where the shell closed a stream; the next file would get its number, and what is printed."""
    import os

    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            free = os.open(os.devnull, os.O_RDWR)  # the lowest that there is
            setattr(sys, name, os.fdopen(free, "w" if number else "r", encoding="utf-8", closefd=False))


def _named(words: list[str]) -> list[str]:
    """The words with the command that is meant where none is named: to talk."""
    from holdfast.commands.shell_table import DEFAULT

    rest = words[2:] if words[:1] == ["--store"] else words
    if not rest or (rest[0].startswith("-") and rest[0] not in {"--store", "--version", *_HELP}):
        return [DEFAULT, *words]
    return words


def _overview() -> int:
    from os import environ, get_terminal_size

    from holdfast.hosts.overview import overview

    try:
        width = int(environ.get("COLUMNS") or get_terminal_size(1).columns)
    except (OSError, ValueError):
        width = 80
    try:
        print(overview(max(20, width)), flush=True)
    except OSError as error:
        from holdfast.hosts.cli.run_line import failed

        return failed(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
