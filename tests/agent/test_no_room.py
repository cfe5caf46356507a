"""A reply that the disk has no room for: what was shown of it waits, and nothing is written in its place."""

from pathlib import Path

import pytest

from holdfast import ConversationClosed, ModelReplied, Store, Text, TurnEnded, UserSaid, open_store
from holdfast.errors import NotWritten, Refused
from holdfast.providers.scripted.model import Scripted
from holdfast.records.entries import Entry
from tests.agent.troupe import PlainTool, calling, entries, opened, scripted, setup, turn
from tests.stores.files.trouble import no_file_above

LONG = "The tide comes and goes. " * 80
ROOM = 500
"""Bytes that are left: enough for the end of a turn, and not for a reply."""


def room_for_little(folder: Path) -> int:
    """How large a file may grow."""
    return ROOM + max(file.stat().st_size for file in (folder / "sessions").rglob("*.jsonl"))


def told(log: list[Entry]) -> list[str]:
    """What was said in a log, and how turns ended."""
    lines = []
    for entry in log:
        match entry:
            case UserSaid(parts=(Text(text=text),)):
                lines.append(f"person: {text}")
            case ModelReplied(parts=(Text(text=text),)):
                lines.append(f"{entry.stop}: {text}")
            case TurnEnded():
                lines.append(entry.why)
            case _:
                pass
    return lines


async def test_what_was_shown_is_written_as_soon_as_there_is_room(tmp_path: Path) -> None:
    """
    The end of the turn would fit and is not written either: it would settle the draft of a reply that is not there.
    """
    async with open_store(tmp_path) as store, await opened(store, setup(scripted(LONG, "Yes."))) as conversation:
        await conversation.session.commit()
        with no_file_above(room_for_little(tmp_path)):
            over = (await turn(conversation, "When?"))[-1]
        owed = [conversation.session.owes]
        await turn(conversation, "Again?")
        owed.append(conversation.session.owes)
        log = told(await entries(conversation.session))

    expected = ["person: When?", f"interrupted: {LONG}", "interrupted", "person: Again?", "ended: Yes.", "answered"]
    assert expected == log
    assert [True, False] == owed
    assert "There is room for only" in str(over)


async def test_a_reply_that_was_not_written_is_written_when_the_session_is_given_back(tmp_path: Path) -> None:
    """
    Where there is still no room for it, that is said, also to who watches; and the session can be opened again.
    """
    async with open_store(tmp_path) as store:
        for room in (False, True):
            conversation = await opened(store, setup(scripted(LONG)), f"room {room}")
            await conversation.session.commit()
            with no_file_above(room_for_little(tmp_path)):
                await turn(conversation, "When?")
                if not room:
                    with conversation.watch() as watch, pytest.raises(NotWritten):
                        await conversation.close()
                    assert [ConversationClosed(why="left")] == [event async for event in watch]
            await conversation.close()
            assert room == (f"interrupted: {LONG}" in await _read(store, f"room {room}"))


async def test_a_reply_whose_draft_cannot_be_removed_is_written_once(tmp_path: Path) -> None:
    """
    It is in the log, so nothing of it waits.
    """
    broken = Scripted(parts=(Text(text="Half of it"),), after=1, failure=Refused("No.", hint=""))
    async with open_store(tmp_path) as store, await opened(store, setup(scripted(broken, "Yes."))) as conversation:
        (log,) = (tmp_path / "sessions").glob("*/000001.jsonl")
        log.with_name("draft.jsonl").mkdir()
        await turn(conversation, "When?")
        await turn(conversation, "Again?")
        replies = [line for line in told(await entries(conversation.session)) if "Half" in line]

    assert 1 == len(replies)


async def test_calls_that_did_not_run_are_not_kept(tmp_path: Path) -> None:
    """
    Of a reply that found no room what was shown is kept, and of one that only calls, nothing.
    """
    call = ("look", f'{{"path": "{"x" * 2_000}"}}')
    async with open_store(tmp_path) as store:
        for text, kept in (("I look.", True), ("", False)):
            made = setup(scripted(calling(call, text=text)), tools=[PlainTool("look")])
            async with await opened(store, made, f"kept {kept}") as conversation:
                await conversation.session.commit()
                with no_file_above(room_for_little(tmp_path)):
                    await turn(conversation, "Where?")
            assert kept == ("interrupted: I look." in await _read(store, f"kept {kept}"))


async def _read(store: Store, key: str) -> list[str]:
    async with await store.open(key) as session:
        return told(await entries(session))
