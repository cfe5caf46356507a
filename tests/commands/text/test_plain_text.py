"""Answers as plain text, at any width."""

import pytest

from holdfast.commands.answers import (
    Bar,
    BarPiece,
    Cleared,
    Column,
    CommandAnswer,
    Confirm,
    Copied,
    Fact,
    Facts,
    Moved,
    PickBranch,
    PickSession,
    Plot,
    PlotPoint,
    Prose,
    Quit,
    SwitchTo,
    Table,
    Themed,
    Typed,
)
from holdfast.commands.text.plain_text import lines_of, text_of
from holdfast.ids import Position

TABLE = Table(
    title="Boats",
    columns=(Column(name="Name"), Column(name="Size", right=True), Column(name="About")),
    rows=(("Ida", "7", "red, and quick when the wind is good"), ("Johanna", "112", "blue")),
    note="Choose one.",
)


def test_a_table_has_columns_where_there_is_room() -> None:
    """
    Numbers end at the same place; what is long goes on below itself.
    """
    assert [
        "Boats",
        "Name     Size  About",
        "Ida         7  red, and quick when the wind is good",
        "Johanna   112  blue",
        "",
        "Choose one.",
    ] == lines_of(TABLE, 80)


def test_a_table_is_stacked_where_there_is_none() -> None:
    """
    Each row has lines of its own, and numbers say what they are.
    """
    assert [
        "Boats",
        "Ida  size 7",
        "  red, and quick when the wind",
        "  is good",
        "Johanna  size 112",
        "  blue",
        "",
        "Choose one.",
    ] == lines_of(TABLE, 30)


def test_facts_stand_below_each_other() -> None:
    """
    Values begin at the same place, also where they go on.
    """
    facts = Facts(title="Boat", facts=(Fact(name="name", value="Ida"), Fact(name="harbour", value="the old one there")))

    assert ["Boat", "name     Ida", "harbour  the old", "         one", "         there"] == lines_of(facts, 17)


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_a_bar_is_as_long_as_there_is_room(columns: int) -> None:
    """
    Everything that is there is seen in it, however small, and the rest adds up.
    """
    pieces = (
        BarPiece(name="a", amount=1),
        BarPiece(name="b", amount=5_000),
        BarPiece(name="left", amount=5_000, free=True),
    )
    title, bar, *rows = lines_of(Bar(title="Full", unit="tokens", pieces=pieces, note="Room."), columns)

    assert "Full" == title
    assert min(columns, 64) == len(bar)
    assert 1 == bar.count("█")
    assert abs(bar.count("▓") - bar.count("·")) <= 2
    assert "█ a             1  < 1 %" == rows[0]
    assert ["", "Room."] == rows[-2:]


def test_a_bar_of_nothing_is_no_mistake() -> None:
    """
    Then there is nothing to see.
    """
    assert ["Empty", ""] == lines_of(Bar(title="Empty", unit="tokens", pieces=(BarPiece(name="a", amount=0),)), 40)


def test_a_plot_shows_the_newest_that_fit() -> None:
    """
    The highest is told, nothing is a dot, and the ends are named where there is room.
    """
    points = tuple(PlotPoint(label=f"01-{day:02}", amount=day % 3 * 10) for day in range(1, 31))
    plot = Plot(title="By day", unit="tokens", points=points)

    title, drawn, ends = lines_of(plot, 80)
    assert "By day (the highest: 20 tokens)" == title
    assert (10, 10) == (drawn.count("█"), drawn.count("·"))
    assert "  01-01                    01-30" == ends
    assert 12 == len(lines_of(plot, 12)[-1])


@pytest.mark.parametrize(
    "answer",
    [
        SwitchTo(key="a"),
        PickSession(),
        Typed(text="a"),
        Copied(text="a", what="a"),
        Cleared(),
        Themed(name="dark"),
        Quit(),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_is_only_done_shows_nothing(answer: CommandAnswer) -> None:
    """
    The host says something, if anything.
    """
    assert "" == text_of([answer], 80)


@pytest.mark.parametrize(
    "answer",
    [
        Prose(markdown="a\x1b[31mb"),
        Facts(title="a\x1b[31mb", facts=(Fact(name="n", value="\x1b]0;x\x07"),)),
        Table(title="\x07", columns=(Column(name=""),), rows=(("\x1b[2J",),), note="\u202e"),
        Bar(title="\x1b[31m", unit="", pieces=(), note="\x1b"),
        PickBranch(drawing="├─ \x1b[31m", choices=()),
        Moved(head=Position(1), said="\x9b31m"),
        Confirm(question="\x1b[31m?", then="/delete"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_no_control_character_is_shown(answer: CommandAnswer) -> None:
    """
    Whoever said it, and wherever it stands.
    """
    shown = text_of([answer], 80)

    assert shown
    assert shown.replace("\n", "").isprintable()
