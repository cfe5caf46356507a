"""Attachments: what is too large for a line lies beside the log, and the line says where."""

import pytest

from holdfast.errors import NoBlob
from holdfast.ids import BlobId, CallId
from holdfast.log.blobs import PREVIEW_CHARACTERS, SPILL_BYTES, blob_id
from holdfast.records.entries import ModelReplied, ToolFinished, UserSaid
from holdfast.records.parts import Blob, Part, Text, ToolCall
from holdfast.session.store import Store
from holdfast.session.writer import Session
from tests.session.talk import KEY, all_of, said


async def finished(session: Session, *texts: str) -> tuple[Part, ...]:
    """The parts of a tool's result as they stand in the log."""
    parts = tuple(Text(text=text) for text in texts)
    asked = ModelReplied(parts=(ToolCall(id=CallId("1"), name="t"),))
    at = await session.append(asked, ToolFinished(call=CallId("1"), name="t", parts=parts))
    (record,) = await all_of(session.read(start=at))
    assert isinstance(record.entry, ToolFinished)
    return record.entry.parts


async def test_content_is_kept_byte_for_byte(store: Store) -> None:
    """
    What is attached is given back exactly, by whoever reads the session.
    """
    data = bytes(range(256)) * 3
    async with store.session(KEY) as session:
        blob = await session.attach(data, media_type="image/png", name="boat.png")
        await session.append(UserSaid(parts=(blob,)))

        assert Blob(blob=blob_id(data), media_type="image/png", size=768, name="boat.png") == blob
        assert data == await session.get_blob(blob.blob)
    assert data == await store.get_blob(KEY, blob.blob)


async def test_a_text_is_previewed(store: Store) -> None:
    """
    Its first words stand in the line, whole characters only.
    """
    async with store.session(KEY) as session:
        blob = await session.attach("日".encode() * 5000, media_type="text/plain")
        assert "日" * PREVIEW_CHARACTERS == blob.preview
        blob = await session.attach(b"short \xff", media_type="text/markdown")
        assert "short \ufffd" == blob.preview


@pytest.mark.parametrize("text", ["x" * SPILL_BYTES, "é" * (SPILL_BYTES // 2), ""])
async def test_a_result_that_fits_stays_in_its_line(store: Store, text: str) -> None:
    """
    Up to the limit, counted in bytes, a tool's text is in the log itself.
    """
    async with store.session(KEY) as session:
        assert (Text(text=text),) == await finished(session, text)


@pytest.mark.parametrize("text", ["x" * (SPILL_BYTES + 1), "é" * (SPILL_BYTES // 2 + 1), "\ud800" * SPILL_BYTES])
async def test_a_long_result_lies_beside_the_log(store: Store, text: str) -> None:
    """
    The line names it and shows how it begins; every character can be read again.
    """
    async with store.session(KEY) as session:
        short, long = await finished(session, "short", text)

        assert Text(text="short") == short
        assert isinstance(long, Blob)
        assert text == (await session.get_blob(long.blob)).decode("utf-8", "surrogatepass")


async def test_what_people_say_stays_in_the_log_whatever_its_length(store: Store) -> None:
    """
    A long message is not cut into a preview.
    """
    message = said("word " * SPILL_BYTES)
    async with store.session(KEY) as session:
        await session.append(message)
        assert message == (await all_of(session.read()))[-1].entry


async def test_an_attachment_that_is_not_there_is_an_error(store: Store) -> None:
    """
    Nothing is made up for it.
    """
    async with store.session(KEY) as session:
        with pytest.raises(NoBlob):
            await session.get_blob(BlobId("0" * 64))
