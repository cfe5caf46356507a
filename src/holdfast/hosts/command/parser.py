"""From words on a command line to values, by the table."""

import argparse
import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from holdfast.errors import BadInput
from holdfast.hosts.command.table import COMMANDS, STORE, Argument, Command

_DASHED = re.compile(r"-[^-].*", re.DOTALL)
_MARK = "\0"
"""Marks a value that begins with a dash; no word of a command line can hold it."""


class Parser(argparse.ArgumentParser):
    """Raises instead of leaving, and lets a command have values that begin with a dash."""

    dashes = False

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how to find out more."""
        raise BadInput(f"{message[:1].upper()}{message[1:]}.", hint=f"`{self.prog} --help` says how it is used.")

    def parse_known_args(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        namespace: Any = None,  # noqa: ANN401
    ) -> tuple[Any, list[str]]:
        """Read words; see `dashes`."""
        words = list(args or ())
        if self.dashes:
            words = [_MARK + word if _DASHED.fullmatch(word) and word != "-h" else word for word in words]
        return super().parse_known_args(words, namespace)


def unmarked(value: str) -> str:
    """A value as it was typed."""
    return value.removeprefix(_MARK)


def parser() -> Parser:
    """The parser of all commands."""
    top = Parser(prog="holdfast", add_help=False, allow_abbrev=False)
    top.add_argument("--store", default=None)
    top.add_argument("--version", action="store_true")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for command in COMMANDS:
        made = commands.add_parser(
            command.name,
            help=command.help,
            description=_description(command),
            epilog=_examples(command),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        made.dashes = command.dashes
        for argument in (*command.arguments, STORE):
            _add(made, argument)
    return top


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read a command line. Raises `BadInput` for wrong usage, and `SystemExit` after printing help."""
    first = _first_word(words)
    if first is not None and all(first != command.name for command in COMMANDS):
        near = get_close_matches(first, [command.name for command in COMMANDS], 1)
        meant = f"Did you mean `holdfast {near[0]}`?" if near else "`holdfast --help` lists the commands."
        raise BadInput(f"There is no command {first!r}.", hint=meant)
    found = argparse.Namespace()
    _, left = parser().parse_known_args(list(words), found)
    if left:
        raise BadInput(f"There is no option {left[0]!r} here.", hint=_meant(first, left[0]))
    if found.command is None and not found.version:
        raise BadInput("No command is given.", hint="`holdfast --help` lists the commands.")
    return found


def _meant(command: str | None, option: str) -> str:
    known = next((each for each in COMMANDS if each.name == command), None)
    names = [name for each in (*(known.arguments if known else ()), STORE) for name in each.names if each.is_option]
    near = get_close_matches(option, names, 1)
    usage = f"`holdfast {command or ''} --help` says how it is used.".replace("  ", " ")
    return f"Did you mean {near[0]}? {usage}" if near else usage


def _first_word(words: Sequence[str]) -> str | None:
    rest = iter(words)
    for word in rest:
        if word == "--store":
            next(rest, None)
        elif not word.startswith("-"):
            return word
    return None


def _description(command: Command) -> str:
    import shutil
    import textwrap

    said = [f"{command.help[:1].upper()}{command.help[1:]}."]
    if command.details:
        said.append(command.details)
    room = shutil.get_terminal_size().columns - 2
    return "\n\n".join(textwrap.fill(each, max(20, min(room, 98))) for each in said)


def _examples(command: Command) -> str | None:
    if not command.examples:
        return None
    return "examples:\n" + "\n".join(f"  {example}" for example in command.examples)


def _add(made: Parser, argument: Argument) -> None:
    options: dict[str, Any] = {"help": argument.help}
    if argument.is_option:
        options["dest"] = argument.names[-1].lstrip("-").replace("-", "_")
        if argument.value:
            options["metavar"] = argument.value
            if argument.repeats:
                options["action"] = "append"
            options["default"] = argparse.SUPPRESS if argument is STORE else argument.default
        else:
            options["action"] = "store_true"
    else:
        options["metavar"] = argument.names[0].upper()
        if argument.many:
            options.update(nargs=argument.many, default=argument.default)
    if argument.number:
        options["type"] = _number
    if argument.choices:
        options["choices"] = argument.choices
    made.add_argument(*argument.names, **options)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 18:  # noqa: PLR2004
        raise argparse.ArgumentTypeError(f"{text!r} is no number")
    return int(text)
