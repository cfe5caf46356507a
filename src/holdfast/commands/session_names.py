"""Which session a person means: by its key, the beginning of its key, its title, or `@last`.

A key that exists always means that session. Where something is removed, or created if it does not exist, only the
whole key counts: `delete notes` must never remove `notes-2`.
"""

from collections.abc import AsyncIterator

from holdfast.commands.keys import word
from holdfast.commands.workspace_sessions import latest
from holdfast.errors import BadInput, NotThere
from holdfast.records.printable import printable_line
from holdfast.session.catalog import Listed, Wanted
from holdfast.session.store import Store

LAST = "@last"
"""The last conversation of this folder."""
PAGE = 500
SHOWN = 3
"""So many are named where several are meant."""


async def whole_name(store: Store, text: str, identity: str) -> str:
    """The key that is meant by a whole name: a key, the name of its folder, or `@last`; the text itself otherwise."""
    if await store.exists(text):
        return text
    if text == LAST:
        found = await latest(store, identity)
        if found is None:
            raise NotThere(
                "This folder has no conversation yet.", hint="`holdfast sessions` lists those of all folders."
            )
        return found.key
    # Only folders of keys that are not plain have one of these in their name.
    if "%" in text or "~" in text:
        return next((key for key in await store.keys() if word(key) == text), text)
    return text


async def find_session(store: Store, text: str, identity: str) -> str:
    """The key that is meant by a name, the beginning of a key, or a title; the text itself where none is.

    Raises `BadInput` where several sessions are meant.
    """
    key = await whole_name(store, text, identity)
    if key != text or await store.exists(text):
        return key
    titled, begins = list[Listed](), list[Listed]()
    async for each in all_sessions(store):
        if each.name.casefold() == text.casefold():
            titled.append(each)
        elif text and each.key.startswith(text):
            begins.append(each)
    found = titled or begins
    if len(found) > 1:
        shown = ", ".join(printable_line(each.key, 60) for each in found[:SHOWN])
        more = ", …" if len(found) > SHOWN else ""
        raise BadInput(f"{text!r} fits {len(found)} sessions: {shown}{more}.", hint="Give more of the key.")
    return found[0].key if found else text


async def all_sessions(store: Store) -> AsyncIterator[Listed]:
    """Every session, archived ones and runs of `holdfast -p` too, the most recently used first."""
    cursor = ""
    while True:
        page = await store.page(Wanted(limit=PAGE, cursor=cursor, archived=None))
        for each in page.sessions:
            yield each
        cursor = page.cursor
        if not cursor:
            return
