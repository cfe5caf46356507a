"""Colours by role."""

import pytest

from holdfast.hosts.terminal.draw.theme import DARK, LIGHT, NONE, Wanted, is_dumb, theme_for


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}, {}])
@pytest.mark.parametrize("wanted", ["auto", "light", "dark"])
def test_no_colour_means_none(wanted: Wanted, variables: dict[str, str]) -> None:
    """
    NO_COLOR, a dumb terminal and no terminal at all are never coloured, whatever the settings say.
    """
    assert NONE == theme_for(wanted, variables)


def test_an_empty_no_color_says_nothing() -> None:
    """
    NO_COLOR counts only if it is not empty, as its standard has it.
    """
    assert DARK == theme_for("dark", {"NO_COLOR": "", "TERM": "xterm"})


@pytest.mark.parametrize(
    ("ground", "expected"), [("0;15", LIGHT), ("0;default;7", LIGHT), ("15;0", DARK), ("", DARK), ("nonsense", DARK)]
)
def test_auto_follows_the_ground_of_the_terminal(ground: str, expected: object) -> None:
    """
    A terminal that says that its ground is light gets the colours for it; otherwise it is taken for dark.
    """
    assert expected == theme_for("auto", {"TERM": "xterm", "COLORFGBG": ground})


def test_a_chosen_theme_wins_over_the_ground() -> None:
    """
    Who chose a theme has it.
    """
    assert LIGHT == theme_for("light", {"TERM": "xterm", "COLORFGBG": "15;0"})
    assert NONE == theme_for("none", {"TERM": "xterm"})


def test_painted_text_ends_its_colour() -> None:
    """
    A colour ends with the text it was meant for, and an empty text has none.
    """
    assert "\x1b[31mx\x1b[0m" == DARK.painted("x", "error")
    assert "" == DARK.painted("", "error")
    assert "x" == NONE.painted("x", "error")


def test_roles_add_up() -> None:
    """
    A strong word in a quote is both.
    """
    assert "\x1b[1;2mx\x1b[0m" == DARK.painted("x", "strong", "dim")
    assert "\x1b[1mx\x1b[0m" == DARK.painted("x", "model", "strong")


def test_both_themes_know_the_same_roles() -> None:
    """
    Nothing that is coloured on a dark ground is plain on a light one.
    """
    assert DARK.codes.keys() == LIGHT.codes.keys()
    assert (False, True) == (DARK.plain, NONE.plain)


def test_a_terminal_without_a_name_is_dumb() -> None:
    """
    Where nothing is known of the terminal, nothing is expected of it.
    """
    assert [True, True, False] == [is_dumb({}), is_dumb({"TERM": "dumb"}), is_dumb({"TERM": "xterm-256color"})]
