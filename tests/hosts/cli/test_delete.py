"""`delete` and `trash`: what goes away, and what can still come back."""

import pytest

from holdfast import ManualClock, open_blocking
from tests.hosts.conftest import Shell
from tests.hosts.processes import Answer

CANARY = "canary7731"


def keys(shell: Shell) -> list[str]:
    """The sessions there are."""
    return sorted(each["key"] for each in shell.json_of("sessions")["sessions"])


def traces(shell: Shell) -> list[str]:
    """Files below the store that hold the canary, or are named after it."""
    return [
        str(path)
        for path in shell.store.rglob("*")
        if CANARY in path.name or (path.is_file() and CANARY.encode() in path.read_bytes())
    ]


@pytest.mark.parametrize(
    ("typed", "code", "said", "left"),
    [
        ("y\n", 0, "Removed notes for good.", []),
        ("YES\n", 0, "Removed notes for good.", []),
        ("n\n", 6, "Nothing was removed.", ["notes"]),
        ("\n", 6, "Nothing was removed.", ["notes"]),
        ("yep\n", 6, "Nothing was removed.", ["notes"]),
        ("\x04", 6, "Nothing was removed.", ["notes"]),
        ("\x03", 130, "", ["notes"]),
    ],
    ids=["y", "yes", "no", "enter", "unclear", "end of input", "Ctrl-C"],
)
def test_only_a_clear_yes_removes(notes: Shell, typed: str, code: int, said: str, left: list[str]) -> None:
    """
    Delete asks, naming what would go, and takes everything but yes for a no; Ctrl-C ends it at once.
    """
    seen = notes.typed("delete", "notes", answers=[Answer("Remove notes (4 messages) for good? [y/N] ", typed)])

    assert code == seen.code
    assert said in seen.text
    assert left == keys(notes)


def test_without_a_terminal_nothing_is_removed(notes: Shell) -> None:
    """
    A script that does not say --yes removes nothing, and can tell by the code.
    """
    ran = notes("delete", "notes")

    assert (6, "") == (ran.code, ran.out)
    assert "--yes removes without asking" in ran.err
    assert ["notes"] == keys(notes)


def test_deleting_leaves_no_byte(shell: Shell) -> None:
    """
    What was said, and the key, are gone from the log, the catalog and the search index.
    """
    shell.say(CANARY, f"the {CANARY} sings", "it does")
    shell("search", CANARY)
    assert traces(shell)

    assert {"keys": [CANARY], "trash": False} == shell.json_of("delete", CANARY, "--yes")
    assert [] == traces(shell)


def test_one_unknown_key_and_nothing_goes(notes: Shell) -> None:
    """
    All sessions named are looked for before any is removed.
    """
    ran = notes("delete", "notes", "nots", "--yes")

    assert (3, "holdfast: There is no session 'nots'.\nDid you mean 'notes'?\n") == (ran.code, ran.err)
    assert ["notes"] == keys(notes)


def test_a_key_named_twice_goes_once(notes: Shell) -> None:
    """
    What is gone already is no failure when it was named again.
    """
    assert {"keys": ["notes"], "trash": False} == notes.json_of("delete", "notes", "notes", "--yes")


def test_what_went_before_a_failure_is_told(notes: Shell) -> None:
    """
    When one of several sessions is in use, nobody has to guess which of the others are gone.
    """
    notes.say("other", "Where is the harbour?")
    with open_blocking(notes.store) as store, store.session("notes"):
        ran = notes("delete", "other", "notes", "--yes")

    assert (4, "Removed for good before this: other.") == (ran.code, ran.err.splitlines()[0])
    assert ["notes"] == keys(notes)


def test_the_trash_gives_back(notes: Shell) -> None:
    """
    What was only thrown away is listed, comes back by its key, and is as it was.
    """
    before = notes.segment("notes").read_bytes()
    assert "notes: in the trash." in notes("delete", "notes", "--trash").out
    assert [] == keys(notes)
    assert notes("trash").out.startswith("notes  just now")
    assert ["notes"] == [each["key"] for each in notes.json_of("trash")]
    said = "It is in the trash: `holdfast trash restore notes` brings it back."
    assert (3, said) == (notes("show", "notes").code, notes("show", "notes").err.splitlines()[1])

    assert "notes is back.\n" == notes("trash", "restore", "notes").out
    assert before == notes.segment("notes").read_bytes()
    assert ["notes"] == keys(notes)
    assert (0, "", "The trash is empty.\n") == notes("trash")


def test_two_of_one_key_are_told_apart(shell: Shell) -> None:
    """
    Sessions that had the same key are listed with the name that brings each back.
    """
    for text in ("first", "second"):
        shell.say("notes", text)
        shell("delete", "notes", "--trash")
    older = shell.json_of("trash")[1]["name"]

    assert older in shell("trash").out
    assert 0 == shell("trash", "restore", older).code
    assert "first" in shell("show", "notes").out
    assert 1 == shell("trash", "restore", "notes").code
    assert "first" in shell("show", "notes").out


def test_emptying_the_trash_asks(notes: Shell) -> None:
    """
    The trash is emptied by a yes, or one session of it by its name, and never by itself.
    """
    notes.say("other", "hello")
    notes("delete", "notes", "other", "--trash")

    assert 6 == notes("trash", "empty").code
    assert 6 == notes.typed("trash", "empty", answers=[Answer("2 sessions", "n\n")]).code
    assert {"removed": 1} == notes.json_of("trash", "empty", "other", "--yes")
    seen = notes.typed("trash", "empty", answers=[Answer("[y/N]", "y\n")])
    assert (0, True) == (seen.code, seen.text.endswith("Removed 1 session for good.\n"))
    assert {"removed": 0} == notes.json_of("trash", "empty")


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (["restore", "notse"], 3, "Did you mean 'notes'?"),
        (["restore", "zzz"], 3, "`holdfast trash` lists what there is."),
        (["restore"], 2, "`holdfast trash` lists what there is."),
        (["list", "x"], 2, "`holdfast trash --help` says how it is used."),
        (["sweep"], 2, "Give --days a number above 0."),
        (["sweep", "--days", "x"], 2, "Give --days a number above 0."),
        (["burn"], 2, "`holdfast trash --help` says how it is used."),
    ],
)
def test_the_trash_says_what_it_needs(notes: Shell, words: list[str], code: int, hint: str) -> None:
    """
    A wrong name or a missing one is answered with what to do.
    """
    notes("delete", "notes", "--trash")
    ran = notes("trash", *words)

    assert (code, "", hint) == (ran.code, ran.out, ran.err.splitlines()[-1])


def test_sweeping_moves_what_is_idle(notes: Shell) -> None:
    """
    A dry run only says which; a sweep moves them, and they can come back.
    """
    notes.say("old", "hello", clock=ManualClock(10**18))

    assert ["old"] == [
        each["key"] for each in notes.json_of("trash", "sweep", "--days", "9", "--dry-run")["would_move"]
    ]
    assert ["notes", "old"] == keys(notes)
    ran = notes("trash", "sweep", "--days", "9")
    assert (0, "old  2001-09-09\n") == (ran.code, ran.out)
    assert "1 session idle for more than 9 days went to the trash." in ran.err
    assert ["notes"] == keys(notes)
