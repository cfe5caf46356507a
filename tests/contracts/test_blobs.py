"""Attachments: content under its hash."""

import asyncio
from hashlib import sha256

import pytest

from holdfast.errors import NoBlob
from holdfast.ids import BlobId
from holdfast.log.store import LogStore
from tests.contracts.talk import KEY, writing


async def test_content_is_kept_under_its_hash(store: LogStore, other: LogStore) -> None:
    """
    The name is the SHA-256 of the bytes, for everyone.
    """
    data = bytes(range(256)) * 1000
    async with writing(store) as writer:
        name = await writer.put_blob(data)

    assert sha256(data).hexdigest() == name
    assert data == await other.get_blob(KEY, name)


async def test_keeping_it_twice_is_once(store: LogStore) -> None:
    """
    The same bytes, one after the other or at the same time, are kept once.
    """
    async with writing(store) as writer:
        names = await asyncio.gather(*(writer.put_blob(b"same") for _ in range(8)))

        assert {await writer.put_blob(b"same")} == set(names)
        assert b"same" == await store.get_blob(KEY, names[0])


@pytest.mark.parametrize("name", ["0" * 64, "", "..", "../lock", "/etc/passwd", "a\x00b", "F" * 64])
async def test_what_is_not_there_is_said_to_be_missing(store: LogStore, name: str) -> None:
    """
    Any text may be asked for; only a kept hash is answered.
    """
    async with writing(store) as writer:
        await writer.put_blob(b"something else")
        with pytest.raises(NoBlob):
            await store.get_blob(KEY, BlobId(name))


async def test_a_session_that_does_not_exist_has_no_blobs(store: LogStore) -> None:
    """
    Asking a missing session for content is not a crash.
    """
    with pytest.raises(NoBlob):
        await store.get_blob(KEY, BlobId("0" * 64))


async def test_an_empty_attachment_is_one(store: LogStore) -> None:
    """
    No bytes are bytes too.
    """
    async with writing(store) as writer:
        assert b"" == await store.get_blob(KEY, await writer.put_blob(b""))
