"""The page of slash commands."""

import pytest

from docs.generate_slash import PAGE, page
from holdfast.commands.chat_table import BY_NAME, IN_CHAT
from holdfast.commands.command import Command


def test_the_page_is_up_to_date() -> None:
    """
    The page says what the table says; `make docs` writes it anew.
    """
    assert page() == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", IN_CHAT, ids=lambda each: each.name)
def test_every_command_is_on_the_page(command: Command) -> None:
    """
    With how it is used and what it does.
    """
    text = PAGE.read_text(encoding="utf-8")

    assert f"`{command.usage}`".replace("|", "\\|") in text
    assert command.chat.help in text
    assert command.chat.details in text


@pytest.mark.parametrize("name", BY_NAME)
def test_every_name_is_on_the_page(name: str) -> None:
    """
    Other names too.
    """
    assert f"`/{name}" in PAGE.read_text(encoding="utf-8")
