"""The first screen."""

import re
from pathlib import Path

import pytest
from wcwidth import wcswidth

from holdfast import open_store
from holdfast.hosts.terminal.chat.welcome import PLAIN_KEYS, is_first_time, remember_welcome, welcome_lines
from holdfast.hosts.terminal.draw.activity import Look
from holdfast.hosts.terminal.draw.theme import NONE
from holdfast.providers.choose.choose import Choice, choose

CHOICE = Choice(name="local:qwen", why="asked for", said="Model: local:qwen (asked for).")


def _lines(width: int, home: Path) -> list[str]:
    return welcome_lines(
        CHOICE, open_store(home / ".holdfast").about(), Look(theme=NONE, width=width), {"HOME": str(home)}
    )


def test_it_is_shown_once(tmp_path: Path) -> None:
    """
    Who was welcomed is not welcomed again, in no folder and no session.
    """
    environment = {"HOME": str(tmp_path)}

    assert is_first_time(environment)
    remember_welcome(environment)
    remember_welcome(environment)
    assert not is_first_time(environment)


def test_a_home_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """
    Where nothing can be remembered, the welcome is shown again, and nothing fails.
    """
    (tmp_path / "file").touch()
    environment = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "file")}
    remember_welcome(environment)

    assert is_first_time(environment)


@pytest.mark.parametrize("width", [80, 40])
def test_it_fits_one_screen(width: int, tmp_path: Path) -> None:
    """
    At 80 columns and at 40, all of it is seen at once, with the prompt below it.
    """
    lines = _lines(width, tmp_path)

    assert 22 >= len(lines)
    assert [] == [line for line in lines if wcswidth(line) > width]


def test_it_says_what_counts(tmp_path: Path) -> None:
    """
    What this is, who answers and how to get another, where conversations are kept, and three keys.
    """
    text = " ".join(" ".join(_lines(80, tmp_path)).split())

    for each in (
        "cannot be lost",
        "Model: local:qwen",
        "ANTHROPIC_API_KEY",
        "~/.holdfast",
        "Enter",
        "Esc",
        "Ctrl-D",
        "/help",
    ):
        assert each in text


def test_it_says_once_how_to_get_another_model(tmp_path: Path) -> None:
    """
    Where the choice itself says what brings a better one, nothing more is said of it.
    """
    said = "Model: local:qwen (nothing else was found). A key such as OPENAI_API_KEY brings a better one."
    choice = Choice(name="local:qwen", why="nothing else was found", said=said)
    lines = welcome_lines(choice, open_store(tmp_path).about(), Look(theme=NONE, width=80), {"HOME": str(tmp_path)})

    assert 1 == " ".join(lines).count("OPENAI_API_KEY")


@pytest.mark.parametrize("width", [80, 40])
async def test_it_names_the_quickest_ways_to_a_real_model(width: int, tmp_path: Path) -> None:
    """
    A key, from the environment or pasted once, and Ollama: each with what to type, whole on one screen.
    """
    choice = await choose(environment={"OLLAMA_HOST": "127.0.0.1:9"})
    look, environment = Look(theme=NONE, width=width), {"HOME": str(tmp_path)}
    lines = welcome_lines(choice, open_store(tmp_path / ".holdfast").about(), look, environment)
    text = " ".join(lines)

    assert "the built-in demo model" in text.replace("  ", " ")
    assert "OPENAI_API_KEY" in text
    assert "`holdfast key add openai`" in text
    assert re.search(r"`ollama pull qwen3:[\d.]+b`", text)
    assert 22 >= len(lines)
    assert [] == [line for line in lines if wcswidth(line) > width]


def test_it_names_the_keys_that_there_are(tmp_path: Path) -> None:
    """
    Where there are only lines, Ctrl-C stops and Esc does nothing.
    """
    look, environment = Look(theme=NONE, width=80), {"HOME": str(tmp_path)}
    lines = welcome_lines(CHOICE, open_store(tmp_path).about(), look, environment, PLAIN_KEYS)

    assert "Ctrl-C  stops it; nothing said is lost" in lines
    assert [] == [line for line in lines if "Esc" in line]
