"""Checking: every byte is looked at, and nothing is changed by it."""

import pytest
from msgspec.structs import replace

from holdfast.errors import Held, NoSession
from holdfast.ids import BlobId, CallId
from holdfast.log.store import LogStore, Verdict
from holdfast.records.entries import ToolFinished, UserSaid
from holdfast.records.parts import Blob
from tests.contracts.talk import KEY, all_of, at, filled, writing


async def test_a_sound_log_is_found_sound(store: LogStore) -> None:
    """
    The verdict counts the entries and names the first and last position.
    """
    await filled(store, 20)

    verdict = await store.verify(KEY)
    assert Verdict(key=KEY, entries=20, first=at(0), last=at(19), size=verdict.size) == verdict
    assert verdict.good
    assert 2000 < verdict.size < 4000


async def test_missing_attachments_are_found(store: LogStore) -> None:
    """
    An entry that names content which is not there makes the log not good.
    """
    missing = BlobId("0" * 64)
    async with writing(store) as writer:
        kept = await writer.put_blob(b"kept")
        blobs = [Blob(blob=name, media_type="text/plain", size=4) for name in (missing, kept)]
        await writer.append(
            [UserSaid(parts=(blobs[0],)), ToolFinished(call=CallId("1"), name="t", parts=(blobs[1],))], expect=at(0)
        )

    verdict = await store.verify(KEY)
    assert (missing,) == verdict.blobs_missing
    assert not verdict.good


async def test_repairing_a_sound_log_changes_nothing(store: LogStore) -> None:
    """
    Repair tells what verify tells when there is nothing to mend.
    """
    records = await filled(store, 20)

    before, after = await store.verify(KEY), await store.repair(KEY)
    assert before == replace(after, size=before.size)
    assert records == await all_of(store.read(KEY))


async def test_what_is_written_to_can_be_checked_but_not_repaired(store: LogStore, other: LogStore) -> None:
    """
    Reading needs no lease; mending does.
    """
    await filled(store, 3)
    async with writing(store):
        assert (await other.verify(KEY)).good
        with pytest.raises(Held):
            await other.repair(KEY)


async def test_what_does_not_exist_cannot_be_checked(store: LogStore) -> None:
    """
    No session is an error here too.
    """
    with pytest.raises(NoSession):
        await store.verify(KEY)
    with pytest.raises(NoSession):
        await store.repair(KEY)
