"""`history`: the lines that were typed in sessions."""

from hashlib import blake2b
from pathlib import Path

import pytest

from holdfast.commands.typed_lines import add_line
from holdfast.hosts.exits import Exit
from tests.hosts.conftest import Shell


@pytest.fixture
def typed(notes: Shell) -> Shell:
    """A store with two sessions, and lines that were typed in each."""
    notes.say("plans", "Where to?")
    for key in ("notes", "plans"):
        add_line(notes.store / "sessions" / key, f"typed in {key}")
        add_line(notes.store / "sessions" / key, "two\nlines\x1b[2J")
    return notes


def test_what_was_typed_is_listed(typed: Shell) -> None:
    """
    Oldest first, and made safe to show.
    """
    ran = typed("history", "list", "notes")

    assert (Exit.OK, "typed in notes") == (ran.code, ran.out.splitlines()[0])
    assert "\x1b" not in ran.out
    assert {"notes": ["typed in notes", "two\nlines\x1b[2J"]} == typed.json_of("history", "list", "notes")


def test_one_session_or_all_are_cleared(typed: Shell, tmp_path: Path) -> None:
    """
    All of them: also those in the trash, and the lists of earlier versions. The conversations stay.
    """
    home = tmp_path / "home"
    shared = home / ".local" / "state" / "holdfast" / "history" / "0.jsonl"
    shared.parent.mkdir(parents=True)
    shared.write_text('"said long ago"\n')
    one = typed("history", "clear", "notes")
    left = typed.json_of("history", "list", "notes", "plans")
    typed("delete", "plans", "--trash")
    everything = typed("history", "clear", HOME=str(home))
    typed("trash", "restore", "plans")

    assert "Cleared what was typed in 1 session.\n" == one.out == everything.out
    assert {"notes": [], "plans": ["typed in plans", "two\nlines\x1b[2J"]} == left
    assert {"notes": [], "plans": []} == typed.json_of("history", "list", "notes", "plans")
    assert {"cleared": 0} == typed.json_of("history", "clear", "notes")
    assert not shared.parent.exists()
    assert "Where is the harbour?" in typed("show", "notes").out


def test_a_session_has_to_be_named_for_a_list(typed: Shell) -> None:
    """
    And it has to be there.
    """
    assert Exit.USAGE == typed("history", "list").code
    assert Exit.NOT_FOUND == typed("history", "list", "nothing").code
    assert Exit.NOT_FOUND == typed("history", "clear", "nothing").code


def test_a_deletion_removes_what_earlier_versions_kept_elsewhere(typed: Shell, tmp_path: Path) -> None:
    """
    Lists of typed lines, and drafts of the session, in the user's own folder.
    """
    state = tmp_path / "home" / ".local" / "state" / "holdfast"
    name = blake2b(f"{typed.store}\0notes".encode(), digest_size=16).hexdigest()
    files = [state / "drafts" / f"{name}.0123.json", state / "drafts" / "of-another.0123.json"]
    for file in (*files, state / "history" / "0.jsonl"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    ran = typed("delete", "notes", "--yes", HOME=str(tmp_path / "home"))

    assert Exit.OK == ran.code
    assert [False, True] == [file.exists() for file in files]
    assert not (state / "history").exists()
