"""The first screen."""

from pathlib import Path

import pytest
from wcwidth import wcswidth

from holdfast.hosts.terminal.theme import NONE
from holdfast.hosts.terminal.welcome import is_first_time, remember_welcome, welcome_lines


def _lines(width: int, home: Path) -> list[str]:
    return welcome_lines(
        model="Model: local:qwen (runs on this machine, without a key).",
        store=home / ".holdfast",
        width=width,
        theme=NONE,
        environment={"HOME": str(home)},
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
