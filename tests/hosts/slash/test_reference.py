"""The page of slash commands."""

import pytest

from docs.generate_slash import PAGE, page
from holdfast.hosts.slash.table import BY_NAME, COMMANDS, SlashCommand


def test_the_page_is_up_to_date() -> None:
    """
    The page says what the table says; `make docs` writes it anew.
    """
    assert page() == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each.name)
def test_every_command_is_on_the_page(command: SlashCommand) -> None:
    """
    With how it is used and what it does.
    """
    text = PAGE.read_text(encoding="utf-8")

    assert f"`{command.usage}`".replace("|", "\\|") in text
    assert command.help in text
    assert command.details in text


@pytest.mark.parametrize("name", BY_NAME)
def test_every_name_is_on_the_page(name: str) -> None:
    """
    Other names too.
    """
    assert f"`/{name}" in PAGE.read_text(encoding="utf-8")
