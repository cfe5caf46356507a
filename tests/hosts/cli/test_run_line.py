"""Exit codes, closed pipes, full disks, wrong settings: words and a code, never a traceback."""

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.hosts.exits import MEANINGS, Exit
from tests.hosts.conftest import Shell
from tests.hosts.processes import COMMAND, environment


def shelled(shell: Shell, line: str) -> "subprocess.CompletedProcess[str]":
    """Run a line of bash in which `h` is the command."""
    script = f'h() {{ {" ".join(COMMAND)} "$@"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", script], check=False, env=environment(shell.store), capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    "command", ["sessions", "show notes", "show notes --raw", "export notes -f html", "--help", "verify"]
)
def test_a_reader_that_stops_is_no_failure(notes: Shell, command: str) -> None:
    """
    `| head` ends the command quietly, with the code that says so.
    """
    ran = shelled(notes, f"h {command} | true; echo ${{PIPESTATUS[0]}}")

    assert ("141\n", "") == (ran.stdout, ran.stderr)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("h sessions >/dev/full", 1),
        ("h --help >/dev/full", 1),
        ("h sessions >&-", 0),
        ("h --help >&-", 0),
        ("h show nope 2>&-", 3),
        ("h show nope 2>/dev/full", 3),
        ("h delete notes <&-", 6),
    ],
)
def test_streams_that_are_full_or_closed(notes: Shell, line: str, code: int) -> None:
    """
    Nowhere to write, or nothing to read from, changes no exit code into a traceback.
    """
    ran = shelled(notes, line)

    assert code == ran.returncode
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("words", ["sessions", "show --help", "--help"])
def test_what_the_system_refuses_comes_with_a_hint(notes: Shell, words: str) -> None:
    """
    A full disk is told in words, with what to do about it.
    """
    ran = shelled(notes, f"h {words} >/dev/full")

    assert "holdfast: No space left on device\nMake room there, and try again.\n" == ran.stderr


@pytest.mark.parametrize(
    ("words", "environment", "said"),
    [
        (["sessions"], {"HOLDFAST_DURABILITY": "never"}, "HOLDFAST_DURABILITY is 'never'."),
        (["sessions"], {"HOLDFAST_RETENTION_DAYS": "x"}, "HOLDFAST_RETENTION_DAYS is 'x'."),
        (["sessions"], {"HOLDFAST_STORE": "~nobody-here/x"}, "HOLDFAST_STORE is '~nobody-here/x', and there is no"),
        (["--store", "", "sessions"], {}, "--store is empty."),
        (["sessions", "--store", "/etc/passwd"], {}, "/etc/passwd is a file, not a folder with sessions."),
        (["show", ""], {}, "A session key is empty."),
        (["show"], {}, "The following arguments are required: KEY."),
        (["shwo", "notes"], {}, "There is no command 'shwo'."),
        (["sessions", "--limt", "2"], {}, "There is not an option '--limt' here."),
        (["where", "notes", "more"], {}, "'more' is one too many."),
        (["sessions", "--limit", "0"], {}, "Argument -n/--limit: must be a number, 1 or more, not '0'."),
        (["search", "boat", "--limit", "0"], {}, "Argument -n/--limit: must be a number, 1 or more, not '0'."),
        (["show", "notes", "--last", "0"], {}, "Argument --last: must be a number, 1 or more, not '0'."),
        (["stats", "--days", "0"], {}, "Argument --days: must be a number, 1 or more, not '0'."),
        (["show", "notes", "--from", "-1"], {}, "Argument --from: must be a number, 0 or more, not '-1'."),
        (["sessions", "--limit", "x"], {}, "Argument -n/--limit: must be a number, 1 or more, not 'x'."),
        (["sessions", "--tag", ""], {}, "--tag is empty."),
        (["-p", "hello", "--model", ""], {}, "--model is empty."),
        (["search", "boat", "--session", ""], {}, "--session is empty."),
        (["where", ""], {}, "KEY is empty."),
        (["trash", "empty", ""], {}, "NAME is empty."),
        (["trash", "empty", "--dry-run", "--yes"], {}, "--days and --dry-run are for `trash sweep`."),
        (["trash", "list", "--days", "3"], {}, "--days and --dry-run are for `trash sweep`."),
        (["sessions", "--cursor", "x"], {}, ""),
        (["export", "notes", "--format", "pdf"], {}, "Argument -f/--format: invalid choice: 'pdf'"),
        (["--store", "x"], {}, "There is nothing to say."),
        ([], {}, "There is nothing to say."),
        (["-p"], {}, "There is nothing to say."),
        (["--new", "--continue"], {}, "--continue and --new contradict each other."),
    ],
)
def test_wrong_usage_says_what_to_do(notes: Shell, words: list[str], environment: dict[str, str], said: str) -> None:
    """
    What is wrong on one line, what to do on the next, and the code for wrong usage; nothing on standard output.
    """
    ran = notes(*words, **environment)

    assert (2, "", 2) == (ran.code, ran.out, len(ran.err.splitlines()))
    assert ran.err.startswith(f"holdfast: {said}")


@pytest.mark.parametrize("words", ["sessions", "search boat", "stats", "verify", "show notes", "trash"])
@pytest.mark.parametrize("below", ["", "sessions"], ids=["store", "sessions"])
def test_a_store_whose_links_lead_in_a_circle_is_no_empty_store(notes: Shell, words: str, below: str) -> None:
    """
    Every command that looks at sessions says what is wrong, and none says that there are no sessions.
    """
    place = notes.store / below
    place.rename(notes.store.parent / "moved")
    place.symlink_to(place)
    ran = notes(*words.split())

    assert (1, "") == (ran.code, ran.out)
    assert ran.err.startswith(f"holdfast: {place} cannot be read: its links lead in a circle.\n")


def test_a_file_in_the_place_of_all_sessions_is_no_empty_store(notes: Shell) -> None:
    """
    The sessions may lie elsewhere; that they are none would be wrong.
    """
    place = notes.store / "sessions"
    place.rename(notes.store.parent / "moved")
    os.mkfifo(place)
    ran = notes("sessions")

    assert (2, "") == (ran.code, ran.out)
    assert ran.err.startswith(f"holdfast: {place} is a file, not a folder with sessions.\n")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["shwo"], "Did you mean `holdfast show`?"),
        (["zzz"], "`holdfast --help` lists the commands."),
        (["sessions", "--limt"], "Did you mean --limit? `holdfast sessions --help` says how it is used."),
        (["show", "noets"], "Did you mean 'notes'?"),
        (["show", "zzz"], "`holdfast sessions` lists what there is."),
    ],
)
def test_a_slip_is_answered_with_the_nearest(notes: Shell, words: list[str], hint: str) -> None:
    """
    A mistyped command, option or key is answered with the one that was meant.
    """
    assert f"{hint}\n" == notes(*words).err.splitlines(keepends=True)[-1]


def test_an_unknown_key_of_an_empty_store(shell: Shell) -> None:
    """
    Where there is nothing at all, the hint is where to look instead.
    """
    ran = shell("show", "notes")

    assert (3, "") == (ran.code, ran.out)
    assert "There are no sessions at all in" in ran.err
    assert not shell.store.exists()


def test_the_version(shell: Shell) -> None:
    """
    A report of a problem can say which version it is about.
    """
    assert shell("--version").out.startswith("holdfast 0.")


def test_every_exit_code_means_something() -> None:
    """
    A code that the command can give has its line in the reference.
    """
    assert set(Exit) == set(MEANINGS)


def test_help_takes_little_time(tmp_path: Path) -> None:
    """
    Help is there at once: under 80 ms of processor time, the best of several runs on a busy machine.
    """
    best = 1.0
    for _ in range(7):
        before = os.times()
        subprocess.run([*COMMAND, "--help"], check=True, env=environment(tmp_path), capture_output=True)
        after = os.times()
        used = after.children_user - before.children_user + after.children_system - before.children_system
        best = min(best, used)

    assert best < 0.08
