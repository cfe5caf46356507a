"""Going back with the files that tools changed: what is asked, what is done, and what is left alone."""

import json
from pathlib import Path

import pytest

from holdfast.commands.answers import Choose, Confirm, Moved, Note, Prose, Typed
from holdfast.commands.context import CommandContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.past import newest_first
from holdfast.commands.rewound_files import files_left
from holdfast.commands.run import run
from holdfast.commands.shared_table import REWIND
from holdfast.commands.text.plain_text import text_of
from holdfast.config import read
from holdfast.errors import BadInput
from holdfast.records.entries import Described, FileChanged, UserSaid
from holdfast.records.parts import plain_text
from holdfast.tools.files.atomic_replace import LARGEST
from tests.commands.conversations import Room, room

ALLOWED = '[[permissions]]\ntool = "*"\ndecision = "allow"\n'


def writing(path: str, content: str) -> dict[str, object]:
    """A reply that writes a file."""
    arguments = json.dumps({"path": path, "content": content})
    return {"call": {"name": "write_file", "arguments": arguments}}


async def said(here: Room) -> list[str]:
    """What the person said in the conversation as it is now."""
    found = [record.entry async for record in newest_first(here.context.session)]
    return [plain_text(entry.parts) for entry in reversed(found) if isinstance(entry, UserSaid)]


async def test_a_rewind_asks_what_becomes_of_files_and_names_what_was_said(tmp_path: Path) -> None:
    """
    Nothing is changed by asking; each choice is a line that does it.
    """
    lines = [writing("a.txt", "two\n"), "Written.", writing("new/b.txt", "b\n"), "Made."]
    async with room(tmp_path, *lines, config=ALLOWED) as here:
        (here.root / "a.txt").write_text("one\n")
        (here.root / "a.txt").chmod(0o640)
        await here.say("Change a", "Make b")
        last = here.context.conversation.state.last
        asked = await here.one("/rewind 2", Choose)

        assert "Go back before “Change a”?" in asked.question
        assert "take back  a.txt" in asked.question
        assert "remove     new/b.txt" in asked.question
        assert ["/rewind 2 --files", "/rewind 2 --no-files"] == [each.then for each in asked.choices]
        assert last == here.context.conversation.state.last

        moved, typed = await here.typed(asked.choices[0].then)
        assert isinstance(moved, Moved)
        assert "Back before “Change a”" in moved.said
        assert "2 files taken back" in moved.said
        assert Typed(text="Change a") == typed
        assert "one\n" == (here.root / "a.txt").read_text()
        assert 0o640 == (here.root / "a.txt").stat().st_mode & 0o777
        assert not (here.root / "new/b.txt").exists()


async def test_undo_brings_both_back_and_forth(tmp_path: Path) -> None:
    """
    Without a question where only the agent changed the files.
    """
    async with room(tmp_path, writing("a", "two"), "Written.", writing("b", "b"), "Made.", config=ALLOWED) as here:
        (here.root / "a").write_text("one")
        await here.say("Change a", "Make b")
        (here.root / "b").chmod(0o700)
        await here.typed("/rewind 2 --files")
        undone = await here.one("/undo", Moved)

        assert "the last thing you said is “Make b” again. 2 files brought back" in undone.said
        assert ["Change a", "Make b"] == await said(here)
        assert ("two", "b", 0o700) == (
            (here.root / "a").read_text(),
            (here.root / "b").read_text(),
            (here.root / "b").stat().st_mode & 0o777,
        )
        await here.typed("/undo")
        assert [] == await said(here)
        assert ("one", False) == ((here.root / "a").read_text(), (here.root / "b").exists())


async def test_files_stay_where_that_is_wanted(tmp_path: Path) -> None:
    """
    The conversation goes back, and the answer says that the files do not.
    """
    async with room(tmp_path, writing("a", "two"), "Written.", config=ALLOWED) as here:
        await here.say("Change a")
        moved, note, _ = await here.typed("/rewind --no-files")

        assert isinstance(moved, Moved)
        assert Note(text="1 file changed since; it stays as it is.") == note
        assert "two" == (here.root / "a").read_text()
        assert isinstance((await here.typed("/undo"))[0], Moved)
        assert "two" == (here.root / "a").read_text()


@pytest.mark.parametrize("theirs", ["else", None, "between"])
async def test_what_somebody_else_changed_is_left_alone_unless_wanted(tmp_path: Path, theirs: str | None) -> None:
    """
    Shown with the reason: changed or removed since, or changed between two changes of the agent.
    """
    lines = [writing("a", "two"), writing("b", "b"), "Written.", writing("a", "three"), "Again."]
    async with room(tmp_path, *lines, config=ALLOWED) as here:
        path = here.root / "a"
        path.write_text("one")
        await here.say("Change both")
        if theirs == "between":
            path.write_text("theirs")
        await here.say("Change a again")
        if theirs is None:
            path.unlink()
        elif theirs == "else":
            path.write_text("theirs")
        before = path.read_text() if path.exists() else None
        asked = await here.one("/rewind 2", Choose)
        assert "leave      a (others " in asked.question
        assert ["--files", "--no-files", "--theirs"] == [each.then.split()[-1] for each in asked.choices]

        _, note, _ = await here.typed(asked.choices[0].then)
        assert isinstance(note, Note)
        assert "a stays as it is: others " in note.text
        assert before == (path.read_text() if path.exists() else None)
        assert not (here.root / "b").exists()

        await here.typed("/undo")
        await here.typed(asked.choices[2].then)
        assert "one" == path.read_text()
        await here.typed("/undo")
        assert before == (path.read_text() if path.exists() else None)


async def test_undo_asks_about_what_somebody_else_changed_since(tmp_path: Path) -> None:
    """
    It leaves that alone unless wanted.
    """
    async with room(tmp_path, writing("a", "two"), "Written.", config=ALLOWED) as here:
        (here.root / "a").write_text("one")
        await here.say("Change a")
        await here.typed("/rewind --files")
        (here.root / "a").write_text("theirs")
        asked = await here.one("/undo", Choose)

        assert ["/undo --no-files", "/undo --files --theirs"] == [each.then for each in asked.choices]
        await here.typed(asked.choices[1].then)
        assert ("two", ["Change a"]) == ((here.root / "a").read_text(), await said(here))
        asked_again = await here.one("/undo", Moved)
        assert "1 file brought back" in asked_again.said
        assert "theirs" == (here.root / "a").read_text()


async def test_what_cannot_be_taken_back_is_said(tmp_path: Path) -> None:
    """
    Files over 10 MB, what is no file any more, and what commands changed.
    """
    lines = [
        writing("big", "small"),
        writing("folder", "file"),
        writing("link", "file"),
        {"call": {"name": "shell", "arguments": json.dumps({"command": "true"})}},
        "Written.",
    ]
    async with room(tmp_path, *lines, config=ALLOWED + "[tools]\nshell_sandbox = 'off'\n") as here:
        await here.say("Write them")
        (here.root / "big").write_bytes(b"x" * (LARGEST + 1))
        (here.root / "folder").unlink()
        (here.root / "folder").mkdir()
        (here.root / "link").unlink()
        (here.root / "link").symlink_to("other")
        asked = await here.one("/rewind", Choose)

        assert "leave      big (is larger than 10 MB)" in asked.question
        assert "leave      folder (is a folder)" in asked.question
        assert "leave      link (it is a link to other now)" in asked.question
        assert "1 command ran since; what commands changed stays as it is." in asked.question
        assert ["/rewind --no-files"] == [each.then for each in asked.choices]
        _, note, _ = await here.typed("/rewind --files --theirs")
        assert isinstance(note, Note)
        assert 4 == len(note.text.splitlines())
        assert LARGEST + 1 == (here.root / "big").stat().st_size


async def test_a_binary_file_comes_back_byte_by_byte(tmp_path: Path) -> None:
    """
    Whatever it held.
    """
    held = bytes(range(256)) * 100
    async with room(tmp_path, writing("a.bin", "text"), "Written.", config=ALLOWED) as here:
        (here.root / "a.bin").write_bytes(held)
        await here.say("Write it")
        await here.typed("/rewind --files")

        assert held == (here.root / "a.bin").read_bytes()


async def test_undo_offers_files_where_nothing_is_rewound(tmp_path: Path) -> None:
    """
    One question, not two; commands alone are named in it.
    """
    async with room(tmp_path, writing("a", "two"), "Written.", "Yes.", config=ALLOWED) as here:
        await here.say("Change a")
        asked = await here.one("/undo", Choose)
        assert asked.question.startswith("Nothing is rewound. Go back before “Change a”? Files were changed since:")
        assert "/rewind 1 --files" == asked.choices[0].then
        await here.say("Anything else?")
        confirm = await here.one("/undo", Confirm)

        assert ("Nothing is rewound. Go back before “Anything else?”?", "/rewind 1 --no-files") == (
            confirm.question,
            confirm.then,
        )


async def test_going_to_a_position_takes_files_along(tmp_path: Path) -> None:
    """
    As they were when the log ended there; it is named by what was said next.
    """
    async with room(tmp_path, writing("a", "two"), "Written.", writing("a", "three"), "Again.", config=ALLOWED) as here:
        (here.root / "a").write_text("one")
        await here.say("Change a", "Change it again")
        log = newest_first(here.context.session)
        again = await anext(record.pos async for record in log if isinstance(record.entry, UserSaid))
        moved = await here.one(f"/rewind @{again - 1} --files", Moved)

        assert "Back before “Change it again”." in moved.said
        assert "two" == (here.root / "a").read_text()
        with pytest.raises(BadInput, match="exclude each other"):
            await here.typed("/rewind 1 --files --no-files")


async def test_files_of_another_workspace_are_not_touched(tmp_path: Path) -> None:
    """
    A session that belongs to another folder goes back without a word about files.
    """
    async with room(tmp_path, writing("a", "two"), "Written.", config=ALLOWED) as here:
        await here.say("Change a")
        await here.context.conversation.describe(Described(workspace="0" * 32))
        with pytest.raises(BadInput, match="another folder"):
            await here.typed("/rewind --files")
        assert isinstance((await here.typed("/rewind"))[0], Moved)

        assert "two" == (here.root / "a").read_text()


async def test_a_rewind_that_was_broken_off_is_told_and_finished(tmp_path: Path) -> None:
    """
    Entries that say what was to happen are enough to do it later; a file that somebody changed since is not touched.
    """
    async with room(tmp_path, writing("a", "two"), writing("b", "b"), "Written.", config=ALLOWED) as here:
        (here.root / "a").write_text("one")
        await here.say("Change both")
        agent, session, environment = here.agent, here.context.session, here.context.environment
        assert "" == await files_left(session, agent, environment)
        await here.typed("/rewind --files")
        assert "" == await files_left(session, agent, environment)
        (here.root / "a").write_text("two")  # as a kill between the entries and the change leaves it

        told = await files_left(session, agent, environment)
        assert "1 file is taken back. Still as before it: a." in told
        assert "1 file taken back." == (await here.one("/rewind --finish", Prose)).markdown
        assert "one" == (here.root / "a").read_text()
        assert "" == await files_left(session, agent, environment)
        with pytest.raises(BadInput, match="No rewind has left"):
            await here.typed("/rewind --finish")
        changed = [record.entry async for record in session.read() if isinstance(record.entry, FileChanged)]
        assert 4 == len(changed)


async def test_a_shell_takes_files_back_in_the_workspace_of_the_session(tmp_path: Path) -> None:
    """
    Only if it is told to, and brings them back with the undo; elsewhere it says that they are not touched.
    """
    async with room(tmp_path, writing("a", "two"), "Written.", config=ALLOWED) as here:
        (here.root / "a").write_text("one")
        await here.say("Change a")
        root, values = here.root, here.context.environment

    async def rewound(where: Path, **given: object) -> str:
        context = CommandContext(lambda: read(values, where=where), environment=values)
        try:
            return text_of(await run(REWIND, Inputs(REWIND, {"key": "talk", **given}), context), 200)
        finally:
            await context.close()

    assert "1 file changed since; it stays as it is." in await rewound(root, position=1)
    assert "two" == (root / "a").read_text()
    await rewound(root, undo=True)
    assert "talk goes on from 1. 1 file taken back." in await rewound(root, position=1, files=True)
    assert "one" == (root / "a").read_text()
    with pytest.raises(BadInput, match="another folder"):
        await rewound(tmp_path, position=1, files=True)
    assert "1 file brought back." in await rewound(root, undo=True)
    assert "two" == (root / "a").read_text()
