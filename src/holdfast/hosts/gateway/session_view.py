"""One session as one socket watches it: a snapshot, the entries after it, and what happens, as frames.

What waits for a client that does not read waits in its attachment, which has a bound: one that falls behind it goes
on from its cursor, and slows nobody.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Self, TypeAlias

from holdfast.agent.events import Event, TextStreamed, ThinkingStreamed
from holdfast.engine.attach import Attachment
from holdfast.errors import HoldfastError
from holdfast.hosts.gateway.event_frames import frame_of, snapshot_frame
from holdfast.hosts.gateway.own_sessions import OwnSessions
from holdfast.hosts.gateway.run_status import RunStatus
from holdfast.hosts.gateway.service import GatewayService
from holdfast.ids import Position
from holdfast.remote.client_frames import AttachFrame
from holdfast.remote.server_frames import DetachedFrame, FromServer, SnapshotFrame

Out: TypeAlias = Callable[[FromServer], Awaitable[None]]
"""Sends a frame to the client; waits while it does not read."""
BATCH = 64
"""So many events are taken at once, so that many short pieces of a reply go out as one."""
LAST = 1_000
"""The most entries that are sent to a client that gives no position."""
PACE = 0.0001
"""Seconds between two frames of a reply, for each socket that there is: many viewers get fewer, longer pieces."""
SHORTEST, SLOWEST = 0.002, 0.05
"""A shorter pause than this is none, and no pause is longer."""


class SessionView:
    """A session that a socket watches."""

    def __init__(self, service: GatewayService, attachment: Attachment, first: SnapshotFrame, out: Out) -> None:
        """Use `begin`."""
        self.session = first.session
        self._service, self._attachment, self._first, self._out = service, attachment, first, out
        self._status = RunStatus(first.session, attachment.snapshot)
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def begin(cls, service: GatewayService, sessions: OwnSessions, frame: AttachFrame, out: Out) -> Self:
        """Attach where the client asks for. Raises `NoSession`, also for a session of somebody else."""
        state = await sessions.must_own(frame.session)
        epoch = await epoch_of(sessions, frame.session)
        after, drafted, of = frame.after, 0, None
        known = after is not None and frame.epoch in {"", epoch} and await _says_the_same(sessions, frame, state.last)
        if after is None or not known:
            after = Position(max(-1, state.last - max(0, min(frame.last, LAST))))
        elif frame.draft is not None and frame.draft.run == service.run:
            drafted, of = frame.draft.chars, frame.draft.reply
        limit = service.limits.waiting_bytes
        attachment = await sessions.attach(frame.session, after=after, drafted=drafted, of=of, limit=limit)
        first = snapshot_frame(frame.session, attachment.snapshot, epoch=epoch, after=after)
        return cls(service, attachment, first, out)

    def start(self) -> None:
        """Send the snapshot and what follows, in a task of its own."""
        self._task = asyncio.create_task(self._run())

    def close(self) -> None:
        """Watch no longer."""
        self._attachment.close()
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            await self._out(self._first)
            for event in self._attachment.snapshot.moments:
                await self._send(event)
            while batch := await self._attachment.take(BATCH):
                for event in joined(batch):
                    await self._send(event)
                pause = min(SLOWEST, PACE * self._service.sockets)
                if pause >= SHORTEST:
                    await asyncio.sleep(pause)
        except HoldfastError as error:
            await self._out(DetachedFrame(session=self.session, why=error.message))
        finally:
            self._attachment.close()

    async def _send(self, event: Event) -> None:
        frame = frame_of(self.session, event)
        if frame is not None:
            await self._out(frame)
        if (status := self._status.after(event)) is not None:
            await self._out(status)


def joined(events: Sequence[Event]) -> list[Event]:
    """Events with pieces of one reply that follow each other made into one."""
    found: list[Event] = []
    for event in events:
        last = found[-1] if found else None
        if (
            isinstance(event, TextStreamed | ThinkingStreamed)
            and isinstance(last, TextStreamed | ThinkingStreamed)
            and type(event) is type(last)
            and event.reply == last.reply
            and event.offset == last.offset + len(last.text)
        ):
            found[-1] = type(event)(text=last.text + event.text, reply=last.reply, offset=last.offset)
        else:
            found.append(event)
    return found


async def epoch_of(sessions: OwnSessions, key: str) -> str:
    """What names the log of a session: another log under the same key has another one."""
    first = await sessions.load(key, start=0, stop=1)
    return crc_of(first[0].raw) if first else ""


def crc_of(line: bytes) -> str:
    """The checksum that stands at the end of a line."""
    return line[-10:-2].decode("ascii", "replace")


async def _says_the_same(sessions: OwnSessions, frame: AttachFrame, last: Position) -> bool:
    """Whether the log says at the client's position what the client has from there."""
    after = frame.after
    if after is None or after < 0:
        return True
    if after > last:
        return False
    found = await sessions.load(frame.session, start=after, stop=after + 1)
    return not frame.crc or not found or crc_of(found[0].raw) == frame.crc
