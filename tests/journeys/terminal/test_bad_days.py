"""When settings, disks and logs are not as they should be: it is said, and nothing is lost."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.crash.mounts import mounted, why_not
from tests.crash.programs import program
from tests.journeys.terminal.house import KEY, House, ask, ready

HARBOUR = ({"say": "By the sea."}, {"say": "In the harbour."}, {"say": "Blue."})


@contextmanager
def small_disk(house: House) -> Iterator[None]:
    """Have the store on a disk of its own, a small one."""
    reason = why_not("tmpfs")
    if reason:
        pytest.skip(f"a small tmpfs cannot be made: {reason}")
    with mounted("tmpfs", house.store, "-t", "tmpfs", "-o", "size=1m"):
        yield


def fill(folder: Path) -> Path:
    """Leave no room on a disk."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue
    return ballast


@pytest.mark.parametrize("text", ['theme = "', '[ui]\ntheme = "purple"\n', "[ui]\nthemes = 1\n"])
def test_settings_that_cannot_be_are_named(house: House, text: str) -> None:
    """
    With broken settings it says which file and what is wrong with it, ends with 2, and touches nothing.
    """
    house.write(*HARBOUR)
    with house.open() as window:
        ask(window, "Where?", "By the sea.")
    before = house.segment().read_bytes()
    house.configure(text)

    with house.chat("--session", KEY) as window:
        assert 2 == window.end()
        said = window.transcript

    assert "config.toml" in said
    assert "Traceback" not in said
    assert before == house.segment().read_bytes()


def test_a_full_disk_is_said_and_costs_nothing(house: House) -> None:
    """
    A message that finds no room is said not to be sent and stands in the input again; with room it is sent.
    """
    house.write(*HARBOUR)
    with small_disk(house):
        with house.open() as window:
            ask(window, "Where?", "By the sea.")
            ballast = fill(house.store)
            window.say("And the boat? " + "x" * 5_000)
            window.wait_for("Free some space")
            window.wait_until(lambda: "xxxx" in window.lines[-2] and "✓" in window.lines[-1], "the message to be back")
            ballast.unlink()
            window.press("enter")
            window.wait_for("In the harbour.")
            ready(window)
            ask(window, "Which colour?", "Blue.")

        said = house.said(KEY)
        assert ["Where?", "And the boat? " + "x" * 5_000, "Which colour?"] == said
        assert ["By the sea.", "In the harbour.", "Blue."] == house.replies()
        house.run("verify", KEY)


def test_a_disk_that_fills_up_within_a_reply_keeps_what_was_shown(house: House) -> None:
    """
    When the disk fills up while the model speaks, the turn fails and says why; once there is room, the chat goes on.
    """
    long = "\n\n".join(f"Paragraph {number} " + "y" * 800 for number in range(1, 41))
    house.write([{"delay": 0.01}, {"say": long}], {"say": "Better."})
    with small_disk(house):
        with house.open() as window:
            window.say("Tell me")
            window.wait_for("Paragraph 1\n")
            ballast = fill(house.store)
            window.wait_for("space")
            window.wait_until(lambda: "working" not in window.screen, "the turn to end")
            ballast.unlink()
            ask(window, "Again", "Better.")

        assert ["Tell me", "Again"] == house.said(KEY)
        assert ["Paragraph 1", "Better."] == [reply[:11].strip() for reply in house.replies()]


def test_a_store_that_cannot_be_written_is_said(house: House) -> None:
    """
    With a read-only store it says what cannot be written and ends; reading still works, and nothing is changed.
    """
    house.write(*HARBOUR)
    with small_disk(house):
        with house.open() as window:
            ask(window, "Where?", "By the sea.")
        before = house.segment().read_bytes()
        subprocess.run([program("mount"), "-o", "remount,ro", str(house.store)], check=True)

        with house.chat("--session", KEY) as window:
            code = window.end()
            said = window.transcript

        assert 1 == code
        assert "Read-only file system" in said
        assert "Traceback" not in said
        assert before == house.segment().read_bytes()
        assert "By the sea." in house.run("show", KEY)


def test_a_damaged_log_is_said_and_everything_good_is_there(house: House) -> None:
    """
    A changed line in the middle and half a line at the end are said on coming back, kept aside, and hide nothing.
    """
    house.write(*HARBOUR)
    with house.open() as window:
        ask(window, "Where?", "By the sea.")
        ask(window, "And the boat?", "In the harbour.")
        window.press("ctrl-d")
        window.end()
    lines = house.segment().read_bytes().splitlines(keepends=True)
    broken = next(index for index, line in enumerate(lines) if b"By the sea." in line)
    lines[broken] = lines[broken].replace(b"By the sea.", b"By the tea.")
    house.segment().write_bytes(b"".join(lines) + b'{"torn": "end')

    with house.open() as again:
        again.wait_for("damaged", "set aside", "cannot be read", "And the boat?", "In the harbour.")
        ask(again, "/history 20", "Where?")
        ask(again, "Go on", "By the sea.")

    assert ["Where?", "And the boat?", "Go on"] == house.said(KEY)


def test_a_folder_that_was_removed_and_a_store_that_is_a_file_are_said(house: House) -> None:
    """
    Odd places make a plain message, not a trace.
    """
    house.store.rmdir()
    house.store.write_text("I am a file.")
    with house.chat() as window:
        assert window.end() in {1, 2}
        assert "Traceback" not in window.transcript
        assert str(house.store) in window.transcript.replace("\n", "")
    os.unlink(house.store)
