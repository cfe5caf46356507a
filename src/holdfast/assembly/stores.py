"""Stores, put together from their parts."""

from os import PathLike, fspath
from typing import get_args

from holdfast.clock import Clock, SystemClock
from holdfast.errors import BadInput
from holdfast.log.store import Durability, Place
from holdfast.session.store import Store
from holdfast.stores.files.catalog.file_catalog import FileCatalog
from holdfast.stores.files.catalog.memory import MEMORY_FOLDER
from holdfast.stores.files.filesystems import refuse_circle
from holdfast.stores.files.home_folder import ONLY_FOLDERS, place_of, scheme_of
from holdfast.stores.files.store import FileStore


def open_store(
    path: str | PathLike[str] | Place, *, durability: Durability = "always", clock: Clock | None = None
) -> Store:
    """Conversations in files below `path`, which is made when something is written.

    `durability` says what an acknowledgement waits for: `always` the disk, `interval`
    nothing, with the disk following within a second, `os` nothing.
    """
    # A slip here would be found out after the power cut.
    if durability not in get_args(Durability):
        raise BadInput(f"There is no durability {durability!r}.", hint="Give 'always', 'interval' or 'os'.")
    if not isinstance(path, Place) and not fspath(path):
        raise BadInput("The path of the store is empty.", hint="Give it a folder; '.' is this one.")
    place = path if isinstance(path, Place) else place_of(path)
    if place.folder is None:
        raise BadInput(f"There are no stores of the kind {scheme_of(place.url)!r}.", hint=ONLY_FOLDERS)
    time = clock or SystemClock()
    root = place.folder.absolute()  # a program may change its folder and go on
    refuse_circle(root)
    catalog = FileCatalog(root)
    logs = FileStore(root, clock=time, durability=durability, listener=catalog)
    scopes = FileStore(root, clock=time, durability=durability, folder=MEMORY_FOLDER)
    return Store(logs, catalog, time, scopes)


def open_volatile(*, clock: Clock | None = None) -> Store:
    """Conversations in memory, gone with the process."""
    # No command needs them.
    from holdfast.stores.scan_catalog import ScanningCatalog
    from holdfast.stores.volatile import VolatileStore

    time = clock or SystemClock()
    logs, scopes = VolatileStore(clock=time), VolatileStore(clock=time)
    return Store(logs, ScanningCatalog(logs, scopes), time, scopes)
