"""Which session a host opens: those of the workspace."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from holdfast import Described, open_volatile
from holdfast.commands.workspace_sessions import latest, latest_key, new_key, settle_in
from holdfast.errors import NotThere
from holdfast.ids import SessionKey
from holdfast.session.store import session_key
from tests.agent.troupe import opened, scripted, setup, turn

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
    Others are not looked at, and where there is none it says what to do.
    """
    store = open_volatile()
    with pytest.raises(NotThere, match="--continue"):
        await latest_key(store, "here")
    for key, identity in (("first", "here"), ("second", "here"), ("third", "there")):
        async with await opened(store, setup(scripted("Yes.")), key) as conversation:
            await settle_in(conversation, identity)
            await turn(conversation, "hello")

    assert "second" == await latest_key(store, "here")
    assert "third" == await latest_key(store, "there")
    assert await latest(store, "nowhere") is None


async def test_a_session_settles_in_once() -> None:
    """
    Opened elsewhere it still belongs to where it began.
    """
    async with await opened(open_volatile(), setup(scripted())) as conversation:
        await settle_in(conversation, "here")
        before = conversation.state.last
        await settle_in(conversation, "there")

        assert ("here", before) == (conversation.state.workspace, conversation.state.last)
        await conversation.describe(Described(title="Boat"))
        assert "here" == conversation.state.workspace
