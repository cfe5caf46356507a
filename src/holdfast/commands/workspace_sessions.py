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
from holdfast.session.catalog import Listed
from holdfast.session.store import Store

if TYPE_CHECKING:  # whoever only wants a key loads no agent
    from holdfast.agent.conversation import Conversation

_STRANGE = re.compile(r"[^a-z0-9]+")


def new_key(root: Path, now: datetime) -> str:
    """A key for a session that begins now: the folder's name, the time, and something that makes it the only one."""
    name = _STRANGE.sub("-", root.name.lower()).strip("-")[:24] or "session"
    return f"{name}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


async def latest(store: Store, identity: str) -> Listed | None:
    """The session of a workspace that was used last."""
    page = await store.list(workspace=identity, limit=1)
    return next(iter(page.sessions), None)


async def latest_key(store: Store, identity: str) -> str:
    """Its key. Raises `NotThere` if the workspace has none."""
    found = await latest(store, identity)
    if found is None:
        raise NotThere("This workspace has no session yet.", hint="Leave --continue out to begin one.")
    return found.key


async def settle_in(conversation: "Conversation", identity: str) -> None:
    """Note which workspace a session is about, once."""
    if not conversation.state.workspace:
        await conversation.describe(Described(workspace=identity))
