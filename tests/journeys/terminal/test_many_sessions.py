"""Choosing among thousands of sessions."""

from datetime import UTC, datetime, timedelta

import holdfast
from holdfast.ids import SessionKey
from holdfast.records.codec import encode_line
from holdfast.records.entries import Entry
from holdfast.stores.files.folder_names import folder_name
from tests.journeys.terminal.house import House, ask, ready

MANY = 2_000
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def fill(house: House, workspace: str, count: int = MANY) -> None:
    """Write many short sessions as files, as a backup that is put back would."""
    for number in range(count):
        key = SessionKey(f"old:{number}")
        entries: tuple[Entry, ...] = (
            holdfast.Opened(key=key),
            holdfast.Described(workspace=workspace, title=f"Voyage {number}"),
            holdfast.UserSaid(parts=(holdfast.Text(text=f"Where does boat {number} lie?"),)),
            holdfast.ModelReplied(parts=(holdfast.Text(text=f"At pier {number % 7}."),), model="example"),
        )
        at = _BEGAN + timedelta(minutes=number)
        lines = [encode_line(pos, f"{at:%Y-%m-%dT%H:%M:%S.%fZ}", entry) for pos, entry in enumerate(entries)]
        folder = house.store / "sessions" / folder_name(key)
        folder.mkdir(parents=True, mode=0o700)
        (folder / "000001.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def workspace_of(house: House) -> str:
    """What the workspace is called, once a session was begun in it."""
    return next(str(each["workspace"]) for each in house.entries("first") if each.get("workspace"))


def test_one_of_two_thousand_sessions_is_found_and_gone_on_with(house: House) -> None:
    """
    /resume lists the newest first, typing finds one, Enter opens it with what was said; no key waits.
    """
    house.write({"say": "Ahoy."})
    with ready(house.chat("--session", "first")) as window:
        ask(window, "Hello", "Ahoy.")
    fill(house, workspace_of(house))
    house.run("reindex")  # a list that is asked for before that is of what the catalog has so far
    with ready(house.chat("--session", "first")) as window:
        window.say("/resume")
        window.wait_for("Voyage 1999")
        began = window.processor_seconds
        window.press("down", "down", "down")
        window.wait_until(lambda: "▸ Voyage 1996" in window.screen or "▸ Voyage 1997" in window.screen, "the arrow")
        assert window.processor_seconds - began < 1, "a key press reads the list anew"
        began = window.processor_seconds
        window.type("voyage 123")
        window.wait_for("Voyage 1230", "At pier")
        assert window.processor_seconds - began < 3, "a search reads the sessions"
        window.type("4")
        window.wait_until(lambda: "▸ Voyage 1234" in window.screen, "the only one")
        window.press("enter")
        window.wait_for("Where does boat 1234 lie?", "At pier 2.")
        ready(window)
        ask(window, "And now?", "Ahoy.")

    assert ["Where does boat 1234 lie?", "And now?"] == house.said("old:1234")


def test_resume_begins_with_the_list(house: House) -> None:
    """
    `holdfast --resume` opens the list first; Esc leaves without opening anything.
    """
    house.write({"say": "Ahoy."})
    with ready(house.chat("--session", "first")) as window:
        ask(window, "Hello", "Ahoy.")
    fill(house, workspace_of(house), 30)
    with house.chat("--resume") as window:
        window.wait_for("Sessions of this workspace", "Voyage 29")
        window.press("esc")
        assert 0 == window.end()
    with house.chat("--resume") as window:
        window.wait_for("Sessions of this workspace", "Voyage 29")
        window.type("pier 3")
        window.wait_until(lambda: "▸ Voyage 24" in window.screen, "the finds")
        window.press("enter")
        window.wait_for("At pier 3.")
        ready(window)
