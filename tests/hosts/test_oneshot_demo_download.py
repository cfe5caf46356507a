"""The download of the built-in demo model: a line that moves where a line can move, and one line where it cannot."""

import io
import os
import pty

import pytest

from holdfast.hosts.console import Console
from holdfast.hosts.oneshot import Download


def test_in_a_pipe_it_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    """
    With its size, on standard error.
    """
    with Download(Console({})) as download:
        download.progress(1_000_000, 98_000_000)
        download.progress(2_000_000, 98_000_000)
    seen = capsys.readouterr()

    assert ("", 1) == (seen.out, seen.err.count("Fetching the built-in demo model, once (98 MB)"))
    assert 1 == seen.err.count("\n")


def test_a_size_that_nobody_said_is_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    """
    Servers need not say it.
    """
    with Download(Console({})) as download:
        download.progress(1_000_000, 0)

    assert "98 MB" in capsys.readouterr().err


def test_nothing_is_said_where_nothing_is_fetched(capsys: pytest.CaptureFixture[str]) -> None:
    """
    Which is every time but the first.
    """
    with Download(Console({})):
        pass

    assert ("", "") == tuple(capsys.readouterr())


def test_on_a_terminal_the_line_moves_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    No half line is left behind.
    """
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "wb", buffering=0) as raw, io.TextIOWrapper(raw, write_through=True) as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        with Download(Console({"TERM": "xterm"})) as download:
            download.progress(1_000_000, 98_000_000)
            download.progress(2_000_000, 0)
        monkeypatch.undo()
        seen = os.read(ours, 65536).decode()
    os.close(ours)

    assert "fetching the built-in demo model, once: 1 of 98 MB" in seen
    assert "fetching the built-in demo model, once: 2 MB" in seen
    assert "\n" not in seen
