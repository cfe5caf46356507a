"""One socket of a client: its frames in, each checked by itself, and what it watches out."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from importlib.metadata import version
from time import monotonic
from typing import Any, Literal, assert_never

import msgspec

from holdfast.agent.permissions import Answer
from holdfast.commands.answers import plain
from holdfast.engine.changes import ListResync, SessionChanged, SessionRemoved
from holdfast.errors import BadInput, HoldfastError
from holdfast.hosts.gateway.failures import code_of
from holdfast.hosts.gateway.guard import Rates
from holdfast.hosts.gateway.logins import Login, page_secret_fits
from holdfast.hosts.gateway.marks import SessionMark
from holdfast.hosts.gateway.service import GatewayService
from holdfast.hosts.gateway.session_view import SessionView
from holdfast.records.parts import Source
from holdfast.remote.client_frames import (
    AnswerFrame,
    AttachFrame,
    CommandFrame,
    ConnectFrame,
    DetachFrame,
    FromClient,
    SayFrame,
    SeenFrame,
    StopFrame,
    TakeBackFrame,
    WatchListFrame,
)
from holdfast.remote.server_frames import (
    AnswersFrame,
    BeatFrame,
    ByeFrame,
    DoneFrame,
    ErrorFrame,
    FromServer,
    HelloFrame,
    ListResyncFrame,
    MarkFrame,
    Row,
    RowFrame,
    RowRemovedFrame,
    Viewer,
)
from holdfast.remote.wire import FRAME_BYTES, HEARTBEAT, PATIENCE, PROTOCOL, encoded, from_client

End = Literal["stopping", "logged_out", "too_slow"]
"""Why the gateway ends a socket."""
MARKS = 100
"""So many marks may wait to be told; the rows have them all."""
COMMANDS = 8
"""So many commands of one client run beside its other frames; a further one is waited for."""
ROWS = 200
"""The most rows of the list that are sent at first."""
_HINTS: dict[End, str] = {
    "stopping": "The gateway stops; connect again in a moment.",
    "logged_out": "The login counts no longer; log in again.",
    "too_slow": "The first frame did not come in time.",
}
_CODES: dict[End, int] = {"stopping": 1012, "logged_out": 4001, "too_slow": 4002}


class Socket:
    """A client that is let in."""

    def __init__(
        self,
        service: GatewayService,
        who: Login,
        address: str,
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ) -> None:
        """Serve a client with a login; `receive` and `send` are those of ASGI."""
        self.service, self.who, self.address = service, who, address
        self._receive, self._send = receive, send
        self.sessions = service.own(who.person)
        self.client = ""
        """What the client calls itself."""
        self.connected = False
        """Whether its first frame was right."""
        self.ended = asyncio.Event()
        self._why: End | None = None
        self._sending = asyncio.Lock()
        self._views: dict[str, SessionView] = {}
        self._list: asyncio.Task[None] | None = None
        self._rows_told: set[str] = set()
        self._later: list[asyncio.Task[None]] = []
        self._commands: set[asyncio.Task[None]] = set()
        self._rates = Rates(service.limits.frames_burst, service.limits.frames_each_second, addresses=1)
        self._task: asyncio.Task[object] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._sent = monotonic()

    @property
    def source(self) -> Source:
        """Where what this client says comes from."""
        return Source(host=self.client or "web", sender=self.who.person, account=self.who.name)

    async def serve(self) -> None:
        """Take frames until the client goes, or is to go."""
        self._task = asyncio.current_task()
        await self._receive()
        await self._send({"type": "websocket.accept"})
        try:
            if await self._connect():
                await self._frames()
        except asyncio.CancelledError:
            if self._why is None:
                raise
            await self._say_bye(self._why)
        finally:
            self.ended.set()
            for view in self._views.values():
                view.close()
                self.service.presence.go(view.session, self)
            for task in (self._list, self._beating, *self._later, *self._commands):
                if task is not None:
                    task.cancel()

    async def _connect(self) -> bool:
        """Take the first frame; whether it was right."""
        try:
            async with asyncio.timeout(self.service.limits.login_seconds):
                frame = await self._next()
        except TimeoutError:
            await self._say_bye("too_slow")
            return False
        except BadInput as error:
            await self._refuse(error.message, "bad_input", 4003)
            return False
        if frame is None:
            return False
        if not isinstance(frame, ConnectFrame):
            await self._refuse("The first frame is `connect`.", "not_connected", 4003)
            return False
        if frame.protocol != PROTOCOL:
            side = "the client" if frame.protocol < PROTOCOL else "the gateway"
            await self._refuse(
                f"The client speaks version {frame.protocol} of the frames, this gateway version {PROTOCOL}.",
                "other_protocol",
                4004,
                hint=f"Update {side}.",
            )
            return False
        if not page_secret_fits(self.who, frame.secret):
            self.service.guard.failed(self.address)
            await self._refuse("The secret of the page is missing or wrong.", "not_logged_in", 4001)
            return False
        self.client, self.connected = frame.client[:40], True
        await self.send(
            HelloFrame(
                protocol=PROTOCOL,
                version=version("holdfast"),
                run=self.service.run,
                person=self.who.person,
                heartbeat=HEARTBEAT,
                patience=PATIENCE,
                frame_bytes=FRAME_BYTES,
            )
        )
        return True

    async def _refuse(self, message: str, code: str, number: int, *, hint: str = "") -> None:
        await self.send(ErrorFrame(code=code, message=message, hint=hint))
        await self._close(number, code)

    async def _frames(self) -> None:
        while True:
            try:
                frame = await self._next()
                if frame is None:
                    return
            except BadInput as error:
                await self.send(ErrorFrame(code="bad_frame", message=error.message, hint=error.hint))
                continue
            if not self.service.counts(self.who):
                await self._say_bye("logged_out")
                return
            if isinstance(frame, CommandFrame):  # it may take long, and a stop must be heard meanwhile
                self._commands = {each for each in self._commands if not each.done()}
                if len(self._commands) < COMMANDS:
                    self._commands.add(asyncio.create_task(self._handle(frame)))
                    continue
            await self._handle(frame)

    async def _next(self) -> FromClient | None:
        """The next frame; None when the client has gone. Raises `BadInput` for what is no frame."""
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            return None
        await asyncio.sleep(self._rates.wait(""))
        text = message.get("text")
        return from_client(message["bytes"] if text is None else text.encode())

    async def _handle(self, frame: FromClient) -> None:
        """Do what a frame asks for; what fails is told with its id."""
        if self.service.draining and isinstance(frame, SayFrame | CommandFrame):
            hint = _HINTS["stopping"]
            stopping = ErrorFrame(
                code="stopping", message="The gateway stops.", hint=hint, id=frame.id, session=frame.session
            )
            await self.send(stopping)
            return
        try:
            await self._do(frame)
        except OSError as error:
            self.service.journal.note("failed", frame=type(frame).__name__, error=error)
            message = f"The machine does not do that: {error.strerror or error}."
            number, session = getattr(frame, "id", ""), getattr(frame, "session", "")
            await self.send(ErrorFrame(code="failed", message=message, hint="", id=number, session=session))
        except HoldfastError as error:
            told = ErrorFrame(
                code=code_of(error),
                message=error.message,
                hint=error.hint,
                id=getattr(frame, "id", ""),
                session=getattr(frame, "session", ""),
            )
            await self.send(told)

    async def _do(self, frame: FromClient) -> None:
        match frame:
            case ConnectFrame():
                raise BadInput("This client has connected already.")
            case AttachFrame():
                await self._attach(frame)
            case DetachFrame():
                self._must_watch(frame.session)
                self._views.pop(frame.session).close()
                self.service.presence.go(frame.session, self)
                await self._done(frame.id)
            case WatchListFrame():
                if self._list is not None:
                    self._list.cancel()
                self._list = asyncio.create_task(self._watch_list(max(1, min(frame.limit, ROWS))))
                await self._done(frame.id)
            case SayFrame() | TakeBackFrame() | StopFrame() | AnswerFrame() | CommandFrame() | SeenFrame():
                self._must_watch(frame.session)
                await self._act(frame)
            case _:
                assert_never(frame)

    async def _act(self, frame: SayFrame | TakeBackFrame | StopFrame | AnswerFrame | CommandFrame | SeenFrame) -> None:
        """Do something in a session that this client watches."""
        match frame:
            case SayFrame():
                conversation = await self.sessions.use(frame.session, self.source)
                position = await conversation.send(
                    frame.parts,
                    enters=frame.enters,
                    client_id=frame.id,
                    source=self.source,
                    continues=frame.continues,
                    since=frame.since,
                )
                await self._done(frame.id, position=position)
            case TakeBackFrame():
                conversation = await self.sessions.use(frame.session, self.source)
                await self._done(frame.id, changed=await conversation.take_back(frame.position))
            case StopFrame():
                await self._done(frame.id, changed=await self.sessions.cancel(frame.session))
            case AnswerFrame():
                answer = Answer(allowed=frame.allowed, always=frame.always, text=frame.text)
                open_still = await self.sessions.answer(frame.session, frame.question, answer, self.source)
                await self._done(frame.id, changed=open_still)
            case CommandFrame():
                await self._command(frame)
            case SeenFrame():
                await self.sessions.see(frame.session, frame.position)
                await self._done(frame.id)
            case _:
                assert_never(frame)

    def _must_watch(self, session: str) -> None:
        if session not in self._views:
            raise BadInput("This socket is not attached to that session.", hint="Send `attach` first.")

    async def _attach(self, frame: AttachFrame) -> None:
        if frame.session not in self._views and len(self._views) >= self.service.limits.attached:
            raise BadInput(
                f"One socket watches at most {self.service.limits.attached} sessions.", hint="Detach from one."
            )
        view = await SessionView.begin(self.service, self.sessions, frame, self.send)
        if before := self._views.pop(frame.session, None):
            before.close()
        self._views[frame.session] = view
        await self._done(frame.id)
        view.start()
        viewer = Viewer(person=self.who.person, client=self.client)
        self.service.presence.come(frame.session, self, viewer, self.send)

    async def _watch_list(self, limit: int) -> None:
        """Send the newest rows, and then each that changes."""
        unlisten = self.service.marks.listen(self._marked)
        try:
            async with await self.sessions.changes() as changes:
                await self._rows(limit)
                async for change in changes:
                    match change:
                        case SessionChanged():
                            if self.sessions.owns(change):
                                await self._row(self.sessions.row_of(change))
                        case SessionRemoved():
                            if not self.who.person or change.key in self._rows_told:
                                await self.send(RowRemovedFrame(session=change.key))
                        case ListResync():
                            await self.send(ListResyncFrame())
                            await self._rows(limit)
                        case _:
                            assert_never(change)
        except HoldfastError as error:
            await self.send(ErrorFrame(code=code_of(error), message=error.message, hint=error.hint))
        finally:
            unlisten()

    async def _rows(self, limit: int) -> None:
        for listed in (await self.sessions.page(limit=limit)).sessions:
            await self._row(await self.sessions.row(listed))

    async def _row(self, row: Row) -> None:
        self._rows_told.add(row.session)
        await self.send(RowFrame(row=row))

    def _marked(self, mark: SessionMark) -> None:
        """Tell a mark that this person made, on whatever device."""
        if mark.person == self.who.person:
            frame = MarkFrame(session=mark.session, seen=mark.seen, pinned=mark.pinned)
            self._later = [each for each in self._later if not each.done()]
            if len(self._later) < MARKS:
                self._later.append(asyncio.create_task(self.send(frame)))

    async def _command(self, frame: CommandFrame) -> None:
        conversation = await self.sessions.use(frame.session, self.source)
        answers = await self.service.command(conversation, frame.line)
        shown = msgspec.Raw(msgspec.json.encode([plain(each) for each in answers]))
        await self.send(AnswersFrame(session=frame.session, id=frame.id, answers=shown))
        await self._done(frame.id)

    async def _done(self, number: str, *, position: int | None = None, changed: bool = True) -> None:
        if number:
            await self.send(DoneFrame(id=number, position=position, changed=changed))  # type: ignore[arg-type]

    async def send(self, frame: FromServer) -> None:
        """Send a frame; waits while the client does not read."""
        await self.send_bytes(encoded(frame))

    async def send_bytes(self, frame: bytes) -> None:
        """Send a frame that is encoded already."""
        async with self._sending:
            if not self.ended.is_set():
                await self._send({"type": "websocket.send", "text": frame.decode()})
                self._sent = monotonic()

    def beat(self) -> None:
        """Let the client know that the connection is alive, unless it was told something just now, or reads nothing."""
        late = monotonic() - self._sent >= HEARTBEAT / 3
        if self.connected and late and not self._sending.locked():
            self._beating = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        with suppress(OSError):
            await self.send(BeatFrame())

    def end(self, why: End) -> None:
        """End the socket, and tell the client why."""
        if self._why is None and self._task is not None:
            self._why = why
            self._task.cancel()

    async def _say_bye(self, why: End) -> None:
        with suppress(TimeoutError):  # a client that does not read is not waited for
            async with asyncio.timeout(1.0):
                await self.send(ByeFrame(why=why, hint=_HINTS[why]))
                await self._close(_CODES[why], why)

    async def _close(self, number: int, reason: str) -> None:
        await self._send({"type": "websocket.close", "code": number, "reason": reason})
