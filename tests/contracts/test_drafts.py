"""Drafts: what was streaming survives its writer, and goes when its reply is in the log."""

import pytest

from holdfast.errors import Closed, Fenced
from holdfast.log.store import LogStore
from holdfast.records.entries import Drafted
from tests.contracts.talk import KEY, at, say, writing


def piece(text: str) -> Drafted:
    """A piece of a reply."""
    return Drafted(reply=at(1), text=text)


async def test_pieces_are_there_in_order_for_everyone(store: LogStore, other: LogStore) -> None:
    """
    A reply can be watched, and found again, while it streams.
    """
    async with writing(store) as writer:
        await say(writer, "question")
        await writer.draft(piece("an"))
        await writer.draft(piece("swer"))

        assert (piece("an"), piece("swer")) == await other.drafts(KEY)


async def test_a_draft_outlives_its_writer(store: LogStore, other: LogStore) -> None:
    """
    The next writer finds what the last one left, and can add to it.
    """
    async with writing(store) as writer:
        await writer.draft(piece("an"))
    async with writing(other) as writer:
        await writer.draft(piece("swer"))

        assert (piece("an"), piece("swer")) == await other.drafts(KEY)


async def test_a_dropped_draft_is_gone(store: LogStore) -> None:
    """
    When the reply is in the log, its pieces are forgotten; and there may be none.
    """
    async with writing(store) as writer:
        await writer.drop_draft()
        await writer.draft(piece("an"))
        await writer.drop_draft()
        assert () == await store.drafts(KEY)
        await writer.draft(piece("other"))
        assert (piece("other"),) == await store.drafts(KEY)


async def test_a_session_that_does_not_exist_has_no_draft(store: LogStore) -> None:
    """
    Nothing streams into nothing.
    """
    assert () == await store.drafts(KEY)


async def test_only_the_holder_drafts(store: LogStore, other: LogStore) -> None:
    """
    A fenced or released writer neither adds to the draft nor drops it.
    """
    former = await store.acquire(KEY)
    latter = await other.acquire(KEY, take_over=True)
    await latter.draft(piece("theirs"))

    with pytest.raises(Fenced):
        await former.draft(piece("mine"))
    with pytest.raises(Fenced):
        await former.drop_draft()
    await former.release()
    with pytest.raises(Closed):
        await former.draft(piece("mine"))
    assert (piece("theirs"),) == await store.drafts(KEY)
    await latter.release()
