"""Drafts: a reply that broke off is part of the conversation, once."""

from holdfast.ids import SessionKey
from holdfast.log.store import LogStore
from holdfast.records.entries import Drafted, ModelReplied
from holdfast.records.parts import Text
from holdfast.session.store import Store
from tests.session.talk import KEY, all_of, at, replied, said, texts


async def left_behind(store: Store, *pieces: str) -> None:
    """Let a writer die while it streams a reply."""
    async with store.session(KEY) as session:
        await session.append(said("question"))
        for piece in pieces:
            await session.draft(Drafted(reply=at(session.state.last + 1), text=piece))


async def test_a_reply_that_broke_off_is_in_the_log(store: Store, logs: LogStore) -> None:
    """
    What a person has seen streaming is there when the session is opened next, marked as interrupted, and once.
    """
    await left_behind(store, "an", "sw")
    for _ in range(2):
        await (await store.open(KEY)).close()
    records = await all_of(store.read(KEY))

    assert ["question", "answ"] == texts(records)
    assert ModelReplied(parts=(Text(text="answ"),), stop="interrupted") == records[-1].entry
    assert () == await logs.drafts(SessionKey(KEY))


async def test_a_finished_reply_is_not_said_twice(store: Store, logs: LogStore) -> None:
    """
    A writer that died between the reply and the dropping of its draft leaves one reply.
    """
    await left_behind(store, "answer")
    writer = await logs.acquire(SessionKey(KEY))
    await writer.append([replied("answer")], expect=at(2))
    await writer.release()

    async with store.session(KEY) as session:
        assert 2 == session.state.last
    assert ["question", "answer"] == texts(await all_of(store.read(KEY)))
    assert () == await logs.drafts(SessionKey(KEY))


async def test_a_finished_reply_leaves_no_draft(store: Store, logs: LogStore) -> None:
    """
    Nothing is owed by a writer that finished what it began.
    """
    async with store.session(KEY) as session:
        await session.draft(Drafted(reply=at(1), text="ans"))
        await session.finish(replied("answer"))
        assert () == await logs.drafts(SessionKey(KEY))

    async with store.session(KEY):
        assert ["answer"] == texts(await all_of(store.read(KEY)))


async def test_a_draft_cut_inside_a_character_does_not_lock_the_session(store: Store) -> None:
    """
    A stream may be cut anywhere, and the session opens.
    """
    await left_behind(store, "fine \ud83d", "\ude00 \ud83d")

    async with store.session(KEY):
        assert ["question", "fine 😀 \ud83d"] == texts(await all_of(store.read(KEY)))
