"""The list as it changes, for every host: rows of this process and of others, and viewers that are slow."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import (
    Answer,
    Closed,
    Described,
    Engine,
    ListChange,
    ListChanges,
    ListResync,
    SessionChanged,
    SessionRemoved,
    Text,
    UserSaid,
    open_store,
    open_volatile,
)
from tests.agent.troupe import PlainTool, calling, scripted, setup
from tests.stores.files.catalog.talk import say


async def until(changes: ListChanges, key: str, **wanted: object) -> SessionChanged:
    """The first row of a session that is as wanted."""
    async with asyncio.timeout(30):
        async for each in changes:
            if isinstance(each, SessionChanged) and each.listed.key == key:
                told = {name: getattr(each, name, getattr(each.listed, name, None)) for name in wanted}
                if told == wanted:
                    return each
    raise AssertionError("The changes ended.")


async def next_of(changes: ListChanges) -> ListChange:
    """The next change."""
    async with asyncio.timeout(30):
        return await anext(changes)


async def test_a_row_says_what_happens_in_the_session_here() -> None:
    """
    That a turn runs, that a question waits, what was said, and that it is over.
    """
    tool = PlainTool("ask", reads_only=False)
    model = scripted(calling(("ask", "{}")), "Done.")
    async with Engine(open_volatile(), setup(model, tools=[tool])) as engine:
        conversation = await engine.open("a")
        async with await engine.changes() as changes:
            await engine.send("a", "go")
            asked = await until(changes, "a", running=True, questions=1)
            assert asked == await engine.row(asked.listed)
            (question,) = conversation.snapshot().questions
            assert await engine.answer("a", question.id, Answer(allowed=True))
            over = await until(changes, "a", running=False, questions=0)
            await conversation.describe(Described(title="A title", tags=("x",), archived=True))
            described = await until(changes, "a", title="A title", tags=("x",), archived=True)

            assert "go" == over.listed.preview
            assert conversation.state.last == described.last


async def test_a_turn_of_another_process_is_seen_until_it_is_killed(tmp_path: Path) -> None:
    """
    Its row says that a turn runs; once the process is gone it does not, although the log says nothing about it.
    """
    async with Engine(open_store(tmp_path), setup()) as engine, await engine.changes() as changes:
        command = [sys.executable, "-m", "tests.engine.talker", str(tmp_path), "far"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as talker:
            try:
                running = await until(changes, "far", running=True)
            finally:
                talker.kill()
        over = await until(changes, "far", running=False)

    assert "And then?" == running.listed.preview
    assert over.last >= running.last >= 0


async def test_what_ran_before_the_viewer_came_is_watched_from_its_row(tmp_path: Path) -> None:
    """
    Who lists the sessions and asks for their rows is told of the end of what runs in them.
    """
    async with Engine(open_store(tmp_path), setup()) as engine, open_store(tmp_path) as there:
        session = await there.open("far")
        await session.append(UserSaid(parts=(Text(text="hello"),)))
        (listed,) = (await engine.store.list()).sessions
        assert (await engine.row(listed)).running
        async with await engine.changes() as changes:
            assert (await engine.row(listed)).running
            await session.close()
            over = await next_of(changes)

    assert SessionChanged(listed=listed, last=session.state.last) == over


async def test_a_removed_session_is_told_once(tmp_path: Path) -> None:
    """
    One that another process deleted is gone; one whose row is only made anew is not.
    """
    async with Engine(open_store(tmp_path), setup()) as engine, open_store(tmp_path) as there:
        await say(there, "kept", "hello")
        await say(there, "gone", "hello")
        await engine.store.list()
        async with await engine.changes() as changes:
            (tmp_path / "sessions" / "kept").rename(tmp_path / "kept")
            await engine.store.list()
            (tmp_path / "kept").rename(tmp_path / "sessions" / "kept")
            await there.delete("gone")
            removed = await next_of(changes)
            await say(there, "kept", "again")
            changed = await next_of(changes)

    assert isinstance(removed, SessionRemoved)
    assert isinstance(changed, SessionChanged)
    assert ("gone", "kept") == (removed.key, changed.listed.key)


async def test_a_slow_viewer_is_told_that_it_fell_behind() -> None:
    """
    Of each session only the newest row waits; beyond the limit nothing does, it is said once, and others miss nothing.
    """
    async with Engine(open_volatile(), setup()) as engine:
        async with await engine.changes(limit=2) as slow, await engine.changes() as quick:
            for text in ("one", "two"):
                await say(engine.store, "a", text)
                await until(quick, "a", entries=2 if text == "one" else 3)
            assert 1 == slow.waiting
            for key in ("b", "c"):
                await say(engine.store, key, "hello")
                await until(quick, key)
            assert 0 == slow.waiting
            await say(engine.store, "d", "hello")
            await until(quick, "d")
            seen = [await next_of(slow), await next_of(slow)]

        assert ListResync() == seen[0]
        assert isinstance(seen[1], SessionChanged)
        assert ("d", 0, 0) == (seen[1].listed.key, slow.waiting, quick.waiting)


async def test_a_catalog_that_is_made_anew_is_told_to_all(tmp_path: Path) -> None:
    """
    What changed meanwhile cannot be known, so every viewer has to list again.
    """
    async with Engine(open_store(tmp_path), setup()) as engine:
        await say(engine.store, "a", "hello")
        async with await engine.changes() as one, await engine.changes() as other:
            async for _ in engine.store.reindex():
                pass

            assert [ListResync(), ListResync()] == [await next_of(one), await next_of(other)]


async def test_the_changes_end_with_the_engine_and_with_the_viewer() -> None:
    """
    Iterating stops; watching again after the engine was closed is an error.
    """
    engine = Engine(open_volatile(), setup())
    left, stays = await engine.changes(), await engine.changes()
    left.close()
    left.close()
    await engine.close()

    assert [] == [each async for each in left]
    assert [] == [each async for each in stays]
    with pytest.raises(Closed):
        await engine.changes()


async def test_a_list_that_cannot_be_read_is_an_error_of_the_viewer(tmp_path: Path) -> None:
    """
    Who watches is told why there are no more changes.
    """
    async with Engine(open_store(tmp_path), setup()) as engine:
        await say(engine.store, "a", "hello")
        changes = await engine.changes()
        await engine.store.close()
        with pytest.raises(Closed, match="The store was closed"):
            await next_of(changes)
        with pytest.raises(Closed, match="The store was closed"):
            await engine.changes()
