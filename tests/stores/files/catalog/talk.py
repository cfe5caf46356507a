"""Short words for what the catalog's tests do again and again."""

import sqlite3
from pathlib import Path

from holdfast import Store, Text, UserSaid
from holdfast.stores.files.catalog import schema


async def say(store: Store, key: str, *texts: str) -> None:
    """Open a session, say some texts, and close it."""
    async with store.session(key) as session:
        for text in texts:
            await session.append(UserSaid(parts=(Text(text=text),)))


async def keys(store: Store) -> list[str]:
    """The keys of the list, in its order."""
    return [each.key for each in (await store.list()).sessions]


async def found(store: Store, text: str) -> list[tuple[str, int]]:
    """Where a search leads to."""
    return [(hit.key, hit.pos) for hit in await store.search(text)]


def bytes_below(root: Path) -> bytes:
    """Every byte in every file."""
    return b"".join(path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file())


def rows_in(root: Path) -> int:
    """How many sessions the database has."""
    if not (root / schema.FILE).exists():
        return 0
    db = sqlite3.connect(root / schema.FILE)
    try:
        return int(db.execute("select count(*) from sessions").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # not made yet
    finally:
        db.close()
