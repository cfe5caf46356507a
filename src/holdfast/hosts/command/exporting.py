"""`export`: a conversation as a document."""

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

from holdfast.assembly import folder_of
from holdfast.commands.text.times import count, human_size
from holdfast.errors import BadInput
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.exits import Exit
from holdfast.hosts.command.passages import Gap, Wanted, content_of, passages, spans_of
from holdfast.ids import BlobId
from holdfast.session.export.content import worth_reading
from holdfast.session.export.html import Html
from holdfast.session.export.lines import Document, Lines
from holdfast.session.export.markdown import Markdown
from holdfast.session.export.renderer import Renderer, spoken
from holdfast.session.export.shown import blobs_of
from holdfast.session.store import Store

RENDERERS: dict[str, type[Renderer]] = {"md": Markdown, "html": Html, "json": Document, "jsonl": Lines}
"""What makes a document of each kind."""
ENDINGS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".json": "json", ".jsonl": "jsonl"}
"""The kind of document that is meant by the end of a file's name."""
NAMED = 3
"""How many damaged stretches are named one by one."""
LONGEST = 40
"""How much of a file's name its unfinished form has: with more it could become too long."""


async def export(call: Call) -> Exit:
    """Write a conversation as a document."""
    output = "" if call.text("output") == "-" else call.text("output")
    kind = call.text("format") or ("json" if call.flag("json") else ENDINGS.get(Path(output).suffix.lower(), "md"))
    async with call.open() as store:
        key, beside, gaps = call.text("key"), set[BlobId](), list[Gap]()
        pieces = document(store, key, kind, beside, branch=call.text("branch"), gaps=gaps)
        if output:
            size = await to_file(Path(output), pieces)
            call.console.note(f"Wrote {human_size(size)} to {output}.")
        else:
            async for piece in pieces:
                call.console.data(piece)
    if beside:
        call.console.note(left_beside(len(beside), call.store, key))
    if gaps:
        call.console.note(f"{unreadable(gaps)} `{call.line('verify', key)}` says more.")
    return Exit.OK


def left_beside(attachments: int, store: Path, key: str) -> str:
    """Where the attachments are that a document does not hold."""
    return f"{count(attachments, 'attachment')} not included: see {folder_of(store, key) / 'blobs'}"


def unreadable(gaps: list[Gap]) -> str:
    """What a document does not hold because it is damaged."""
    places = [spoken(gap.first, gap.last) for gap in gaps[:NAMED]]
    if len(gaps) > NAMED:
        places.append(f"{count(len(gaps) - NAMED, 'stretch', 'stretches')} more")
    return f"Damaged, so not included: {', '.join(places)}."


async def document(
    store: Store, key: str, kind: str, beside: set[BlobId], *, branch: str = "", gaps: list[Gap] | None = None
) -> AsyncIterator[bytes]:
    """A conversation as a document, piece by piece.

    Attachments that are not in it are added to `beside`, and what cannot be read to `gaps`.
    """
    renderer, whole = RENDERERS[kind](), kind.startswith("json")
    state = await store.state(key)
    wanted = Wanted(spans_of(state, branch, whole=whole))  # a branch that is none is refused before anything is printed
    yield renderer.begin(state)
    async for passage in passages(store, key, wanted):
        if isinstance(passage, Gap):
            if gaps is not None:
                gaps.append(passage)
            yield renderer.gap(passage.first, passage.last)
            continue
        blobs = () if whole else worth_reading(passage.entry, pictures=kind == "html")
        beside |= {blob.blob for blob in blobs_of(passage.entry)} - set(blobs)
        yield renderer.record(passage, await content_of(store, key, blobs))
    yield renderer.end()


def _must_be_writable(path: Path) -> None:
    if path.is_dir() or not path.parent.is_dir():
        raise BadInput(f"{path} cannot be written.", hint="Name a file in a folder that exists.")


def _is_stream(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _behind_links(path: Path) -> Path:
    """The file itself: a link to it stays one."""
    return Path(os.path.realpath(path))


def _begun(new: Path, target: Path) -> BinaryIO:
    """A new file that may be read by whoever may read the one it is to replace."""
    file = new.open("wb")
    if target.exists():
        shutil.copymode(target, new)
    return file


async def _into(file: BinaryIO, pieces: AsyncIterator[bytes]) -> int:
    size = 0
    async for piece in pieces:
        size += file.write(piece)
    return size


async def to_file(path: Path, pieces: AsyncIterator[bytes]) -> int:
    """Write a file that is there completely, or stays as it was; a pipe or a device is written to as it is."""
    _must_be_writable(path)
    if _is_stream(path):
        with path.open("wb") as stream:
            return await _into(stream, pieces)
    target = _behind_links(path)
    _must_be_writable(target)
    new = target.with_name(f".{target.name[:LONGEST]}.{os.getpid()}.new")
    try:
        with _begun(new, target) as file:
            size = await _into(file, pieces)
        new.replace(target)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    return size
