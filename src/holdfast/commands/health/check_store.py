"""The store: whether it can be written, has room, lies on a disk that can lock, and can be listed."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from holdfast.commands.health.finding import Finding, Level
from holdfast.commands.text.times import count, human_size
from holdfast.config.settings import Settings
from holdfast.errors import CatalogBusy, HoldfastError
from holdfast.log.store import Place

AREA = "store"
FEW, SCARCE = 20_000_000, 500_000_000
"""With fewer bytes free it is a problem, or a warning."""
_OTHERS = 0o077


async def store(settings: Settings) -> list[Finding]:
    """Everything about the place with the conversations."""
    from holdfast.stores.files.filesystems import refuse_circle

    if not settings.persistence:
        return [Finding(area=AREA, text="nothing is kept, because persistence is off")]
    root = settings.store.folder
    if root is None:
        return [await _catalog(settings.store)]
    if root.exists() and not root.is_dir():
        mend = "Set `store` to a folder, or move the file away."
        return [Finding(area=AREA, level="problem", text=f"{root} is a file", mend=mend)]
    try:
        refuse_circle(root)
    except HoldfastError as error:
        return [Finding(area=AREA, level="problem", text=error.message, mend=error.hint)]
    found = [*_folder(root), *_locking(root)]
    return [*found, await _catalog(settings.store)] if root.is_dir() else found


def _existing(path: Path) -> Path:
    """The folder itself, or the nearest above it that is there."""
    return next(each for each in (path, *path.absolute().parents) if each.exists())


def _folder(root: Path) -> Iterator[Finding]:
    there = _existing(root)
    if not os.access(there, os.W_OK | os.X_OK):
        mend = "Check who owns it and how it is mounted, or set HOLDFAST_STORE to another folder."
        yield Finding(area=AREA, level="problem", text=f"{there} cannot be written", mend=mend)
    elif root.is_dir():
        yield Finding(area=AREA, text=f"{root} can be written")
    else:
        yield Finding(area=AREA, text=f"{root} is made when something is written")
    if root.is_dir() and root.stat().st_mode & _OTHERS:
        mend = f"`chmod 700 {root}` keeps it to yourself."
        yield Finding(area=AREA, level="warning", text="other users can look into it", mend=mend)
    free = shutil.disk_usage(there).free
    level: Level = "problem" if free < FEW else "warning" if free < SCARCE else "ok"
    mend = "" if level == "ok" else "Make room there: `holdfast stats` names the largest sessions."
    yield Finding(area=AREA, level=level, text=f"{human_size(free)} free", mend=mend)


def _locking(root: Path) -> Iterator[Finding]:
    from holdfast.stores.files.filesystems import refuse_network

    try:
        refuse_network(_existing(root))
    except HoldfastError as error:
        yield Finding(area=AREA, level="problem", text=error.message, mend=error.hint)
    else:
        yield Finding(area=AREA, text="on a local disk, where a session has one writer")


async def _catalog(place: Place) -> Finding:
    from holdfast.assembly import open_store

    try:
        async with open_store(place) as opened:
            keys = await opened.keys()
            await opened.list(limit=1, archived=None)
    except CatalogBusy as error:
        return Finding(area=AREA, level="warning", text=error.message, mend=error.hint or "Try again later.")
    except HoldfastError as error:
        return Finding(area=AREA, level="problem", text=error.message, mend=error.hint)
    return Finding(area=AREA, text=f"{count(len(keys), 'session')}, and the list of them is up to date")
