"""`export` and `save`: a conversation as a document, given back or written to a file."""

import os
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

from holdfast.commands.answers import Answers, Confirm, DocumentFile, Note, Prose
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.selection import Gap, Selection, content_of, passages, spans_of
from holdfast.commands.sessions import place, promise
from holdfast.commands.text.html import rendered
from holdfast.commands.text.times import count, human_size
from holdfast.errors import BadInput
from holdfast.ids import BlobId
from holdfast.session.export.content import worth_reading
from holdfast.session.export.for_people import HtmlForPeople, MarkdownForPeople
from holdfast.session.export.readable import blobs_of
from holdfast.session.export.renderer import Renderer, spoken
from holdfast.session.export.to_html import Html
from holdfast.session.export.to_jsonl import JsonDocument as WholeLog
from holdfast.session.export.to_jsonl import JsonLines
from holdfast.session.export.to_markdown import Markdown
from holdfast.stores.files.home_folder import home
from holdfast.tools.titles import call_title

FULL: dict[str, type[Renderer]] = {"md": Markdown, "html": Html, "json": WholeLog, "jsonl": JsonLines}
"""What makes a document of each kind, with every entry."""
ENDINGS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".json": "json", ".jsonl": "jsonl"}
"""The kind of document that is meant by the end of a file's name."""
MEDIA_TYPES = {"md": "text/markdown", "html": "text/html", "json": "application/json", "jsonl": "application/jsonl"}
NAMED = 3
"""How many damaged stretches are named one by one."""
LONGEST = 40
"""How much of a file's name its unfinished form has: with more it could become too long."""
_STRANGE = re.compile(r"[^\w.-]+")


async def export(given: Inputs, context: CommandContext) -> Answers:
    """A conversation as a document: given back, or written where a file is named.

    In a conversation it becomes a file of the workspace unless another is named, where the person's files can be
    reached.
    """
    key, output = given.text("key"), "" if given.text("output") == "-" else given.text("output")
    kind = given.text("format") or ("json" if given.flag("json") else "")
    if isinstance(context, ConversationContext) and not key:
        key = context.conversation.key
        await context.session.commit()
        kind = kind or (_kind(output, given) if output else "md")
        if not output and context.may("own files"):
            output = file_name(key, kind)
        output = str(_in_workspace(output, context)) if output else ""
        if output and not given.flag("replace") and _is_there(Path(output)):
            return (Confirm(question=f"{output} exists. Replace it?", then=given.again("--replace")),)
    kind = kind or ENDINGS.get(Path(output).suffix.lower(), "md")
    full = given.flag("full")
    document = await exported(context, key, kind, branch=given.text("branch"), full=full)
    return await _written(Path(output), document, in_chat=given.in_chat) if output else (document,)


async def save(given: Inputs, context: ConversationContext) -> Answers:
    """Make sure that everything is on disk; with a file, write it there too."""
    if output := given.text("output"):
        path, kind = _in_workspace(output, context), _kind(output, given)
        if not given.flag("replace") and _is_there(path):
            return (Confirm(question=f"{path} exists. Replace it?", then=given.again("--replace")),)
        await context.session.commit()
        return await _written(path, await exported(context, context.conversation.key, kind), in_chat=True)
    safe = await promise(context)
    said = f"Saved up to position {context.conversation.state.last}: {safe}.\n\n{await place(context)}".rstrip()
    if context.may("own files"):
        return (Prose(markdown=said),)
    return (Prose(markdown=said), await exported(context, context.conversation.key, "md"))


def file_name(key: str, kind: str) -> str:
    """What a file with a conversation is called: no key leads out of the folder."""
    return f"{_STRANGE.sub('-', key).strip('-') or 'session'}.{kind}"


def _kind(name: str, given: Inputs) -> str:
    """What the ending of a file says that it holds: a file that is something else than its name says opens nowhere."""
    kind = ENDINGS.get(Path(name).suffix.lower())
    if kind is None:
        raise given.refuse(f"What {name} is to hold cannot be told: it ends with none of {', '.join(ENDINGS)}.")
    return kind


def _in_workspace(name: str, context: ConversationContext) -> Path:
    if name == "~" or name.startswith("~/"):
        return home(context.environment) / name[2:]
    return context.agent.root / name


def _is_there(path: Path) -> bool:
    return path.is_file()


def _renderer(kind: str, *, full: bool) -> Renderer:
    if kind == "md" and not full:
        return MarkdownForPeople(call_title)
    return HtmlForPeople(call_title, rendered) if kind == "html" and not full else FULL[kind]()


async def exported(
    context: CommandContext, key: str, kind: str, *, branch: str = "", full: bool = False
) -> DocumentFile:
    """A conversation as a document, whose bytes are made as they are read; with `full`, every entry is in it.

    A session or a branch that is not there is refused before anything is read.
    """
    store, notes = await context.opened(), list[str]()
    state = await store.state(key)
    selection = Selection(spans_of(state, branch, whole=kind.startswith("json")))

    async def pieces() -> AsyncIterator[bytes]:
        renderer, whole, beside, gaps = _renderer(kind, full=full), kind.startswith("json"), set[BlobId](), list[Gap]()
        yield renderer.begin(state)
        async for passage in passages(store, key, selection):
            if isinstance(passage, Gap):
                gaps.append(passage)
                yield renderer.gap(passage.first, passage.last)
                continue
            blobs = () if whole else worth_reading(passage.entry, pictures=kind == "html")
            beside |= {blob.blob for blob in blobs_of(passage.entry)} - set(blobs)
            yield renderer.record(passage, await content_of(store, key, blobs))
        yield renderer.end()
        if beside:
            notes.append(_left_beside(len(beside), context, key))
        if gaps:
            notes.append(f"{unreadable(gaps)} `{context.line('verify', key)}` says more.")

    return DocumentFile(name=file_name(key, kind), media_type=MEDIA_TYPES[kind], pieces=pieces(), notes=notes)


def _left_beside(attachments: int, context: CommandContext, key: str) -> str:
    """Where the attachments are that a document does not hold."""
    where = context.about(key).attachments if context.may("own files") else ""
    return f"{count(attachments, 'attachment')} not included{f': see {where}' if where else ''}"


async def _written(path: Path, document: DocumentFile, *, in_chat: bool) -> Answers:
    """Write a document to a file."""
    size = await to_file(path, document.pieces)
    said = f"Wrote {human_size(size)} to {path}."
    if in_chat:
        return (Prose(markdown=" ".join([said, *document.notes])),)
    return tuple(Note(text=each) for each in (said, *document.notes))


def unreadable(gaps: list[Gap]) -> str:
    """What a document does not hold because it is damaged."""
    places = [spoken(gap.first, gap.last) for gap in gaps[:NAMED]]
    if len(gaps) > NAMED:
        places.append(f"{count(len(gaps) - NAMED, 'stretch', 'stretches')} more")
    return f"Damaged, so not included: {', '.join(places)}."


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
