"""Going back, aside and on: rewind, undo, fork, tree."""

from tests.journeys.terminal.house import KEY, MARK, House, ask, ready


def test_a_turn_is_taken_back_and_given_again(house: House) -> None:
    """
    /rewind puts the last words into the input to be said differently; /undo brings the turn back; nothing is gone.
    """
    house.write({"say": "Red."}, {"say": "Green."}, {"say": "Blue."})
    with house.open() as window:
        ask(window, "First", "Red.")
        ask(window, "Second", "Green.")
        window.say("/rewind")
        window.wait_until(lambda: f"{MARK} Second" in window.screen.splitlines()[-2], "the words in the input")
        window.press("ctrl-c")
        window.wait_until(lambda: MARK == window.screen.splitlines()[-2].strip(), "an empty input")
        ask(window, "/undo", "The rewind is undone: the last thing you said is “Second” again.")
        window.say("/history")
        window.wait_until(lambda: window.transcript.count("Green.") >= 2, "the turn to be back")
        ready(window)
        window.say("/rewind 2")
        window.wait_until(lambda: f"{MARK} First" in window.screen.splitlines()[-2], "the words in the input")
        window.type(" again")
        window.press("enter")
        window.wait_for("Blue.")
        ready(window)

    assert ["First", "Second", "First again"] == house.said(KEY)
    assert ["Red.", "Green.", "Blue."] == house.replies()
    assert 3 == house.kinds().count("rewound")


def test_a_fork_goes_on_by_itself(house: House) -> None:
    """
    /fork goes on in a copy; what is said there is not in the original, which is there to go back to.
    """
    house.write({"say": "Red."}, {"say": "Green."}, {"say": "Blue."})
    with house.open() as window:
        ask(window, "First", "Red.")
        ask(window, "/fork", "copy of this conversation")
        ask(window, "In the copy", "Green.")
        window.say(f"/resume {KEY}")
        window.wait_until(lambda: window.transcript.count("Red.") >= 2, "the original")
        ready(window)
        ask(window, "In the original", "Blue.")

    assert ["First", "In the original"] == house.said(KEY)
    keys = [key for key in (folder.name for folder in (house.store / "sessions").iterdir()) if key != KEY]
    assert [["First", "In the copy"]] == [house.said(key) for key in keys]


def test_the_tree_shows_every_way_and_goes_back_to_one(house: House) -> None:
    """
    /tree lists the ways a conversation went; the one that is chosen is gone on with.
    """
    house.write({"say": "Red."}, {"say": "Green."}, {"say": "Blue."})
    with house.open() as window:
        ask(window, "First", "Red.")
        window.say("/rewind")
        window.wait_until(lambda: f"{MARK} First" in window.screen.splitlines()[-2], "the words in the input")
        window.press("ctrl-c")
        ready(window)
        ask(window, "Otherwise", "Green.")
        window.say("/tree")
        window.wait_for("↑↓ move", "First", "Otherwise")
        window.press("esc")
        window.wait_for("(here)")
        ready(window)
        window.say("/tree")
        window.wait_for("↑↓ move")
        window.press("up")
        window.wait_until(lambda: any("▸" in line and "First" in line for line in window.lines), "the first way")
        window.press("enter")
        window.wait_gone("↑↓ move")
        ask(window, "Last", "Blue.")

    last = house.entries(KEY)[-1]
    shown = house.run("show", KEY)
    assert "Last" in shown
    assert last["kind"] in {"turn_ended", "described"}
    assert ("First" in shown, "Otherwise" in shown) == (True, False)
