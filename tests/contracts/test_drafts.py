"""Drafts: what was streaming survives its writer, can be watched, and goes when its reply is in the log."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from holdfast.errors import Closed, Fenced, NoSession
from holdfast.log.store import LogStore
from holdfast.records.entries import Drafted
from tests.contracts.talk import KEY, at, filled, next_of, say, writing


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


async def drafted(source: AsyncIterator[tuple[Drafted, ...]], count: int) -> list[str]:
    """The words of the next few pieces, however many come at once; fails rather than waiting for ever."""
    found: list[str] = []
    async with asyncio.timeout(20):
        while len(found) < count:
            found += [each.text for each in await anext(source)]
    return found


async def closed(source: AsyncIterator[tuple[Drafted, ...]]) -> None:
    """Stop following."""
    await source.aclose()  # type: ignore[attr-defined]


async def test_a_reply_is_followed_while_it_streams(store: LogStore, other: LogStore) -> None:
    """
    What is there is given at once, then each new piece as another program drafts it; nothing twice.
    """
    async with writing(store) as writer:
        await say(writer, "question")
        await writer.draft(piece("an"))
        await writer.draft(piece("sw"))
        source = other.follow_draft(KEY)
        assert (piece("an"), piece("sw")) == (await next_of(source, 1))[0]
        await writer.draft(piece("er"))
        await writer.draft(piece("!"))
        assert ["er", "!"] == await drafted(source, 2)
    await closed(source)


async def test_a_follower_of_the_draft_goes_on_with_the_next_reply(store: LogStore, other: LogStore) -> None:
    """
    A draft that was dropped, once or more often, is another one; also one that is as long as the one before.
    """
    source = other.follow_draft(KEY)
    async with writing(store) as writer:
        await say(writer, "question")
        await writer.draft(piece("one"))
        assert ["one"] == await drafted(source, 1)
        await writer.drop_draft()
        await writer.draft(piece("two"))
        assert ["two"] == await drafted(source, 1)
        await writer.drop_draft()
        await writer.draft(piece("gone between two looks"))
        await writer.drop_draft()
        await writer.draft(piece("three"))
        assert ["three"] == await drafted(source, 1)
    await closed(source)


async def test_a_follower_of_the_draft_follows_the_new_writer(store: LogStore, other: LogStore) -> None:
    """
    After a take-over the pieces are those of the writer that has the session now.
    """
    former = await store.acquire(KEY)
    await say(former, "question")
    await former.draft(piece("mine"))
    source = other.follow_draft(KEY)
    assert ["mine"] == await drafted(source, 1)
    latter = await other.acquire(KEY, take_over=True)
    await latter.draft(piece("theirs"))
    assert ["theirs"] == await drafted(source, 1)
    await latter.release()
    await former.release()
    await closed(source)


async def test_a_follower_of_the_draft_learns_that_its_session_was_removed(store: LogStore) -> None:
    """
    Nobody waits for ever for words of a session that is gone, and none are given of another one under its key.
    """
    with pytest.raises(NoSession):
        await anext(store.follow_draft(KEY))
    async with writing(store) as writer:
        await say(writer, "question")
        await writer.draft(piece("words"))
    source = store.follow_draft(KEY)
    assert ["words"] == await drafted(source, 1)
    await store.delete(KEY)
    await filled(store, 3)

    with pytest.raises(NoSession):
        await drafted(source, 1)
