"""A session held for writing: what is said is kept once, in order, and can be gone on with."""

import asyncio
from pathlib import Path

import pytest

from holdfast.clock import ManualClock
from holdfast.errors import BadEntry, BadInput, BeyondEnd, Closed, Fenced
from holdfast.ids import CallId, ClientId, SessionKey
from holdfast.log.store import Ack, LogStore
from holdfast.records.codec import Record
from holdfast.records.entries import Checkpointed, ModelReplied, Opened, ToolStarted, Unknown, UserSaid
from holdfast.records.parts import Text, plain_text
from holdfast.session.state import OpenCall
from holdfast.session.store import Store
from holdfast.session.writer import CHECKPOINT_BYTES
from holdfast.stores.files.store import FileStore
from holdfast.stores.scan_catalog import ScanningCatalog
from tests.session.talk import KEY, all_of, at, called, entries, folded, next_of, positions, replied, said, texts


async def test_a_session_begins_with_its_key(store: Store) -> None:
    """
    The first entry says what the session is called; opening it again adds nothing.
    """
    for _ in range(2):
        async with store.session(KEY) as session:
            assert KEY == session.key

    assert [Opened(key=SessionKey(KEY))] == entries(await all_of(store.read(KEY)))


async def test_the_state_is_that_of_the_log(store: Store) -> None:
    """
    After every append, after closing and opening, and for readers, the state is the fold of what stands there.
    """
    async with store.session(KEY) as session:
        for number in range(30):
            await session.append(said(f"{number}"), called(f"{number}"))
            assert folded(await all_of(session.read())) == session.state
        before = session.state

    async with store.session(KEY) as session:
        assert before == session.state == await store.state(KEY)


async def test_an_append_tells_where_its_last_entry_stands(store: Store) -> None:
    """
    Entries given together stand together; giving nothing writes nothing.
    """
    async with store.session(KEY) as session:
        assert 3 == await session.append(said("1"), said("2"), said("3"))
        assert 3 == await session.append()
        assert 4 == await session.append(said("4"))

    assert ["1", "2", "3", "4"] == texts(await all_of(store.read(KEY)))


async def test_a_refused_entry_leaves_the_session_as_it_was(store: Store) -> None:
    """
    Nothing is written, and the next append goes on.
    """
    async with store.session(KEY) as session:
        with pytest.raises(BadEntry):
            await session.append(said("good"), Unknown(kind=""))
        assert 1 == await session.append(said("next"))

    assert ["next"] == texts(await all_of(store.read(KEY)))


async def test_a_commit_says_what_it_promises(store: Store) -> None:
    """
    The answer names the last position and how durable it is.
    """
    async with store.session(KEY) as session:
        await session.append(said("1"))

        assert Ack(position=at(1), durability="os") == await session.commit()


async def test_a_resend_is_one_message(store: Store) -> None:
    """
    The same client id is said once: at once, after others, and after the session was opened again.
    """
    async with store.session(KEY) as session:
        first = await session.say("hello", client_id="m-1")
        await session.say("hello")
        assert first == await session.say("hello", client_id="m-1")
    async with store.session(KEY) as session:
        assert first == await session.say("hello", client_id="m-1")
        assert 3 == await session.say("other", client_id="m-2")

    assert ["hello", "hello", "other"] == texts(await all_of(store.read(KEY)))


async def test_a_resend_among_other_entries_is_left_out(store: Store) -> None:
    """
    However a message with a client id is written, it is written once; the rest is written as it is.
    """
    message = UserSaid(parts=(Text(text="hello"),), client_id=ClientId("m-1"))
    async with store.session(KEY) as session:
        assert 1 == await session.append(message)
        assert 2 == await session.append(message, said("more"))
        assert 1 == await session.append(said("again"), message)

    assert ["hello", "more", "again"] == texts(await all_of(store.read(KEY)))


async def test_a_resend_while_the_first_is_on_its_way_is_one_message(store: Store) -> None:
    """
    A client that loses patience does not say it twice, wherever the first sending waits.
    """
    async with store.session(KEY) as session:
        for number in range(40):
            sendings = [session.say("hello", client_id=f"m-{number}") for _ in range(3)]
            assert 1 == len(set(await asyncio.gather(*sendings)))

    assert 40 == len(texts(await all_of(store.read(KEY))))


async def test_tasks_that_share_a_session_take_turns(store: Store) -> None:
    """
    Appends at the same time are all written, each whole, in the order they were asked for.
    """
    async with store.session(KEY) as session:
        told = await asyncio.gather(*(session.append(said(f"{n}a"), said(f"{n}b")) for n in range(60)))
        assert folded(await all_of(session.read())) == session.state

    assert [2 * number + 2 for number in range(60)] == told
    assert [f"{n}{half}" for n in range(60) for half in "ab"] == texts(await all_of(store.read(KEY)))


async def test_a_cancelled_append_leaves_all_of_it_or_none(store: Store) -> None:
    """
    Whatever was cancelled, the session goes on after it, and its state is that of the log.
    """
    async with store.session(KEY) as session:
        for number in range(60):
            task = asyncio.ensure_future(session.append(said(f"{number}a"), said(f"{number}b")))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        await session.append(said("last"))
        assert folded(await all_of(session.read())) == session.state

    found = texts(await all_of(store.read(KEY)))
    assert "last" == found[-1]
    assert [each.replace("a", "b") for each in found[0:-1:2]] == found[1:-1:2]


async def test_a_resend_after_a_cancelled_sending_is_one_message(store: Store) -> None:
    """
    A sending that was given up when its bytes were on their way counts.
    """
    async with store.session(KEY) as session:
        for number in range(40):
            task = asyncio.ensure_future(session.say("hello", client_id=f"m-{number}"))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            await session.say("hello", client_id=f"m-{number}")

    assert 40 == len(texts(await all_of(store.read(KEY))))


async def test_a_reply_that_waits_for_room_is_written_once(tmp_path: Path, clock: ManualClock) -> None:
    """
    Also where the sending that takes it along is given up when its bytes are on their way to a new segment.
    """
    logs = FileStore(tmp_path, clock=clock, segment_bytes=1)
    async with Store(logs, ScanningCatalog(logs), clock) as store:
        async with store.session(KEY) as session:
            for number in range(20):
                session.owe(ModelReplied(parts=(Text(text=f"reply {number}"),), stop="interrupted"))
                task = asyncio.ensure_future(session.append(said(f"{number}")))
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait([task])
                await session.append(said("next"))
        found = entries(await all_of(store.read(KEY)))

    replies = [plain_text(entry.parts) for entry in found if isinstance(entry, ModelReplied)]
    assert [f"reply {number}" for number in range(20)] == replies


async def test_a_long_session_is_opened_from_its_last_checkpoint(tmp_path: Path, clock: ManualClock) -> None:
    """
    Everything before the checkpoint may be unreadable, and the state is still that of the whole log.
    """
    logs = FileStore(tmp_path, clock=clock, durability="os")
    async with Store(logs, ScanningCatalog(logs), clock) as store:
        async with store.session(KEY) as session:
            for number in range(150):
                await session.append(said(f"{number} " + "word " * 200))
            before = session.state
        saved = [record for record in await all_of(store.read(KEY)) if isinstance(record.entry, Checkpointed)]
        (segment,) = tmp_path.rglob("000001.jsonl")
        data = segment.read_bytes()
        kept = data.index(saved[-1].raw)
        segment.write_bytes(b"x" * (kept - 1) + data[kept - 1 :])

        assert 1 <= len(saved) <= 151_000 // CHECKPOINT_BYTES
        assert before == await store.state(KEY)


async def test_checkpoints_stand_in_front_of_what_is_said_next(store: Store) -> None:
    """
    One is written with the entry after it, is not given as that entry's position, and never comes alone.
    """
    async with store.session(KEY) as session:
        for _ in range(4):
            told = await session.append(said("word " * (CHECKPOINT_BYTES // 4)))
            assert told == session.state.last
    records = await all_of(store.read(KEY))

    assert [2, 4, 6] == [record.pos for record in records if isinstance(record.entry, Checkpointed)]
    assert isinstance(records[-1].entry, UserSaid)


async def test_a_session_whose_beginning_is_damaged_is_gone_on_with(tmp_path: Path, clock: ManualClock) -> None:
    """
    The entry that names the session may be lost, and everything else is still said under its key.
    """
    logs = FileStore(tmp_path, clock=clock, durability="os")
    async with Store(logs, ScanningCatalog(logs), clock) as store:
        async with store.session(KEY) as session:
            await session.say("one")
        (segment,) = tmp_path.rglob("000001.jsonl")
        segment.write_bytes(segment.read_bytes().replace(b'"kind":"opened"', b'"kind":"0pened"'))

        async with store.session(KEY) as session:
            await session.say("two")
            assert KEY == session.key
            assert ["one", "two"] == texts(await all_of(session.read()))


async def test_a_conversation_goes_on_from_where_it_was_rewound_to(store: Store) -> None:
    """
    What was rewound is not on the branch, is still in the log, and comes back when the rewind is undone.
    """
    async with store.session(KEY) as session:
        await session.append(said("1"), said("2"), said("3"))
        assert 4 == await session.rewind(1)
        await session.append(said("other"))
        assert ["1", "other"] == texts(await all_of(session.branch()))
        await session.undo_rewind()
        assert ["1", "2", "3"] == texts(await all_of(session.branch()))

    assert ["1", "2", "3", "other"] == texts(await all_of(store.read(KEY)))


async def test_only_what_is_there_can_be_rewound_to(store: Store) -> None:
    """
    A wrong position, or no rewind to take back, writes nothing.
    """
    async with store.session(KEY) as session:
        with pytest.raises(BeyondEnd):
            await session.rewind(9)
        with pytest.raises(BadInput):
            await session.undo_rewind()

        assert 0 == session.state.last


async def test_a_follower_sees_each_entry_once(store: Store) -> None:
    """
    Following one's own session gives what was said and what is being said.
    """
    async with store.session(KEY) as session:
        await session.append(said("1"))
        source = session.follow(after=0)
        first = await next_of(source, 1)
        await session.append(said("2"), said("3"))
        assert [1, 2, 3] == positions(first + await next_of(source, 2))
        await source.aclose()  # type: ignore[attr-defined]


async def test_open_calls_are_known_after_the_writer_died(store: Store) -> None:
    """
    Whoever opens the session next knows which calls have no result, and which of them may have run.
    """
    async with store.session(KEY) as session:
        await session.append(called("1", "2"), ToolStarted(call=CallId("1"), name="tool"))

    state = await store.state(KEY)
    assert state.in_turn
    assert [("1", True), ("2", False)] == [(each.call, each.started) for each in state.open_calls]
    assert OpenCall(call=CallId("2"), name="tool") == state.open_calls[-1]


async def test_a_closed_session_takes_nothing(store: Store) -> None:
    """
    Closing twice is once; what comes after it is an error, and someone else can open it.
    """
    session = await store.open(KEY, doing="testing")
    assert "testing" == session.holder.doing
    async with session:
        assert () == session.repaired
    await session.close()

    with pytest.raises(Closed):
        await session.append(said("late"))
    assert await store.holder(KEY) is None


async def test_a_session_that_was_taken_over_is_told(store: Store) -> None:
    """
    The former holder cannot acknowledge anything any more.
    """
    former = await store.open(KEY)
    async with store.session(KEY, take_over=True) as latter:
        await latter.say("mine")
        with pytest.raises(Fenced):
            await former.say("mine too")
    await former.close()

    assert ["mine"] == texts(await all_of(store.read(KEY)))


async def test_a_session_that_cannot_begin_is_given_back(logs: LogStore, store: Store) -> None:
    """
    If the first entry cannot be written, nobody holds the session afterwards, and there is none.
    """
    key = "\ud83d\ude00"
    with pytest.raises(BadEntry):
        await store.open(key)

    assert await logs.holder(SessionKey(key)) is None
    assert () == await store.keys()


async def test_a_reply_is_as_good_as_said_when_it_is_finished(store: Store) -> None:
    """
    Finishing writes the reply, and only then is its draft forgotten.
    """
    async with store.session(KEY) as session:
        assert 1 == await session.finish(replied("answer"))

    assert ["answer"] == texts(await all_of(store.read(KEY)))


async def test_a_session_into_which_another_is_copied_stays_itself(store: Store) -> None:
    """
    The beginning of the other one is an entry like any; what is read is still one's own.
    """
    async with store.session(KEY) as session:
        await session.append(Opened(key=SessionKey("another")), said("hello"))

        assert (KEY, await store.state(KEY)) == (session.key, session.state)
        assert [0, 1, 2] == positions(await all_of(session.read()))


async def test_who_listens_is_told_every_record_in_order(store: Store) -> None:
    """
    However many are written at once, and the checkpoints in front of them too.
    """
    async with store.session(KEY) as session:
        told: list[Record] = []
        session.listen(told.append)
        for _ in range(2):
            await session.append(*[said("x" * 300) for _ in range(300)])

        assert await all_of(session.read(start=1)) == told
        assert any(isinstance(record.entry, Checkpointed) for record in told)
