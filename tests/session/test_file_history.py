"""What files held at a position of the log."""

import pytest

from holdfast.errors import NoBlob
from holdfast.ids import CallId
from holdfast.log.blobs import blob_id
from holdfast.records.entries import FileChanged
from holdfast.records.parts import Blob
from holdfast.session.file_history import MEDIA_TYPE, PastFile, file_changed, intended, past_files
from holdfast.session.store import Store
from tests.session.talk import KEY


def kept(text: str) -> Blob:
    """The bytes of a text, as an entry names them."""
    return Blob(blob=blob_id(text.encode()), media_type=MEDIA_TYPE, size=len(text))


def change(before: str | None, after: str | None, *, path: str = "a", mode: int = 0) -> FileChanged:
    """One change of a file."""
    return FileChanged(
        path=path,
        before=None if before is None else kept(before),
        after=None if after is None else blob_id(after.encode()),
        mode=mode,
    )


async def test_what_a_file_held_is_kept_with_the_entry(store: Store) -> None:
    """
    The bytes lie beside the log; what it is to hold is named by its hash alone.
    """
    async with store.session(KEY) as session:
        entry = await file_changed(session, "a", b"old", blob_id(b"new"), call=CallId("c"), mode=0o644)
        made = await file_changed(session, "b", None, blob_id(b"new"))
        removed = await file_changed(session, "b", b"new", None)
        await session.append(entry, made, removed)

        assert b"old" == await session.get_blob(blob_id(b"old"))
        assert (entry.call, entry.after, entry.mode) == ("c", blob_id(b"new"), 0o644)
        assert (None, blob_id(b"new")) == (made.before, made.after)
        assert (kept("new"), None) == (removed.before, removed.after)


async def test_the_new_content_is_not_kept(store: Store) -> None:
    """
    The file has it; a rewind keeps it before it is replaced.
    """
    async with store.session(KEY) as session:
        await session.append(await file_changed(session, "a", None, blob_id(b"new")))

        with pytest.raises(NoBlob):
            await session.get_blob(blob_id(b"new"))


def test_a_file_is_as_it_was_before_the_first_change() -> None:
    """
    However often it was changed since, and whoever wrote the entries.
    """
    changes = [change("one", "two", mode=0o755), change("two", "three"), change(None, "b", path="B")]

    assert (
        PastFile(path="B", then=None, mode=0, last=(blob_id(b"b"), None)),
        PastFile(path="a", then=blob_id(b"one"), mode=0o755, last=(blob_id(b"three"), blob_id(b"two"))),
    ) == past_files(changes)


@pytest.mark.parametrize(
    ("changes", "disturbed"),
    [
        ([change("one", "two")], False),
        ([change("one", "two"), change("two", None), change(None, "three")], False),
        ([change("one", "two"), change("one", "three")], False),
        ([change("one", "two"), change("else", "three")], True),
        ([change("one", "two"), change(None, "three")], True),
        ([change(None, "two"), change("else", "three"), change("three", "four")], True),
    ],
    ids=["one", "a chain", "the first did not happen", "changed between", "removed between", "remembered"],
)
def test_a_change_between_two_entries_is_noticed(changes: list[FileChanged], *, disturbed: bool) -> None:
    """
    An entry that does not begin where the last one ended, or began, tells of somebody else.
    """
    assert [disturbed] == [each.disturbed for each in past_files(changes)]


def test_a_change_that_did_not_happen_can_still_be_made() -> None:
    """
    What it was to bring is known from its entry, and what must be there for it.
    """
    assert PastFile(path="a", then=blob_id(b"two"), mode=0o600, last=(blob_id(b"one"),)) == intended(
        change("one", "two", mode=0o600)
    )
    assert PastFile(path="a", then=None, mode=0, last=(None,)) == intended(change(None, None))
