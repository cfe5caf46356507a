"""From words on a command line to values, by the table."""

import argparse
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from holdfast.commands.command import STORE, Argument, Command
from holdfast.commands.shell_table import IN_SHELL
from holdfast.errors import BadInput

HIDDEN = "__complete"
"""The command that completion scripts call."""
_DASHED = re.compile(r"-[^-].*", re.DOTALL)
_MARK = "\0"
"""Marks a value that begins with a dash; no word of a command line can hold it."""


class Parser(argparse.ArgumentParser):
    """Raises instead of leaving, and lets a command have values that begin with a dash."""

    about: Command | None = None
    _words: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how to find out more."""
        if self.about is not None and self.about.shell.secret:
            raise _not_here(self.about)
        hint = f"`{self.prog} --help` says how it is used."
        if "required: " in message and self._is_unknown_option():
            hint = f"What begins with a dash and is not an option goes last, after `--`. {hint}"
        raise BadInput(f"{message[:1].upper()}{message[1:]}.", hint=hint)

    def _is_unknown_option(self) -> bool:
        arguments = self.about.options if self.about else ()
        known = {"--", "-h", "--help", *(name for each in (*arguments, STORE) for name in each.names)}
        return any(word.startswith("-") and word not in known for word in self._words)

    def parse_known_args(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        namespace: Any = None,  # noqa: ANN401
    ) -> tuple[Any, list[str]]:
        """Read words; a command with `dashes` may have values that look like options."""
        words = self._words = list(args or ())
        if self.about is not None and self.about.shell.dashes:
            words = [_MARK + word if _DASHED.fullmatch(word) and word != "-h" else word for word in words]
        return super().parse_known_args(words, namespace)

    def print_help(self, file: Any = None) -> None:  # noqa: ANN401
        """Print help, and notice where it cannot be printed."""
        print(self.format_help(), end="", file=file, flush=True)

    def format_help(self) -> str:
        """What is printed when help is asked for; it is only put together then."""
        if self.about is not None:
            self.description, self.epilog = _description(self.about), _examples(self.about)
        return super().format_help()


def _unmark(found: argparse.Namespace) -> None:
    """Let values be as they were typed."""
    for name, value in vars(found).items():
        if isinstance(value, list):
            setattr(found, name, [each.removeprefix(_MARK) for each in value])
        elif isinstance(value, str):
            setattr(found, name, value.removeprefix(_MARK))


def parser(command: Command | None) -> Parser:
    """The parser of one command, or of none: to describe the others takes longer than all the rest."""
    top = Parser(prog="holdfast", add_help=False, allow_abbrev=False)
    top.add_argument("--store", default=None)
    top.add_argument("--version", action="store_true")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser, prog="holdfast")
    if command is not None:
        made = commands.add_parser(
            command.name, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
        )
        made.about = command
        for argument in (*command.options, STORE):
            _add(made, argument)
    return top


def find(name: str) -> Command | None:
    """The command with this name."""
    return next((command for command in IN_SHELL if command.name == name), None)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read a command line. Raises `BadInput` for wrong usage, and `SystemExit` after printing help."""
    first = _first_word(words)
    command = find(first) if first is not None else None
    if first is not None and command is None:
        near = _nearest(first, [command.name for command in IN_SHELL])
        meant = f"Did you mean `holdfast {near}`?" if near else "`holdfast --help` lists the commands."
        raise BadInput(f"There is no command {first!r}.", hint=meant)
    found = argparse.Namespace()
    _, left = parser(command).parse_known_args(list(words), found)
    _unmark(found)
    if left and command is not None and command.shell.secret:
        raise _not_here(command)
    if left:
        what = (
            f"There is not an option {left[0]!r} here." if left[0].startswith("-") else f"{left[0]!r} is one too many."
        )
        raise BadInput(what, hint=_meant(command, left[0]))
    if found.command is None and not found.version:
        raise BadInput("No command is given.", hint="`holdfast --help` lists the commands.")
    return found


def _not_here(command: Command) -> BadInput:
    """The error for words that are not repeated, because one of them may be a key."""
    return BadInput(
        f"That is not how `holdfast {command.name}` is used.",
        hint=f"`holdfast {command.name} --help` says how. A key is not given on the command line, because shells keep"
        " what is typed there; if you typed one, replace it.",
    )


def _meant(command: Command | None, option: str) -> str:
    arguments = (*command.options, STORE) if command else (STORE,)
    near = _nearest(option, [name for each in arguments for name in each.names if each.is_option])
    usage = f"`holdfast {command.name} --help` says how it is used." if command else "`holdfast --help` lists all."
    return f"Did you mean {near}? {usage}" if near else usage


def _nearest(word: str, names: Sequence[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, names, 1)), None)


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

    said = [f"{command.shell.help[:1].upper()}{command.shell.help[1:]}."]
    if command.shell.details:
        said.append(command.shell.details)
    room = shutil.get_terminal_size().columns - 2
    return "\n\n".join(textwrap.fill(each, max(20, min(room, 98))) for each in said)


def _examples(command: Command) -> str | None:
    if not command.shell.examples:
        return None
    return "examples:\n" + "\n".join(f"  {example}" for example in command.shell.examples)


def _add(made: Parser, argument: Argument) -> None:
    options: dict[str, Any] = {"help": argument.help}
    if argument.is_option:
        options["dest"] = argument.name
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
        options["type"] = partial(_number, least=argument.least)
    if argument.choices:
        options["choices"] = argument.choices
    made.add_argument(*argument.names, **options)


def _number(text: str, least: int) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 18 or int(text) < least:  # noqa: PLR2004
        raise argparse.ArgumentTypeError(f"must be a number, {least} or more, not {text!r}")
    return int(text)
