"""Nothing that a model, a tool, a file name or a title says works on the terminal: held to the bytes, not the looks."""

import re

from tests.hosts.terminal.ptys import Place
from tests.journeys.terminal.house import KEY, House, ask, calling, ready

NASTY = (
    "clip \x1b]52;c;aGF4\x07 title \x1b]0;owned\x07 link \x1b]8;;http://evil.example\x1b\\x move \x1b[7;7H wipe \x1b[2J"
    " alt \x1b[?1049h mouse \x1b[?1003h answer \x1b[6n \x1b[c dcs \x1bP+q\x1b\\ reset \x1bc c1 \x9b31m \x9d0;owned\x9c"
    " bidi \u202egnp.exe\u2066 \u200f tag \U000e0041 bell \x07 back \x08\x08\x08 return \rover NUL \x00 end"
)
_SEQUENCE = re.compile(rb"\x1b(\[[0-?]*[ -/]*[@-~]|[^\[])")
_OURS = re.compile(
    rb"\x1b\[(\d*[ABCDGJK]"  # moves within what is drawn, and clears it
    rb"|[\d;]*m"  # colours
    rb"|\?(1|7|12|25|2004|2026)[hl]"  # keys, wrapping, cursor, pastes, drawing at once
    rb"|>?\d* ?[qu])"  # the shape of the cursor
)
_FORBIDDEN = ("\u202e", "\u2066", "\u200f", "\U000e0041", "\x00", "\x07", *map(chr, range(0x80, 0xA0)))


def strange(raw: bytes) -> list[str]:
    """What a program wrote that is neither text nor a sequence that drawing needs."""
    sequences = [found for found in _SEQUENCE.finditer(raw) if not _OURS.fullmatch(found.group())]
    text = raw.decode("utf-8")
    return [repr(each.group()) for each in sequences] + [repr(each) for each in _FORBIDDEN if each in text]


def test_words_of_a_model_do_nothing_to_the_terminal(house: House) -> None:
    """
    Control sequences in words, code, thoughts and titles are shown as what they are, live, later and on coming back.
    """
    Place.write(
        house,
        {"say": f"Boats {NASTY}", "when": "Answer with a title"},
        [
            {"think": NASTY},
            {"say": f"{NASTY}\n\n```sh\n{NASTY}\n```\n\n| a | b |\n|---|---|\n| {NASTY} | x |\n\nthe end"},
        ],
    )
    with house.open() as window:
        ask(window, "Hello", "the end")
        window.wait_for("Boats")
        ask(window, "/history", "the end")
        ask(window, "/session", "journey")
        assert [] == strange(window.raw)
    with house.open(columns=44) as again:
        assert [] == strange(again.raw)
        again.say("/resume")
        again.wait_for("search")
        again.press("esc")
        ready(again)
        assert [] == strange(again.raw)


def test_what_tools_give_and_files_are_called_does_nothing_to_the_terminal(house: House) -> None:
    """
    Output of commands, contents and names of files, and the question before a call are shown as what they are.
    """
    name = "nasty \x1b]0;owned\x07\u202e\x9b2J.txt"
    house.file(name, NASTY)
    house.write(
        calling("list_dir", path="."),
        calling("read_file", path=name),
        calling("shell", command=f"printf '%s' '{NASTY}'".replace("\0", "")),
        {"say": "the end"},
    )
    with house.open() as window:
        window.say("Look around")
        window.wait_for("y yes")
        assert [] == strange(window.raw)
        window.type("y")
        window.wait_for("the end")
        ready(window)
        window.type("@nas")
        window.wait_until(lambda: "nasty ␛" in window.screen.splitlines()[-2], "the file to be offered")
        window.press("ctrl-c")
        ask(window, "/history", "the end")
        assert [] == strange(window.raw)


def test_what_is_pasted_does_nothing_to_the_terminal(house: House) -> None:
    """
    A paste with control sequences is shown as what it is, while it is typed and after it is sent, and sent as it was.
    """
    house.write({"say": "I see."})
    pasted = NASTY.replace("\r", "")
    with house.open() as window:
        window.paste(pasted)
        window.wait_for("end")
        assert [] == strange(window.raw)
        window.press("enter")
        window.wait_for("I see.")
        assert [] == strange(window.raw)

    assert [pasted] == house.said(KEY)


def test_copying_is_the_only_way_to_the_clipboard(house: House) -> None:
    """
    /copy, which the person types, is what writes to the clipboard, and it writes what was said.
    """
    house.write({"say": "By the sea."})
    with house.open() as window:
        ask(window, "Where?", "By the sea.")
        assert b"\x1b]52" not in window.raw
        ask(window, "/copy", "Copied")
        assert b"\x1b]52;c;QnkgdGhlIHNlYS4=\x07" in window.raw
