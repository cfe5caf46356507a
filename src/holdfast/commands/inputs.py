"""What a command was given: values by the names of its arguments, whichever host read them.

A shell reads them with the usual parser of command lines; a line of a chat is read here, by the same declarations.
"""

import re
from collections.abc import Mapping, Sequence

from holdfast.commands.command import Argument, ChatForm, Command
from holdfast.errors import BadInput

DIGITS = 15
"""No position, and no number of anything, has more."""

_ORDER: tuple[ChatForm, ...] = ("#", "word", "@", "rest")
"""What is looked for first in a line without its switches: its end, then its beginning, and then what is left."""


class Inputs:
    """The values of a command's arguments, and how to refuse them."""

    def __init__(self, command: Command, values: Mapping[str, object], *, line: str = "") -> None:
        """Take values by name, and for a command in a chat its line."""
        self.command, self._values, self._line = command, dict(values), line

    def text(self, name: str) -> str:
        """An argument that is a text; '' when it was not given."""
        value = self._values.get(name)
        return "" if value is None else str(value)

    def texts(self, name: str) -> list[str]:
        """An argument that may be given several times."""
        value = self._values.get(name)
        return [str(each) for each in value] if isinstance(value, Sequence) and not isinstance(value, str) else []

    def names(self, name: str) -> list[str]:
        """An argument that names several things, each once."""
        return list(dict.fromkeys(self.texts(name)))

    def number(self, name: str) -> int | None:
        """An argument that is a number."""
        value = self._values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, name: str) -> bool:
        """A switch."""
        return bool(self._values.get(name))

    def has(self, argument: Argument) -> bool:
        """Whether an argument was given."""
        value = self._values.get(argument.name)
        return bool(value) and value != argument.default

    def refuse(self, why: str, hint: str = "") -> BadInput:
        """The error for what the command does not take; its hint says how it is used."""
        usage = f"Usage: {self.command.usage}"
        return BadInput(why, hint=usage if self.in_chat else hint or f"`holdfast {self.command.name} --help` says how.")

    @property
    def in_chat(self) -> bool:
        """Whether it is about the conversation one is in."""
        return bool(self._line)

    def again(self, option: str) -> str:
        """The same with one more option, as `Confirm` runs it."""
        return f"{self._line} {option}".strip()


def number(text: str) -> int | None:
    """A number that somebody typed; None for anything else, and for what is too long to be meant."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else None


def read_line(command: Command, rest: str) -> Inputs:
    """What stands after the name of a slash command. Raises `BadInput` with the usage for what cannot be meant."""
    values: dict[str, object] = {}
    left = rest.strip()
    line = f"/{command.name} {left}".rstrip()
    switches = {name: each for each in command.arguments if each.chat == "switch" for name in each.names}
    while switch := switches.get(left.rpartition(" ")[2]):  # in whatever order they were typed
        values[switch.name], left = True, left.rpartition(" ")[0].strip()
    others = (each for each in command.arguments if each.chat and each.chat != "switch")
    arguments = sorted(others, key=lambda each: _ORDER.index(each.chat))
    for each in arguments:
        found, left = _taken(each, left)
        if found is not None:
            values[each.name] = found
    if left:
        said = " or ".join(each.help for each in arguments)
        wanted = f" It takes: {said}." if said else " It takes nothing more."
        raise Inputs(command, {}, line=line).refuse(f"/{command.name} cannot take {left!r}.{wanted}")
    return Inputs(command, values, line=line)


def _taken(argument: Argument, line: str) -> tuple[object, str]:
    """The value of an argument, None if it does not stand in a line, and what is left of the line."""
    match argument.chat:
        case "#":
            found = re.search(rf"(?:^|\s)#(\d{{1,{DIGITS}}})$", line)
            return (int(found[1]), line[: found.start()].strip()) if found else (None, line)
        case "@":
            value = number(line.removeprefix("@"))
            return (None, line) if value is None else (value, "")
        case "word":
            if argument.number:
                value = number(line)
                return (None, line) if value is None else (value, "")
            first, _, after = line.partition(" ")
            known = first.lower() in argument.choices
            return (first.lower(), after.strip()) if known else (None, line)
        case _:
            return (line.split() if argument.many in {"*", "+"} else line) or None, ""
