"""The reference page and the help say all that the command can."""

from pathlib import Path

import pytest

from holdfast.commands.command import Command
from holdfast.commands.shell_table import IN_SHELL as COMMANDS
from holdfast.config import SETTINGS
from holdfast.hosts import overview
from holdfast.hosts.cli.reference import renewed
from holdfast.hosts.exits import Exit
from tests.hosts.conftest import Shell

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "command.md"


def name_of(command: Command) -> str:
    """A command's name."""
    return command.name


def test_the_page_is_up_to_date() -> None:
    """
    The page says what the table says; `make docs` writes it anew.
    """
    assert renewed(PAGE.read_text()) == PAGE.read_text()


@pytest.mark.parametrize("command", COMMANDS, ids=name_of)
def test_every_command_and_option_is_documented(command: Command) -> None:
    """
    Each command has a section that names each of its arguments and shows an example.
    """
    section = PAGE.read_text().partition(f"#### `holdfast {command.name}`\n")[2].partition("\n#### ")[0]

    assert any(
        f"```{begin}" in section for begin in ("sh\nholdfast", "sh\nls ", "text\nholdfast\n", "text\nholdfast serve\n")
    )
    for argument in command.options:
        for name in argument.names:
            assert (name if argument.is_option else name.upper()) in section


@pytest.mark.parametrize("code", Exit)
def test_every_exit_code_is_documented(code: Exit) -> None:
    """
    Each exit code stands in the table of the page.
    """
    assert f"\n| {code.value} | `{code.name}` | " in PAGE.read_text()


@pytest.mark.parametrize("command", COMMANDS, ids=name_of)
def test_every_command_explains_itself(shell: Shell, command: Command) -> None:
    """
    `holdfast COMMAND --help` names every option and gives an example.
    """
    ran = shell(command.name, "--help")

    assert (0, "") == (ran.code, ran.err)
    assert command.shell.examples[0] in ran.out
    assert all(argument.names[-1] in ran.out for argument in command.options if argument.is_option)


def test_the_overview_has_every_command_and_setting(shell: Shell) -> None:
    """
    Who types `holdfast --help` sees all there is.
    """
    ran = shell("--help")

    assert (0, "") == (ran.code, ran.err)
    assert ran == shell("help")
    for name in (*(command.name for command in COMMANDS), *(name for name, _ in overview.SETTINGS)):
        assert f"\n  {name}" in ran.out


def test_the_settings_of_the_overview_exist() -> None:
    """
    A variable that the help names is one that is read.
    """
    assert {"NO_COLOR"} == {name for name, _ in overview.SETTINGS} - set(SETTINGS)


def test_help_may_be_asked_for_in_front(shell: Shell) -> None:
    """
    `holdfast help COMMAND` is `holdfast COMMAND --help`.
    """
    assert shell("show", "--help") == shell("help", "show")


@pytest.mark.parametrize("columns", [100, 80, 40])
def test_help_fits_the_terminal(columns: int) -> None:
    """
    No line of the overview is wider than the terminal.
    """
    assert columns >= max(map(len, overview.overview(columns).splitlines()))
