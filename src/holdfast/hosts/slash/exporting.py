"""This conversation as a file, and whether it is on disk."""

import re
from pathlib import Path

from holdfast.commands.text.times import human_size
from holdfast.hosts.command.exporting import ENDINGS, RENDERERS, document, left_beside, to_file
from holdfast.hosts.slash.answer import Answers, Confirm, Words
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.run import misused
from holdfast.hosts.slash.sessions import place, promise
from holdfast.ids import BlobId
from holdfast.stores.files.home_folder import home

REPLACE = "--replace"
_STRANGE = re.compile(r"[^\w.-]+")


async def save(rest: str, desk: SlashDesk) -> Answers:
    """Make sure that everything is on disk; with a file, write it there too."""
    name, replace = _wanted(rest)
    if name:
        again = _again("save", name) if not replace else ""
        return await _written(_path(name, desk), _kind("save", name), desk, again)
    safe = await promise(desk)
    last = desk.conversation.state.last
    return (Words(markdown=f"Saved up to position {last}: {safe}.\n\n{await place(desk)}"),)


async def export(rest: str, desk: SlashDesk) -> Answers:
    """Write this conversation to a file."""
    given, replace = _wanted(rest)
    first, _, others = given.partition(" ")
    kind, name = (first.lower(), others.strip()) if first.lower() in RENDERERS else ("", given)
    kind = kind or (_kind("export", name) if name else "md")
    name = name or f"{_STRANGE.sub('-', desk.conversation.key).strip('-') or 'session'}.{kind}"
    return await _written(_path(name, desk), kind, desk, _again("export", f"{kind} {name}") if not replace else "")


def _kind(command: str, name: str) -> str:
    """What the ending of a file says that it holds: a file that is something else than its name says opens nowhere."""
    kind = ENDINGS.get(Path(name).suffix.lower())
    if kind is None:
        raise misused(command, f"What {name} is to hold cannot be told: it ends with none of {', '.join(ENDINGS)}.")
    return kind


def _again(command: str, words: str) -> str:
    return f"/{command} {words} {REPLACE}"


def _wanted(rest: str) -> tuple[str, bool]:
    """A file, and whether it may be replaced."""
    name = rest.removesuffix(REPLACE)
    return name.strip(), name != rest


def _path(name: str, desk: SlashDesk) -> Path:
    if name == "~" or name.startswith("~/"):
        return home(desk.environment) / name[2:]
    return desk.agent.root / name


def _is_there(path: Path) -> bool:
    return path.is_file()


async def _written(path: Path, kind: str, desk: SlashDesk, again: str) -> Answers:
    """Write a document; where a file is already, `again` is asked about, or with '' it is replaced."""
    if again and _is_there(path):
        return (Confirm(question=f"{path} exists. Replace it?", then=again),)
    beside: set[BlobId] = set()
    await desk.session.commit()
    size = await to_file(path, document(desk.store, desk.conversation.key, kind, beside))
    said = f"Wrote {human_size(size)} to {path}."
    if beside:
        said += f" {left_beside(len(beside), desk.agent.settings.store, desk.conversation.key)}"
    return (Words(markdown=said),)
