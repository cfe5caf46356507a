"""Which session a host opens: those of the workspace."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from holdfast import open_volatile
from holdfast.commands.workspace_sessions import latest, latest_key, new_key, open_in
from holdfast.engine.engine import Engine
from holdfast.errors import NotThere
from holdfast.ids import SessionKey
from holdfast.records.parts import Source
from holdfast.session.catalog import SCRIPT
from holdfast.session.store import session_key
from tests.agent.troupe import scripted, setup, turn

NOW = datetime(2026, 11, 18, 1, 2, 3, tzinfo=UTC)


@pytest.mark.parametrize("name", ["Boat", "my boat!", "Łódź 船", "...", "x" * 300, "-"])
def test_a_new_key_is_a_key_and_the_only_one(name: str) -> None:
    """
    Whatever the folder is called.
    """
    first, second = (new_key(Path("/home") / name, NOW) for _ in range(2))

    assert first != second
    assert "20261118-010203" in first
    assert SessionKey(first) == session_key(first)


def test_a_key_says_where_and_when() -> None:
    """
    The root of everything has no name, so it is called a session.
    """
    assert new_key(Path("/home/My Boat"), NOW).startswith("my-boat-20261118")
    assert new_key(Path("/"), NOW).startswith("session-")


async def test_the_latest_of_a_workspace_is_found_by_its_identity() -> None:
    """
    Others are not looked at, and where there is none it says what to do. A run of `-p` counts only for scripts.
    """
    async with Engine(open_volatile(), setup(scripted(*["Yes."] * 4))) as engine:
        with pytest.raises(NotThere, match="--continue"):
            await latest_key(engine.store, "here")
        for key, identity in (("first", "here"), ("second", "here"), ("third", "there")):
            await turn(await open_in(engine, key, identity, doing=""), "hello")
        run = await open_in(engine, "run", "here", doing="")
        await run.send("hello", source=Source(host=SCRIPT))
        await run.idle()

        assert "second" == await latest_key(engine.store, "here")
        assert "run" == await latest_key(engine.store, "here", scripts=True)
        assert "third" == await latest_key(engine.store, "there")
        assert await latest(engine.store, "nowhere") is None


async def test_a_session_belongs_to_where_it_began() -> None:
    """
    Opened elsewhere it still does. One that began without a workspace gets the first that it is opened in.
    """
    async with Engine(open_volatile(), setup(scripted("Yes."))) as engine:
        conversation = await open_in(engine, "a", "here", doing="")
        assert ("here", False) == (conversation.state.workspace, await engine.store.exists("a"))
        await turn(conversation, "hello")
        await engine.leave("a")
        assert "here" == (await open_in(engine, "a", "there", doing="")).state.workspace

        async with engine.store.session("b"):
            pass
        assert "there" == (await open_in(engine, "b", "there", doing="")).state.workspace
