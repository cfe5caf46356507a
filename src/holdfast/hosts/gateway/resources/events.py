"""A session as Server-Sent Events: the frames of the socket for programs that only read.

The id of an event is a cursor: the log, the position, and how much of the running reply was sent. A client that sends
it back as `Last-Event-ID` goes on exactly there, in the middle of a reply too.
"""

import asyncio
from collections.abc import AsyncIterator

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from holdfast.errors import BadInput
from holdfast.hosts.gateway.resource import Call, Resource
from holdfast.hosts.gateway.session_view import SessionView
from holdfast.ids import Position
from holdfast.remote.client_frames import AttachFrame, DraftCursor
from holdfast.remote.server_frames import DeltaFrame, DetachedFrame, EntryFrame, FromServer, SnapshotFrame
from holdfast.remote.wire import HEARTBEAT, encoded

AT_ONCE = 16
"""So many events wait for a client that does not read, before its session's attachment makes them wait."""


class EventCursor:
    """Where a reader is: what the ids of its events say."""

    def __init__(self, run: str) -> None:
        """Begin with nothing."""
        self._run, self._epoch = run, ""
        self._position, self._reply, self._chars = Position(-1), Position(-1), 0

    def after(self, frame: FromServer) -> str:
        """The id of an event, once it was taken."""
        match frame:
            case SnapshotFrame():
                self._epoch, self._position = frame.epoch, frame.after
                if frame.draft is not None:
                    shown = sum(len(part.text) for part in frame.draft.parts)
                    self._reply, self._chars = frame.draft.reply, frame.draft.offset + shown
            case EntryFrame():
                self._position = frame.position
            case DeltaFrame():
                self._reply, self._chars = frame.reply, frame.offset + len(frame.text)
            case _:
                pass
        return f"{self._epoch}:{self._position}:{self._run}:{self._reply}:{self._chars}"


def attach_frame(session: str, cursor: str, after: str) -> AttachFrame:
    """What a reader asks for: to go on from a cursor, or from a position. Raises `BadInput`."""
    try:
        if not cursor:
            return AttachFrame(session=session, after=Position(int(after or -1)))
        epoch, position, run, reply, chars = cursor.split(":")
        draft = DraftCursor(run=run, reply=Position(int(reply)), chars=int(chars))
        return AttachFrame(session=session, after=Position(int(position)), epoch=epoch, draft=draft)
    except ValueError as error:
        raise BadInput(
            f"{cursor or after!r} is no place to go on from.", hint="Send the id of an event, or ?after=POSITION."
        ) from error


def event(frame: FromServer, cursor: EventCursor) -> bytes:
    """A frame as an event."""
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (
        cursor.after(frame).encode(),
        str(frame.__struct_config__.tag).encode(),
        encoded(frame),
    )


class EventStream(StreamingResponse):
    """The events of a view, which ends with the response: also where the client went before the first of them."""

    def __init__(self, view: SessionView, events: AsyncIterator[bytes]) -> None:
        """Send events as they come."""
        super().__init__(events, media_type="text/event-stream")
        self._view = view

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them until there are no more, or nobody listens."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._view.close()


async def _events(call: Call) -> Response:
    waiting: asyncio.Queue[FromServer] = asyncio.Queue(AT_ONCE)
    wanted = attach_frame(
        call.path["key"], call.request.headers.get("last-event-id", ""), call.request.query_params.get("after", "")
    )
    view = await SessionView.begin(call.service, call.sessions, wanted, waiting.put)
    return EventStream(view, _stream(call, view, waiting))


async def _stream(call: Call, view: SessionView, waiting: "asyncio.Queue[FromServer]") -> AsyncIterator[bytes]:
    cursor = EventCursor(call.service.run)
    stopping = asyncio.create_task(call.service.stopping.wait())
    following = asyncio.create_task(waiting.get())
    view.start()
    try:
        while not stopping.done():
            await asyncio.wait([following, stopping], timeout=HEARTBEAT, return_when=asyncio.FIRST_COMPLETED)
            if call.who is None or not call.service.counts(call.who):
                return
            if not following.done():
                yield b": beat\n\n"
                continue
            frame = following.result()
            yield event(frame, cursor)
            if isinstance(frame, DetachedFrame):
                return
            following = asyncio.create_task(waiting.get())
    finally:
        following.cancel()
        stopping.cancel()


RESOURCES = (
    Resource(
        "GET",
        "/sessions/{key}/events",
        _events,
        "A session from `after`, or from the `Last-Event-ID` on, as Server-Sent Events: the frames of the socket.",
    ),
)
