"""The help of the whole command: printed without loading anything but the table."""

from holdfast.commands.command import SHELL_GROUPS
from holdfast.commands.shell_table import IN_SHELL

INTRODUCTION = "holdfast looks after conversations of LLM agents."
SETTINGS = (
    ("HOLDFAST_STORE", "the folder with the sessions; ~/.holdfast without it"),
    ("HOLDFAST_DURABILITY", "what a write waits for: always (the disk), interval or os"),
    ("HOLDFAST_RETENTION_DAYS", "idle sessions move into the trash after so many days; 0: never"),
    ("HOLDFAST_MODEL", "the model to ask, as service:name"),
    ("HOLDFAST_CONFIG", "the file with your settings; ~/.config/holdfast/config.toml without it"),
    ("NO_COLOR", "set to anything: no colours"),
)
"""What is most often said in the environment; `holdfast config` prints every setting."""
_NAME = 12


def overview(width: int) -> str:
    """What `holdfast --help` prints."""
    lines = ["usage: holdfast [--store PATH] COMMAND", "", *_wrapped(INTRODUCTION, width, "")]
    for group in SHELL_GROUPS:
        lines += ["", f"{group}:"]
        for command in IN_SHELL:
            if command.shell.group == group:
                lines += _entry(command.name, command.shell.help, width)
    lines += ["", "Options:"]
    lines += _entry("--store PATH", "the folder with the sessions", width)
    lines += _entry("--version", "print the version", width)
    lines += _entry("-h, --help", "this; `holdfast COMMAND --help` says more", width)
    lines += ["", *_wrapped("Settings, in the environment; `holdfast config` prints all of them:", width, "")]
    for name, meaning in SETTINGS:
        lines += [f"  {name}", *_wrapped(meaning, width, "      ")]
    return "\n".join(lines)


def _entry(name: str, text: str, width: int) -> list[str]:
    indent = " " * (_NAME + 4)
    first, *rest = _wrapped(text, width, indent)
    return [f"  {name:<{_NAME}}  {first.lstrip()}", *rest]


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    lines, line = [], indent
    for word in text.split():
        if len(line) + len(word) > width and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += f"{word} "
    return [*lines, line.rstrip()]
