"""Hooks of the user's settings, as a person sees them in the chat."""

import sys

import pytest

from tests.journeys.terminal.house import House, ask, calling
from tests.journeys.terminal.kept import kept
from tests.journeys.terminal.test_rewinding import SIZES, since, still

GUARD = """
import json, sys
told = json.load(sys.stdin)
if told["on"] == "turn_start":
    print(json.dumps({"context": "The harbour is closed on Fridays."}))
elif "rm " in told["arguments"]["command"]:
    print(json.dumps({"deny": "Nothing is removed here."}))
elif "boats" in told["arguments"]["command"]:
    print(json.dumps({"arguments": {"command": "cat crew.txt"}}))
else:
    sys.exit("I do not know this command.")
"""


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_a_hook_that_denies_changes_and_fails(house: House, columns: int, rows: int) -> None:
    """
    What it stops is not run, what it changes runs as changed, and one that fails stops the call too.
    """
    house.file("crew.txt", "Alice\n")
    (house.home / "guard.py").write_text(GUARD)
    command = f'command = ["{sys.executable}", "{house.home / "guard.py"}"]\n'
    house.configure(
        f'[[hooks]]\non = "turn_start"\n{command}[[hooks]]\non = "before_tool"\ntools = ["shell"]\n{command}'
    )
    lines = [calling("shell", command=each) for each in ("rm crew.txt", "cat boats.txt", "date")]
    house.write(*lines, {"say": "Alice is here."})
    with house.open("--allow", "shell", columns=columns, rows=rows) as window:
        ask(window, "Tidy up", "Alice is here.")
        screen = since("Tidy up", still(window, *(["· Boats"] if columns > 40 else [])))

    assert (house.workspace / "crew.txt").exists()
    assert ["denied", "ok", "denied"] == [outcome for outcome, _ in house.results()]
    assert "Alice" in house.results()[1][1]
    assert ["ok", "denied", "ok", "failed"] == [
        str(each.get("outcome", "ok")) for each in house.entries("journey") if each["kind"] == "hook_ran"
    ]
    expected, actual = kept(f"hook-{columns}", screen, house)
    assert expected == actual
