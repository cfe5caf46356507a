"""Questions before something is done: shown as what would be done, answered by one key, and no by default."""

from tests.hosts.terminal.ptys import Terminal
from tests.journeys.terminal.house import KEY, MARK, House, calling, ready

KEYS = "y yes"
"""What stands below a question once keys answer it."""


def _put(window: Terminal, command: str) -> None:
    """Wait until a question about a command is put, and keys answer it."""
    window.wait_until(lambda: command in window.screen and KEYS in window.screen, f"the question about {command!r}")


def test_yes_no_and_always_mean_what_they_say(house: House) -> None:
    """
    `n` and Enter run nothing, `y` runs it once, `a` asks no more in this session, words are told to the model.
    """
    commands = ["echo one >> out", "echo two >> out", "echo three >> out", "echo four >> out", "touch five"]
    lines = [line for command in commands for line in (calling("shell", command=command), {"say": f"Done: {command}."})]
    house.write(*lines, calling("shell", command=commands[-1]), {"say": "Not asked."})
    with house.open() as window:
        answers = ("n", "y", "\r", "rather wait\r", "a")
        for number, (command, keys) in enumerate(zip(commands, answers, strict=True), start=1):
            window.say(f"Number {number}")
            _put(window, command)
            window.type(keys)
            window.wait_for(f"Done: {command}.")
            ready(window)
        window.say("Once more")
        window.wait_for("Not asked.")
        ready(window)

    results = house.results()
    assert ["denied", "ok", "denied", "denied", "ok", "ok"] == [outcome for outcome, _ in results]
    assert "rather wait" in results[3][1]
    assert "two\n" == (house.workspace / "out").read_text()
    assert (house.workspace / "five").exists()


def test_typing_ahead_never_allows_anything(house: House) -> None:
    """
    Letters typed before a question was seen are no answer to it: they stay in what is written, and nothing runs.
    """
    house.write(
        [{"delay": 0.02}, {"say": "I try. " * 40}, *calling("shell", command="echo ran >> out")], {"say": "No."}
    )
    with house.open() as window:
        window.say("Try")
        while "Allow:" not in window.screen:
            window.type("yay ")
            window.watch(0.05)
        _put(window, "echo ran")
        assert not (house.workspace / "out").exists()
        window.type("n")
        window.wait_for("No.")
        ready(window)
        assert "yay yay" in window.screen, "what was being written is put back"
        assert not (house.workspace / "out").exists()

    assert ["denied"] == [outcome for outcome, _ in house.results()]
    assert ["Try"] == house.said(KEY)


def test_a_change_is_shown_before_it_is_made(house: House) -> None:
    """
    A question about a file shows the change, line by line; after a yes the file is so, and after a stop it is not.
    """
    boat = house.file("boat.txt", "red\nsmall\n")
    house.write(
        calling("edit_file", path="boat.txt", edits=[{"old": "red", "new": "blue"}]),
        {"say": "Painted."},
        calling("edit_file", path="boat.txt", edits=[{"old": "blue", "new": "green"}]),
        {"say": "Never said."},
    )
    with house.open() as window:
        window.say("Paint it")
        window.wait_for("- red", "+ blue", KEYS)
        window.type("y")
        window.wait_for("Painted.")
        ready(window)
        window.say("Again")
        window.wait_until(lambda: "+ green" in window.transcript and KEYS in window.screen, "the second question")
        window.press("ctrl-c")
        window.wait_for("■ stopped")
        ready(window)

    assert "blue\nsmall\n" == boat.read_text()


def test_a_command_is_no_answer(house: House) -> None:
    """
    A line that begins with a slash is run at a question too, and never told to the model; the question goes on waiting.
    """
    house.write(calling("shell", command="echo ran >> out"), {"say": "Then not."}, {"say": "Never said."})
    with house.open() as window:
        window.say("Try")
        _put(window, "echo ran")
        window.say("/context")
        window.wait_for("room for the reply")
        _put(window, "echo ran")
        window.type("n")
        window.wait_for("Then not.")
        ready(window)
        window.say("/delete")
        window.wait_for("into the trash?", KEYS)
        window.say("/session")
        window.wait_for("Nothing was done.", "since")

    assert [("denied", "/context" in said) for _, said in house.results()] == [("denied", False)]


def test_words_of_an_answer_are_not_lost(house: House) -> None:
    """
    A question that is over before it is answered leaves what was typed in the input, and there it survives a kill.
    """
    house.write(calling("shell", command="echo ran >> out"))
    with house.open() as window:
        window.say("Try")
        _put(window, "echo ran")
        window.type("rather with a boat")
        window.wait_for("rather with a boat")
        window.press("ctrl-c")
        window.wait_for("■ stopped", f"{MARK} rather with a boat")
        window.watch(0.5)
        window.kill()
    with house.open() as window:
        window.wait_for(f"{MARK} rather with a boat")


def test_what_is_pasted_as_an_answer_is_told_whole(house: House) -> None:
    """
    Behind its label stand all of its lines, and none of them allows anything.
    """
    house.write(calling("shell", command="echo ran >> out"), {"say": "Then so."})
    with house.open() as window:
        window.say("Try")
        _put(window, "echo ran")
        window.paste("".join(f"y{number}\n" for number in range(30)))
        window.wait_for("[pasted 30 lines]")
        window.press("enter")
        window.wait_for("Then so.")
        ready(window)

    (outcome, said), *_ = house.results()
    assert "denied" == outcome
    assert "y0\ny1\n" in said
    assert "y29" in said
