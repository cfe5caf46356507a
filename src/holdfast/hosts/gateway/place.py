"""Where a gateway keeps what is its own: logins, in a folder of the user's state for each store."""

import os
from hashlib import sha256
from pathlib import Path


def store_name(store: Path) -> str:
    """A short name for a store, the same for each way to write its path."""
    return sha256(os.fsencode(os.path.realpath(store))).hexdigest()[:16]


def gateway_folder(state: Path, store: Path) -> Path:
    """The folder of the gateway of a store."""
    return state / "gateway" / store_name(store)
