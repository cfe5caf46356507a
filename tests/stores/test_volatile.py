"""Logs in memory: what the contract leaves open."""

from holdfast.ids import BlobId, CallId, SessionKey
from holdfast.records.entries import ToolFinished, UserSaid
from holdfast.records.parts import Blob
from holdfast.stores.volatile import VolatileStore
from tests.contracts.talk import FORK, KEY, all_of, at, filled, say, writing


async def test_memory_promises_what_it_can_keep() -> None:
    """
    Unless told otherwise, an acknowledgement says that nothing is on a disk.
    """
    store = VolatileStore()
    async with writing(store) as writer:
        await say(writer, "one")

        assert "os" == (await writer.commit()).durability


async def test_stores_in_memory_share_nothing() -> None:
    """
    Two of them are two places.
    """
    one, other = VolatileStore(), VolatileStore()
    await filled(one, 3)

    assert ([KEY], []) == (await all_of(one.sessions()), await all_of(other.sessions()))


async def test_attachments_of_every_kind_of_entry_go_into_a_fork() -> None:
    """
    Whatever entry names them; what is missing in the original is missing in the fork, and told.
    """
    store = VolatileStore()
    async with writing(store) as writer:
        names = [await writer.put_blob(data) for data in (b"said", b"found")]
        parts = [Blob(blob=name, media_type="text/plain", size=4) for name in (*names, BlobId("0" * 64))]
        await writer.append(
            [
                UserSaid(parts=(parts[0],)),
                ToolFinished(call=CallId("1"), name="look", parts=(parts[1],)),
                UserSaid(parts=(parts[2],)),
            ],
            expect=at(0),
        )
    await store.fork(KEY, FORK, at=at(2))

    assert [b"said", b"found"] == [await store.get_blob(FORK, name) for name in names]
    assert ("0" * 64,) == (await store.verify(FORK)).blobs_missing


async def test_any_text_is_a_key() -> None:
    """
    There are no folders that could get in the way.
    """
    keys = [SessionKey(each) for each in ("a/b", "..", "\ud800", " ", "ß")]
    store = VolatileStore()
    for key in keys:
        await filled(store, 1, key)

    assert set(keys) == set(await all_of(store.sessions()))
