"""Pipes, sockets, devices and links in place of a file of the store: refused at once, and never followed."""

import os
import socket
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from holdfast import HoldfastError, Store, UserSaid, open_store
from holdfast.ids import Position
from holdfast.records.entries import Drafted
from holdfast.stores.files import disk
from holdfast.stores.files.catalog.in_memory import in_memory

KINDS = {"link": "a link", "dangling": "a link", "pipe": "a pipe", "socket": "a socket", "device": "a device"}
CHART = b"a chart " * 2_000
OUTSIDE = b"a file of somebody else\n"


def put(kind: str, path: Path, outside: Path) -> None:
    """Put something into the place of a file."""
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    match kind:
        case "link":
            path.symlink_to(outside)
        case "dangling":
            path.symlink_to(outside.with_name("missing"))
        case "pipe":
            os.mkfifo(path)
        case "device":
            if os.geteuid():
                pytest.skip("only root can make devices")
            os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
        case _:
            folder = os.getcwd()
            os.chdir(path.parent)  # the path of a socket must be short
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(path.name)
            os.chdir(folder)


async def write(store: Store) -> str:
    """A session with an attachment and a draft; gives the name of the attachment's file."""
    async with store.session("notes") as session:
        await session.say("Where is the harbour?")
        blob = await session.attach(CHART, media_type="text/plain")
        await session.append(UserSaid(parts=(blob,)))
        await session.commit()
        await session.draft(Drafted(reply=Position(9), text="By the sea."))
        return str(blob.blob)


async def every_question(store: Store, blob: str) -> dict[str, str]:
    """What cannot be asked or done, with the reason."""

    async def read() -> None:
        assert [record async for record in store.read("notes")]

    async def append() -> None:
        async with store.session("notes") as session:
            await session.say("And the boat?")
            await session.draft(Drafted(reply=Position(99), text="In"))
            await session.commit()

    asked: dict[str, Callable[[], Awaitable[object]]] = {
        "list": store.list,
        "search": lambda: store.search("harbour"),
        "state": lambda: store.state("notes"),
        "read": read,
        "holder": lambda: store.holder("notes"),
        "blob": lambda: store.get_blob("notes", blob),
        "verify": lambda: store.verify("notes"),
        "repair": lambda: store.repair("notes"),
        "fork": lambda: store.fork("notes", "copy"),
        "append": append,
    }
    found = {}
    for name, ask in asked.items():
        try:
            await ask()
        except HoldfastError as error:
            found[name] = error.message
    return found


REFUSED = {
    "sessions/notes/000001.jsonl": ("state", "read", "verify", "repair", "fork", "append"),
    "sessions/notes/lock": ("holder", "repair", "append"),
    "sessions/notes/draft.jsonl": ("repair", "append"),
    "sessions/notes/blobs/BLOB": ("blob",),
    "catalog.db": (),
    "catalog.db-wal": (),
    "dirty/notes": (),
}
"""The files of a store, and what cannot be done without each; the catalog and the marks are made anew."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", REFUSED)
async def test_what_is_no_file_is_refused_at_once_and_never_followed(tmp_path: Path, kind: str, place: str) -> None:
    """
    The error names the place and what stands there; nothing else is refused, and nothing is written through a link.
    """
    root, outside = tmp_path / "store", tmp_path / "outside"
    outside.write_bytes(OUTSIDE)
    async with open_store(root) as store:
        blob = await write(store)
        await store.list()
    path = root / place.replace("BLOB", blob)
    put(kind, path, outside)
    async with open_store(root) as store:
        refused = await every_question(store, blob)
        listed = [each.key for each in (await store.list()).sessions]

    assert set(REFUSED[place]) == set(refused)
    assert all(f"it is {KINDS[kind]}, and not a file" in said and path.name in said for said in refused.values())
    assert "notes" in listed
    assert OUTSIDE == outside.read_bytes()
    assert not outside.with_name("missing").exists()


async def test_a_link_in_place_of_the_catalog_is_not_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    """
    The copy in memory begins empty then, and the answer is right.
    """
    async with open_store(tmp_path / "store") as store:
        await write(store)
        await store.list()
    (tmp_path / "store" / "catalog.db").rename(tmp_path / "outside")
    (tmp_path / "store" / "catalog.db").symlink_to(tmp_path / "outside")
    with in_memory(tmp_path / "store", ["notes"]) as db:
        found = db.execute("select count(*) from sessions").fetchone()

    assert (1,) == found


def test_what_takes_the_place_of_a_file_while_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    It is looked at once more when it is open.
    """
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(disk, "refuse_others", lambda _: None)
    with pytest.raises(disk.NoFileError, match="it is no regular file"):
        disk.open_file(tmp_path / "pipe", os.O_RDONLY)


async def test_an_attachment_that_is_no_file_is_missing_and_can_be_attached_again(tmp_path: Path) -> None:
    """
    A check names it, a fork leaves it out, and the same bytes take its place.
    """
    async with open_store(tmp_path / "store") as store:
        blob = await write(store)
    path = tmp_path / "store" / "sessions" / "notes" / "blobs" / blob
    path.unlink()
    os.mkfifo(path)
    async with open_store(tmp_path / "store") as store:
        verdict = await store.verify("notes")
        await store.fork("notes", "copy")
        copied = (tmp_path / "store" / "sessions" / "copy" / "blobs" / blob).exists()
        async with store.session("notes") as session:
            await session.attach(CHART, media_type="text/plain")
        again = await store.get_blob("notes", blob)

    assert (blob,) == verdict.blobs_missing
    assert (False, CHART) == (copied, again)
