"""Where a gateway keeps what is its own: logins, in a folder of the user's state for each store."""

import os
from hashlib import sha256
from pathlib import Path

from holdfast.log.store import Place


def store_name(store: Place) -> str:
    """A short name for a store, the same for each way to write its path."""
    named = store.url if store.folder is None else os.path.realpath(store.folder)
    return sha256(os.fsencode(named)).hexdigest()[:16]


def gateway_folder(state: Path, store: Place) -> Path:
    """The folder of the gateway of a store."""
    return state / "gateway" / store_name(store)
