"""Which session a host opens: sessions belong to the workspace they were begun in.

They are found by the workspace's identity, so a folder that was moved or renamed has its sessions still.
"""

import re
import secrets
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import NotThere
from holdfast.records.entries import Described
from holdfast.session.catalog import Listed, Wanted
from holdfast.session.first_entries import Beginning
from holdfast.session.store import Store

if TYPE_CHECKING:  # whoever only wants a key loads no agent
    from holdfast.agent.conversation import Conversation
    from holdfast.engine.engine import Engine

_STRANGE = re.compile(r"[^a-z0-9]+")


def new_key(root: Path, now: datetime) -> str:
    """A key for a session that begins now: the folder's name, the time, and something that makes it the only one."""
    name = _STRANGE.sub("-", root.name.lower()).strip("-")[:24] or "session"
    return f"{name}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


async def latest(store: Store, identity: str, *, scripts: bool = False) -> Listed | None:
    """The session of a workspace that a person used last; with `scripts`, the last run of `holdfast -p` counts too."""
    page = await store.page(Wanted(workspace=identity, scripts=scripts, limit=1))
    return next(iter(page.sessions), None)


async def latest_key(store: Store, identity: str, *, scripts: bool = False) -> str:
    """Its key. Raises `NotThere` if the workspace has none."""
    found = await latest(store, identity, scripts=scripts)
    if found is None:
        raise NotThere("This folder has no conversation yet.", hint="Leave out --continue to begin one.")
    return found.key


async def open_in(engine: "Engine", key: str, identity: str, *, doing: str, take_over: bool = False) -> "Conversation":
    """Open a session of a workspace; one that does not exist is created with its first message."""
    begins = Beginning(about=Described(workspace=identity), with_first_message=True)
    conversation = await engine.open(key, begins=begins, doing=doing, take_over=take_over)
    if not conversation.state.workspace:
        await conversation.describe(Described(workspace=identity))
    return conversation
