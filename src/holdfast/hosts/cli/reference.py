"""The reference page of the command, made from the table.

`python -m holdfast.hosts.cli.reference docs/reference/command.md` writes the
generated part of the page anew; a test keeps it from falling behind.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from holdfast.commands.command import SHELL_GROUPS, STORE, Argument, Command
from holdfast.commands.shell_table import HOSTS, IN_SHELL
from holdfast.hosts.exits import MEANINGS
from holdfast.hosts.overview import SETTINGS

BEGIN = "<!-- generated from the table of commands: change it there -->"


def reference() -> str:
    """Commands, settings and exit codes as Markdown."""
    lines = ["## Commands", ""]
    for group in SHELL_GROUPS:
        lines += [f"### {group}", ""]
        for command in IN_SHELL:
            if command.shell.group == group:
                lines += _command(command)
    lines += ["Every command takes " + f"`{STORE.shown}` ({STORE.help}) and `--help`.", ""]
    lines += ["## Settings", "", "| in the environment | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {meaning} |" for name, meaning in SETTINGS]
    lines += ["", "## Exit codes", "", "| code | name | meaning |", "|---|---|---|"]
    lines += [f"| {code.value} | `{code.name}` | {meaning} |" for code, meaning in MEANINGS.items()]
    return "\n".join(lines) + "\n"


def _command(command: Command) -> list[str]:
    usage = " ".join(
        ["holdfast", command.name, *((f"[{each.shown}]" if each.is_option else each.shown) for each in command.options)]
    )
    lines = [f"#### `holdfast {command.name}`", "", f"{command.shell.help[:1].upper()}{command.shell.help[1:]}.", ""]
    lines += ["```text", usage, "```", ""]
    lines += [f"- `{_names(each)}`: {each.help}{_default(each)}" for each in command.options]
    if command.shell.details:
        lines += ["", command.shell.details]
    # Examples are run by the tests, but for those that talk or serve: they need a person or a model.
    language = "text" if command.name in HOSTS else "sh"
    return [*lines, "", f"```{language}", *command.shell.examples, "```", ""]


def _names(argument: Argument) -> str:
    if not argument.is_option:
        return argument.names[0].upper()
    return ", ".join(f"{name} {argument.value}".strip() for name in argument.names)


def _default(argument: Argument) -> str:
    return "" if argument.default is None else f" (without it: {argument.default})"


def renewed(page: str) -> str:
    """The page with its generated part made anew."""
    return page.partition(BEGIN)[0] + BEGIN + "\n\n" + reference()


def main(arguments: Sequence[str]) -> None:
    """Write the page anew."""
    page = Path(arguments[0])
    page.write_text(renewed(page.read_text()))


if __name__ == "__main__":
    main(sys.argv[1:])
