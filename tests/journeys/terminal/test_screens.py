"""What people see, kept as text: a change of it shows here. See `kept` for how the files are written anew."""

import re
import signal
from pathlib import Path

import pytest

from tests.hosts.terminal.input.test_clipboard import program
from tests.hosts.terminal.ptys import Terminal
from tests.journeys.terminal.house import KEY, MARK, House, ask, calling, ready, slowly, told, words
from tests.journeys.terminal.kept import kept
from tests.journeys.terminal.test_many_sessions import fill, workspace_of
from tests.records.pictures import png

ROWS = {80: 24, 40: 20, 120: 40}
"""How wide windows are, and how high."""


def _still(window: Terminal, *texts: str) -> str:
    """The screen once texts are on it, and nothing on it moves any more."""
    told(window, *texts)
    ready(window)
    return window.screen


def _since(said: str, screen: str) -> str:
    """What a screen shows from something that was typed on: how far it has scrolled differs from run to run."""
    return screen[screen.rindex(f"{MARK} {said}") :]


@pytest.mark.parametrize("columns", ROWS)
def test_the_first_run(tmp_path: Path, columns: int) -> None:
    """
    One screen says what it is, which model answers, where conversations are kept; the second start does not repeat it.
    """
    house = House(tmp_path, welcomed=False)
    with house.open(columns=columns, rows=ROWS[columns]) as window:
        screen = _still(window, "not shown again")
    with house.open(columns=columns) as again:
        assert "not shown again" not in _still(again, "Model:")

    expected, actual = kept(f"first-run-{columns}", screen, house)
    assert expected == actual


@pytest.mark.parametrize("columns", [80, 40])
def test_a_return_after_a_crash(house: House, columns: int) -> None:
    """
    The last exchange, where it broke off, and how to go on.
    """
    house.write([*slowly("I look at the harbour. " + words(40)), {"fail": "silence"}])
    with house.open(columns=columns) as window:
        window.say("Where does the boat lie?")
        window.wait_for("word39")
        window.wait_until(lambda: "word39" in house.drafted(), "the draft")
        window.kill()
        assert -signal.SIGKILL == window.end()
    with house.open(columns=columns) as again:
        expected, actual = kept(f"return-{columns}", _still(again, "Press Enter", "Model:"), house)

    assert expected == actual


@pytest.mark.parametrize("columns", ROWS)
def test_the_output_of_a_tool(house: House, columns: int) -> None:
    """
    Its first six lines stand below the call, with how many more there are; Ctrl-O shows all of it.
    """
    house.file("boats.txt", "".join(f"boat {number}\n" for number in range(1, 13)))
    house.write(calling("read_file", path="boats.txt"), {"say": "Twelve boats."})
    with house.open(columns=columns, rows=ROWS[columns]) as window:
        ask(window, "How many boats are there?", "Twelve boats.")
        folded = _still(window, "· Boats")
        window.press("ctrl-o")
        opened = _since("/output", _still(window, "boat 12"))

    expected, actual = kept(f"output-folded-{columns}", folded, house)
    assert expected == actual
    expected, actual = kept(f"output-open-{columns}", opened, house)
    assert expected == actual


@pytest.mark.parametrize("columns", ROWS)
def test_a_command_is_stopped_and_gone_on_with(house: House, columns: int) -> None:
    """
    Its last line is seen while it runs; Esc says who stopped it, what it wrote is kept, and /continue goes on.
    """
    house.write(calling("shell", command="echo the tide rises; exec sleep 61"), {"say": "The tide rose."})
    with house.open("--allow", "shell", columns=columns, rows=ROWS[columns]) as window:
        window.say("Watch the tide")
        window.wait_until(lambda: "· the tide rises" in window.screen, "the last line of the command")
        window.press("esc")
        stopped = _still(window, "stopped by you")
        window.say("/continue")
        gone_on = _since("/continue", _still(window, "The tide rose.", "· Boats"))

    assert any("the tide rises" in text for _, text in house.results())
    expected, actual = kept(f"stopped-{columns}", stopped, house)
    assert expected == actual
    expected, actual = kept(f"stopped-continued-{columns}", gone_on, house)
    assert expected == actual


@pytest.mark.parametrize("columns", ROWS)
def test_the_permission_modes(house: House, columns: int) -> None:
    """
    Shift-Tab switches to accepting edits and to planning; the status line says so; a plan is approved.
    """
    edit = calling("write_file", path="boat.txt", content="blue\n")
    house.write(edit, {"say": "Painted."}, edit, {"say": "1. Paint the boat."}, {"say": "Painted again."})
    with house.open(columns=columns, rows=ROWS[columns]) as window:
        window.press("shift-tab")
        window.wait_for("edits")
        ask(window, "Paint the boat", "Painted.")
        edited = _since("Paint the boat", _still(window, *(["· Boats"] if columns > 40 else [])))
        window.press("shift-tab")
        window.wait_for("plan")
        ask(window, "Paint it again", "1. Paint the boat.")
        planned = _since("Paint it again", _still(window, "/approve"))
        window.say("/approve")
        approved = _since("/approve", _still(window, "Painted again."))

    assert ["ok", "denied"] == [outcome for outcome, _ in house.results()]
    for name, screen in (("edits", edited), ("plan", planned), ("approved", approved)):
        expected, actual = kept(f"mode-{name}-{columns}", screen, house)
        assert expected == actual


@pytest.mark.parametrize("columns", ROWS)
def test_a_typed_command(house: House, columns: int) -> None:
    """
    What a command wrote that the person typed is said to the model, which answers.
    """
    house.file("boats.txt", "blue\nred\n")
    house.write({"say": "Two boats."})
    with house.open(columns=columns, rows=ROWS[columns]) as window:
        ask(window, "!cat boats.txt", "Two boats.")
        screen = _since("!cat boats.txt", _still(window, "· Boats"))

    expected, actual = kept(f"typed-command-{columns}", screen, house)
    assert expected == actual


def test_a_question_with_a_change(house: House) -> None:
    """
    The change line by line, the question, the keys; and afterwards what was done.
    """
    house.file("boat.txt", "".join(f"{colour}\n" for colour in ("white", "red", "grey", "black")))
    house.write(calling("edit_file", say="I paint it.", path="boat.txt", edits=[{"old": "red", "new": "blue"}]))
    with house.open() as window:
        window.say("Paint the boat blue")
        window.wait_for("y yes")
        asked = window.screen
        house.write()
        window.type("y")
        window.wait_for("✓ edit")
        done = _still(window, "…")

    expected, actual = kept("question", _without_time(asked), house)
    assert expected == actual
    expected, actual = kept("question-answered", done, house)
    assert expected == actual


def _without_time(screen: str) -> str:
    """A screen without the sign that turns, and without the status, which counts."""
    still = re.sub(r"[\u2801-\u28ff] waiting for your answer.*", "⠿ waiting for your answer", screen)
    return still.rpartition("\n")[0]


@pytest.mark.parametrize("command", ["help", "context"])
def test_a_command(house: House, command: str) -> None:
    """
    What commands show, at the usual size.
    """
    house.write({"say": "By the sea."})
    with house.open(rows=80) as window:
        ask(window, "Where is the harbour?", "By the sea.")
        window.wait_for("Boats")
        window.say(f"/{command}")
        window.wait_until(lambda: window.screen.count("\n") > 12, "what it shows")
        expected, actual = kept(command, _still(window), house)

    assert expected == actual


def test_the_tree(house: House) -> None:
    """
    The ways a conversation went, to choose from, and as they stay when none is chosen.
    """
    house.write({"say": "Red."}, {"say": "Green."}, {"say": "Blue."})
    with house.open() as window:
        ask(window, "Which colour has the boat?", "Red.")
        ask(window, "Are you sure?", "Green.")
        window.say("/rewind")
        window.wait_until(lambda: f"{MARK} Are you sure?" in window.screen.splitlines()[-2], "the words in the input")
        window.press("ctrl-c")
        ready(window)
        ask(window, "Which one would you like?", "Blue.")
        window.say("/tree")
        window.wait_for("↑↓ move")
        choosing = window.screen
        window.press("esc")
        window.wait_gone("↑↓ move")
        left = _still(window, "(here)")

    expected, actual = kept("tree", choosing, house)
    assert expected == actual
    expected, actual = kept("tree-left", left, house)
    assert expected == actual


@pytest.mark.parametrize("columns", [80, 40])
def test_the_list_of_sessions(house: House, columns: int) -> None:
    """
    The newest first, what was last said in the one that is looked at, and the keys.
    """
    house.write({"say": "Ahoy."})
    with ready(house.chat("--session", "first")) as window:
        ask(window, "Hello", "Ahoy.")
    fill(house, workspace_of(house), 30)
    with house.chat("--resume", columns=columns) as window:
        window.wait_for("Voyage 29")
        window.type("voyage 2")
        window.wait_until(lambda: "Voyage 19" not in window.screen and "At pier" in window.screen, "the finds")
        expected, actual = kept(f"picker-{columns}", window.screen, house)

    assert expected == actual


def test_a_service_that_fails(house: House) -> None:
    """
    What went wrong, in plain words, and that the chat goes on.
    """
    house.configure("[retry]\nattempts = 1\n")
    house.write({"fail": "refused"}, {"say": "Here again."})
    with house.open() as window:
        window.say("Hello")
        window.wait_for("failed")
        ready(window)
        ask(window, "/renam Boats", "rename")
        screen = ask(window, "Hello?", "Here again.")
        expected, actual = kept("error", screen, house)

    assert expected == actual


def test_a_session_that_another_window_has(house: House) -> None:
    """
    Who has it, since when, and what can be done.
    """
    with house.open(), house.chat("--session", KEY, columns=200) as second:
        second.wait_for("held by", "leave")
        expected, actual = kept("held", second.screen, house)

    assert expected == actual


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 20), (120, 40)])
def test_choosing_among_forks(house: House, columns: int, rows: int) -> None:
    """
    A fork is called one, and says where it left and what was said in it since.
    """
    house.write({"say": "At pier 3."})
    with ready(house.chat("--session", "first")) as window:
        ask(window, "Where does the boat lie?", "At pier 3.")
    house.run("rename", "first", "The boat")
    house.run("fork", "first", "second")
    with house.chat("--resume", columns=columns, rows=rows) as window:
        window.wait_for("The boat (fork)", "forked from first at")
        expected, actual = kept(f"picker-forks-{columns}", window.screen, house)

    assert expected == actual


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 20), (120, 40)])
def test_pasting_a_picture(house: House, columns: int, rows: int) -> None:
    """
    Ctrl-V puts its name into the input, it goes out with the message, and what is missing is named.
    """
    found = {**program(house.home / "bin", "xclip", png()), "DISPLAY": ":9"}
    house.write({"say": "A red square."})
    with ready(house.chat("--session", "first", columns=columns, rows=rows, **found)) as window:
        window.press("ctrl-v")
        window.wait_for("@clipboard-1.png")
        window.type("What is this?")
        window.press("enter")
        window.wait_for("A red square.")
        expected, actual = kept(f"picture-{columns}", _still(window, "A red square."), house)
    with ready(house.chat("--session", "first", DISPLAY="", WAYLAND_DISPLAY="x")) as window:
        window.press("ctrl-v")
        window.wait_for("Install the package wl-clipboard")

    assert expected == actual
    said = next(each for each in house.entries("first") if each["kind"] == "user_said")["parts"]
    assert isinstance(said, list)
    assert ["text", "blob"] == [each["kind"] for each in said]
    assert "clipboard-1.png" == said[1]["name"]
