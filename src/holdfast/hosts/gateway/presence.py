"""Who watches which session through this gateway; those who watch it are told when that changes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from holdfast.remote.server_frames import FromServer, PresenceFrame, Viewer

SHORTLY = 0.1
"""Seconds in which several who come and go are told at once."""
Tell: TypeAlias = Callable[[FromServer], Awaitable[None]]


class Presence:
    """The viewers of all sessions."""

    def __init__(self) -> None:
        """Nobody is there yet."""
        self._viewers: dict[str, dict[object, tuple[Viewer, Tell]]] = {}
        self._known: dict[str, tuple[Viewer, ...]] = {}
        self._telling: dict[str, asyncio.Task[None]] = {}

    def come(self, session: str, who: object, viewer: Viewer, tell: Tell) -> None:
        """Somebody watches a session."""
        self._viewers.setdefault(session, {})[who] = viewer, tell
        self._changed(session)

    def go(self, session: str, who: object) -> None:
        """Somebody watches a session no longer."""
        viewers = self._viewers.get(session, {})
        viewers.pop(who, None)
        if not viewers:
            self._viewers.pop(session, None)
            self._known.pop(session, None)
        self._changed(session)

    def of(self, session: str) -> tuple[Viewer, ...]:
        """Who watches a session, each device of a kind once."""
        found = {(each.person, each.client): each for each, _ in self._viewers.get(session, {}).values()}
        return tuple(found[name] for name in sorted(found))

    def _changed(self, session: str) -> None:
        if session not in self._telling and self._known.get(session) != self.of(session):
            self._telling[session] = asyncio.create_task(self._tell(session))

    async def _tell(self, session: str) -> None:
        await asyncio.sleep(SHORTLY)
        del self._telling[session]
        viewers = self._known[session] = self.of(session)
        frame = PresenceFrame(session=session, viewers=viewers)
        telling = [tell(frame) for _, tell in self._viewers.get(session, {}).values()]
        if telling:
            # One that does not read is waited for here alone; the next change is told all the same.
            await asyncio.gather(*telling, return_exceptions=True)
        else:
            del self._known[session]
