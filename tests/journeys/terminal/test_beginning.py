"""Ways to begin: the list, a copy, a command, and being called when something is over."""

from tests.journeys.terminal.house import KEY, MARK, House, ask, calling, ready, told


def _two_ways(house: House) -> None:
    """A session that went two ways, and another one."""
    house.write({"say": "Red."}, {"say": "Green."})
    with house.open() as window:
        ask(window, "First", "Red.")
        window.say("/rewind")
        window.wait_until(lambda: f"{MARK} First" in window.screen.splitlines()[-2], "the words in the input")
        window.press("ctrl-c")
        ready(window)
        ask(window, "Otherwise", "Green.")
        ask(window, "/rename The two ways", "The two ways")
    house.write({"say": "Blue."})
    with ready(house.chat("--session", "other")) as window:
        ask(window, "Elsewhere", "Blue.")
        ask(window, "/rename The other one", "The other one")


def test_resume_begins_with_the_list_or_with_what_is_called_so(house: House) -> None:
    """
    --resume alone lets one choose; with words, it looks for them; Esc leaves, and nothing was done.
    """
    _two_ways(house)
    with house.chat("--resume") as window:
        window.wait_for("↑↓ move", "The two ways", "The other one")
        window.press("down", "enter")
        told(window, "Continuing “The two ways”")
        ready(window)
    with house.chat("--resume", "other", "one") as window:
        window.wait_for("The other one", "↑↓ move")
        window.wait_gone("The two ways")
        window.press("enter")
        told(window, "Continuing “The other one”")
        ready(window)
    with house.chat("--resume") as window:
        window.wait_for("↑↓ move")
        window.press("esc")
        assert 0 == window.end()

    assert {KEY, "other"} == {folder.name for folder in (house.store / "sessions").iterdir()}


def test_resume_where_there_are_only_lines(house: House) -> None:
    """
    The list is numbered, and asked for by line.
    """
    _two_ways(house)
    with house.chat("--resume", TERM="dumb") as window:
        window.wait_for("The two ways", "Number, words")
        window.say("2")
        told(window, "Continuing “The two ways”")
        window.wait_for("\n>")
        window.say("/tree")
        window.wait_until(lambda: window.transcript.count("Number, words") == 2, "the branches")
        window.say("1")
        window.wait_for("On branch 1")
        window.say("/history")
        window.wait_for("First", "Red.")


def test_a_copy_is_begun_with(house: House) -> None:
    """
    --fork goes on in a copy of the latest, or of the one that is named or chosen; the original is as it was.
    """
    _two_ways(house)
    house.write({"say": "Grey."})
    with ready(house.chat("--fork")) as window:
        told(window, "Elsewhere")
        ask(window, "In the copy", "Grey.")
    with house.chat("--resume", "--fork") as window:
        window.wait_for("↑↓ move", "The two ways")
        window.type("two ways")
        window.wait_gone("The other one")
        window.press("enter")
        told(window, "Otherwise")
        ready(window)
        ask(window, "In another copy", "Grey.")

    assert ["Elsewhere"] == house.said("other")
    assert ["First", "Otherwise"] == house.said(KEY)
    copies = [each.name for each in (house.store / "sessions").iterdir() if each.name not in {KEY, "other"}]
    assert {("Elsewhere", "In the copy"), ("Otherwise", "In another copy")} == {
        tuple(said for said in house.said(copy) if said != "First") for copy in copies
    }


def test_a_copy_of_nothing_is_said(house: House) -> None:
    """
    --fork without a session says what to do instead.
    """
    with house.chat("--fork") as window:
        window.wait_for("--fork copies a session", "Leave --fork out")
        assert 2 == window.end()


def test_the_tree_may_be_the_first_thing(house: House) -> None:
    """
    A command on the command line is run when the session is there: /tree lets one choose at once.
    """
    _two_ways(house)
    house.write({"say": "Grey."})
    with house.chat("--session", KEY, "/tree") as window:
        window.wait_for("↑↓ move", "First", "Otherwise")
        window.press("up")
        window.wait_until(lambda: any("▸" in line and "First" in line for line in window.lines), "the first way")
        window.press("enter")
        window.wait_gone("↑↓ move")
        ready(window)
        ask(window, "Last", "Grey.")

    shown = house.run("show", KEY)
    assert (True, True, False) == ("First" in shown, "Last" in shown, "Otherwise" in shown)


def test_a_bell_rings_when_it_is_wanted(house: House) -> None:
    """
    With ui.bell, a question and the end of a turn ring once each; without it, nothing does.
    """
    for bell, rung in (("true", 2), ("false", 0)):
        house.configure(f"[ui]\nbell = {bell}\n")
        house.write(calling("shell", command="echo one"), {"say": "Done."})
        with ready(house.chat("--new")) as window:
            window.say("Go")
            window.wait_for("y yes")
            window.type("y")
            window.wait_for("Done.")
            ready(window)
            window.watch(0.3)
            assert rung == window.raw.count(b"\x07")
