"""A command of the user's own, as a person finds and types it."""

import pytest

from tests.journeys.terminal.house import House, ask
from tests.journeys.terminal.kept import kept
from tests.journeys.terminal.test_rewinding import SIZES, since, still


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_an_own_command(house: House, columns: int, rows: int) -> None:
    """
    What it says to the model is seen, and what was typed behind its name stands in it.
    """
    folder = house.home / ".config" / "holdfast" / "commands"
    folder.mkdir(parents=True)
    (folder / "tide.md").write_text("---\ndescription: When the tide is high\n---\nWhen is high tide at $1?")
    house.write({"say": "At noon."})
    with house.open(columns=columns, rows=rows) as window:
        ask(window, "/tide Dover", "At noon.")
        screen = since("/tide Dover", still(window, *(["· Boats"] if columns > 40 else [])))
        window.say("/help tide")
        about = since("/help tide", still(window, "says this to the model"))

    for name, seen in (("own-command", screen), ("own-command-help", about)):
        expected, actual = kept(f"{name}-{columns}", seen, house)
        assert expected == actual
