"""`stats`: all sessions in a few numbers."""

from datetime import UTC, datetime

from tests.hosts.conftest import Shell


def test_numbers_and_a_plot(notes: Shell) -> None:
    """
    Counts, size and days of all sessions, a column for each day, and the largest by name.
    """
    notes.say("other", "hello")
    notes.say("gone", "hello")
    notes("delete", "gone", "--trash")
    notes("archive", "other")
    out = notes("stats").out

    for line in ("sessions  2 (1 archived)", "messages  5", "entries   8", "trash     1 session, "):
        assert line in out
    assert f"  {'·' * 29}█\n" in out
    assert "last used, by day (the highest: 2)" in out
    assert "  notes  " in out
    assert "████████████" in out


def test_numbers_for_programs(notes: Shell) -> None:
    """
    With --json: bytes, counts, and as many days as were asked for.
    """
    stats = notes.json_of("stats", "--days", "3")
    size = notes.json_of("sessions")["sessions"][0]["size"]

    assert (1, 4, 5, size) == (stats["sessions"], stats["messages"], stats["entries"], stats["bytes"])
    assert [0, 0, 1] == [day["sessions"] for day in stats["days"]]
    assert f"{datetime.now(UTC):%Y-%m-%d}" >= stats["days"][-1]["day"]
    assert [{"key": "notes", "bytes": size}] == stats["largest"]


def test_an_empty_store_has_no_figures(shell: Shell) -> None:
    """
    Nothing is drawn of nothing.
    """
    assert (0, "", f"There are no sessions in {shell.store}.\n") == shell("stats")
    assert (0, None) == (shell.json_of("stats")["sessions"], shell.json_of("stats")["first"])


def test_a_narrow_terminal_has_a_narrow_plot(notes: Shell) -> None:
    """
    The plot keeps to the width there is, however many days are asked for.
    """
    seen = notes.typed("stats", "--days", "400", columns=40, NO_COLOR="1")

    assert f"  {'·' * 37}█" in seen.text
    assert 40 >= max(map(len, seen.text.splitlines()[1:]))
