"""`fork`, `rewind`, `rename`, `tag`, `archive`."""

import subprocess
import sys

import pytest

from tests.hosts.conftest import Shell

HOLD = """
import asyncio, sys
from holdfast import open_store
async def hold():
    async with open_store(sys.argv[1]) as store, store.session("notes", doing="chatting \\x1b[31m"):
        print("held", flush=True)
        await asyncio.to_thread(sys.stdin.read)
asyncio.run(hold())
"""


def test_fork_begins_as_a_copy(notes: Shell) -> None:
    """
    A fork has what was said up to a position, and the original stays as it is.
    """
    before = notes.segment("notes").read_bytes()
    ran = notes("fork", "notes", "what-if", "--at", "2")

    assert (0, "what-if begins as notes up to 2.\n", "") == ran
    assert "And the boat?" not in notes("show", "what-if").out
    assert {"key": "all", "forked_from": "notes", "at": 4} == notes.json_of("fork", "notes", "all")
    assert before == notes.segment("notes").read_bytes()


def test_fork_never_writes_over_a_session(notes: Shell) -> None:
    """
    A key that is taken, a position that is not there: an error, and nothing changes.
    """
    notes.say("other", "mine")

    assert 1 == notes("fork", "notes", "other").code
    assert 3 == notes("fork", "notes", "third", "--at", "99").code
    assert 3 == notes("fork", "nots", "third").code
    assert "mine" in notes("show", "other").out
    assert ["other", "notes"] == [each["key"] for each in notes.json_of("sessions")["sessions"]]


def test_rewind_and_its_undo(notes: Shell) -> None:
    """
    Going back is offered with the way back, and both work.
    """
    assert (0, "notes goes on from 2. `holdfast rewind notes --undo` takes it back.\n", "") == notes(
        "rewind", "notes", "2"
    )
    assert "And the boat?" not in notes("show", "notes").out
    assert {"key": "notes", "head": 4, "files": []} == notes.json_of("rewind", "notes", "--undo")
    assert "And the boat?" in notes("show", "notes").out


@pytest.mark.parametrize(
    ("words", "code"),
    [(["99"], 3), ([], 2), (["1", "--undo"], 2), (["--undo"], 2), (["x"], 2), (["-1"], 2), (["9" * 30], 2)],
)
def test_a_rewind_that_cannot_be_changes_nothing(notes: Shell, words: list[str], code: int) -> None:
    """
    Bad input is told apart by its exit code, says what to do, and leaves the log alone.
    """
    before = notes.segment("notes").read_bytes()
    ran = notes("rewind", "notes", *words)

    assert (code, "", 2) == (ran.code, ran.out, len(ran.err.splitlines()))
    assert before == notes.segment("notes").read_bytes()


def test_rename_gives_and_takes_a_title(notes: Shell) -> None:
    """
    A title can be anything, and none.
    """
    assert "notes is now called The boat ⛵.\n" == notes("rename", "notes", "The boat ⛵").out
    assert {"key": "notes", "title": "x"} == notes.json_of("rename", "notes", "x")
    assert "notes has no title now.\n" == notes("rename", "notes", "").out


def test_tags_are_added_and_taken_away(notes: Shell) -> None:
    """
    A tag is there once, in the order they came, and a list of none says how to add one.
    """
    assert "notes has no tags. `holdfast tag notes +work` adds one.\n" == notes("tag", "notes").err
    assert "sea\nwork\n" == notes("tag", "notes", "+sea", "work", "+sea").out
    assert "work\n-odd\n" == notes("tag", "notes", "-sea", "+-odd", "-none").out
    assert {"key": "notes", "tags": ["-odd"]} == notes.json_of("tag", "notes", "-work")
    assert 2 == notes("tag", "notes", "+").code


@pytest.mark.parametrize("words", [("-odd",), ("--", "-odd")])
def test_a_key_that_begins_with_a_dash_has_tags_too(shell: Shell, words: tuple[str, ...]) -> None:
    """
    It is taken for a key in the first place, and the command that is suggested takes it so too.
    """
    shell.say("-odd", "Where is the harbour?")

    assert "-odd has no tags. `holdfast tag -- -odd +work` adds one.\n" == shell("tag", *words).err
    assert "work\n" == shell("tag", *words, "+work").out
    assert (0, "") == shell("tag", *words, "-work")[:2]


def test_one_unknown_key_and_nothing_is_archived(notes: Shell) -> None:
    """
    All sessions named are looked for before any is changed.
    """
    assert 3 == notes("archive", "notes", "nots").code
    assert ["notes"] == [each["key"] for each in notes.json_of("sessions")["sessions"]]


def test_archive_and_back(notes: Shell) -> None:
    """
    An archived session leaves the list, is still found, and comes back.
    """
    assert "Archived notes; `holdfast sessions --all` lists it.\n" == notes("archive", "notes").out
    assert "" == notes("sessions").out
    assert "notes" in notes("search", "boat").out
    assert {"keys": ["notes"], "archived": False} == notes.json_of("archive", "notes", "--undo")
    assert "notes" in notes("sessions").out


@pytest.mark.parametrize(
    "words",
    [["rename", "notes", "x"], ["delete", "notes", "--yes"], ["repair", "notes"]],
    ids=["rename", "delete", "repair"],
)
def test_a_session_in_use_says_by_whom(notes: Shell, words: list[str]) -> None:
    """
    While another process writes, nothing is changed or removed, and one learns who it is and what can be done.
    """
    command = [sys.executable, "-c", HOLD, str(notes.store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert b"held\n" == holder.stdout.readline()
        ran = notes(*words)
        readable = notes("show", "notes")
        holder.communicate()

    assert (4, "") == (ran.code, ran.out)
    assert f"is held by process {holder.pid} on " in ran.err
    assert "chatting ␛[31m" in ran.err
    assert "`holdfast show notes --follow` watches it live" in ran.err
    assert 0 == readable.code
    assert 0 == notes(*words).code


def test_a_message_that_forks_share_is_found_once(notes: Shell) -> None:
    """
    Where it was said; what the fork says itself is found there. What a command showed is not found.
    """
    notes("fork", "notes", "a-copy")
    notes.say("a-copy", "And the lighthouse?")

    assert ["notes"] == [each["key"] for each in notes.json_of("search", "boat") if each["role"] == "user"]
    assert ["a-copy"] == [each["key"] for each in notes.json_of("search", "lighthouse")]


def test_a_fork_shows_where_it_left(notes: Shell) -> None:
    """
    The list calls it a fork, and names the session and the position.
    """
    notes("rename", "notes", "The boat")
    notes("fork", "notes", "what-if", "--at", "5")

    (line,) = (each for each in notes("sessions").out.splitlines() if "what-if" in each)
    assert "The boat (fork) · forked from notes at 5" in line


def test_a_shell_takes_the_beginning_of_a_key_and_removes_nothing_by_it(notes: Shell) -> None:
    """
    `show not` shows notes; `delete not --yes` removes nothing.
    """
    assert "And the boat?" in notes("show", "not").out
    assert 3 == notes("delete", "not", "--yes").code
    assert "And the boat?" in notes("show", "notes").out
