"""One open conversation with its agent: what is said, what runs, what waits.

A turn runs in a task of its own. What is said meanwhile is written down at once and enters where it was
meant to; a stop takes effect at once; and whatever broke off before this process is settled when it opens.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Literal, Self, assert_never

from msgspec.structs import replace

from holdfast.agent.broadcast import Broadcast, Subscription
from holdfast.agent.dispatch import Dispatcher
from holdfast.agent.events import Appended, ConversationClosed, Event, TurnOver
from holdfast.agent.hooks import Hooks
from holdfast.agent.loop import run_turn
from holdfast.agent.model_window import ModelWindows
from holdfast.agent.models import ChatModel
from holdfast.agent.permissions import Answer
from holdfast.agent.questions import Questions
from holdfast.agent.setup import AgentSetup
from holdfast.agent.snapshot import Present, Snapshot
from holdfast.agent.tasks import shielded
from holdfast.agent.title import TitleAfterTurn
from holdfast.agent.turn import Turn
from holdfast.agent.unfinished import UnfinishedTurn, given_up, unfinished_turn
from holdfast.agent.user_hooks import UserHooks
from holdfast.context.breakdown import Share
from holdfast.context.compact.compact import Compaction, undo_compaction
from holdfast.context.compact.triggers import Trigger
from holdfast.errors import BadInput, Closed, ContextError, Fenced, HoldfastError
from holdfast.ids import ClientId, Position, SessionKey
from holdfast.records.codec import Record
from holdfast.records.entries import (
    CommandRan,
    Described,
    Entry,
    FileChanged,
    GoalAmended,
    GoalEnded,
    GoalSet,
    GoalStatusChanged,
    Rewound,
    TakenBack,
    TurnEnded,
    UserSaid,
    WakeSet,
)
from holdfast.records.parts import Part, Source, Text
from holdfast.session.branch import rewind
from holdfast.session.hooks import AnotherStep, Next, ResumeTurn, WaitUntil
from holdfast.session.recovery import interrupted_calls
from holdfast.session.references import must_say_something
from holdfast.session.state import SessionState
from holdfast.session.writer import Session

Enters = Literal["step", "after"]
"""When words that are said while a turn runs are heard: at its next step, or after it."""


DECIDING = (UserSaid, TurnEnded, Rewound, GoalSet, GoalAmended, GoalStatusChanged, GoalEnded)
"""What the agent does by itself depends on these entries."""


class Conversation:
    """An open session and the agent that answers in it."""

    def __init__(self, session: Session, setup: AgentSetup, unfinished: UnfinishedTurn | None) -> None:
        """Join them; use `open_conversation`, which settles what was broken off."""
        self.session, self.setup = session, setup
        self.unfinished = unfinished
        """The turn that broke off before this process, until it is gone on with or something new is said."""
        self._ended: TurnEnded | None = None
        self._broadcast, self._present = Broadcast(), Present()
        self._unseen: deque[Record] = deque()
        session.listen(self._unseen.append)
        self._questions = Questions(session, self._emit, self._publish, attended=setup.attended, keep=setup.keep)
        self._windows = ModelWindows(session, setup)
        self.permissions = setup.permissions()
        """What runs unasked here, and what a person allowed."""
        self._user_hooks = UserHooks(setup.hooks, self._questions, setup.redactor)
        self._dispatcher = Dispatcher(
            self._questions,
            setup.toolbox,
            self.permissions,
            setup.redactor,
            longest=setup.limits.tool_seconds,
            hooks=self._user_hooks,
        )
        self._running: asyncio.Task[None] | None = None
        self._turn: asyncio.Task[TurnEnded] | asyncio.Task[Compaction] | None = None
        titles = TitleAfterTurn(
            self._titler, lambda: self._windows.hidden, named=bool(setup.title_model), idle=setup.retry.idle
        )
        self._hooks = Hooks(session, setup, self._emit, self._user_hooks, *([titles] if setup.titles else []))
        self._having = self._new_turn()
        self._closing = False
        self.counts_to: Position | None = None  # as in `ConversationClosed.last`
        self._alone = asyncio.Lock()
        self._asked = setup.model

    @property
    def key(self) -> SessionKey:
        """What the session is called by."""
        return self.session.key

    @property
    def state(self) -> SessionState:
        """What the log means so far."""
        return self.session.state

    @property
    def busy(self) -> bool:
        """Whether a turn runs."""
        return self._running is not None

    @property
    def closed(self) -> bool:
        """Whether it was closed, or is about to be."""
        return self._closing

    @property
    def used(self) -> bool:
        """Whether something runs in it or somebody watches it."""
        return (
            self.busy or self._hooks.busy or self._turn is not None or self._alone.locked() or self._broadcast.watched
        )

    def watch(self, limit: int = 0) -> Subscription:
        """Every event from now on; at most about `limit` bytes of them wait, and 0 is no bound."""
        return self._broadcast.subscribe(limit)

    def snapshot(self) -> Snapshot:
        """What there is now: what was shown so far is in it, and what comes is not."""
        self._publish()
        return self._present.snapshot(self.state, running=self.busy, mode=self.permissions.mode)

    async def send(
        self,
        said: str | tuple[Part, ...],
        *,
        enters: Enters = "step",
        client_id: str | None = None,
        source: Source | None = None,
        continues: int | None = None,
        since: int | None = None,
    ) -> Position:
        """Say something; when this returns it is durable, and the agent is at work on it.

        While a turn runs it enters at the turn's next step or after it. Saying it again with the same
        client id says it once, and gives where it stands. With `continues` the conversation goes on from that position,
        and what came after it stays as another branch. `since` is the last position that was known when it was said
        first: a client id is known for ever with it, and without it among the newest. Raises `BadInput` if there is
        nothing in it.
        """
        self._must_be_open()
        parts = (Text(text=said),) if isinstance(said, str) else said
        must_say_something(parts)
        known = None if client_id is None else ClientId(client_id)
        # Whoever goes away while it is written down has said it all the same.
        return await shielded(
            self._say(UserSaid(parts=parts, source=source, client_id=known, enters=enters), continues, since)
        )

    async def _say(self, entry: UserSaid, continues: int | None, since: int | None) -> Position:
        """Write it down and begin with it; one after the other, so that each knows whether a turn runs."""
        async with self._alone:
            self._must_be_open()
            said = await self.session.said_at(entry, since)
            if said is not None and said < self.state.said[0].pos:
                return said
            entry = entry if self.busy else replace(entry, enters="now")
            known = self.state.last
            if continues is None:
                before: tuple[Entry, ...] = self._given_up(entry)
            else:
                before = await self._gone_back(entry, continues)
            position = await self._append(*before, entry)
            if position > known:
                self._start()
            return position

    async def take_back(self, message: int) -> bool:
        """Take back a message that waits for the turn that runs; whether it waited and was not heard."""
        async with self._alone:
            self._must_be_open()
            heard = self._having.heard if self.busy else Position(-1)
            waiting = [each for each in self.state.queued if each.enters == "after" or each.pos > heard]
            if message not in [each.pos for each in waiting]:
                return False
            await self._append(TakenBack(message=Position(message)))
            return True

    async def _gone_back(self, entry: UserSaid, continues: int) -> tuple[Entry, ...]:
        """What takes the conversation back to a position, where the message is not said already."""
        if await self.session.said_at(entry) is not None:
            return ()
        if self.busy:
            raise BadInput("A turn runs.", hint="Stop it first, or wait for its end.")
        self.unfinished = None
        return (rewind(self.state, Position(continues)),)

    def _given_up(self, entry: UserSaid) -> tuple[TurnEnded, ...]:
        ended = () if self.busy else given_up(self.state, entry)
        self.unfinished = None if ended else self.unfinished
        return ended

    async def wake(self, due: Callable[[Session], Awaitable[list[Entry]]]) -> bool:
        """Write what is due now, begin with what it says, and ask what comes next; whether anything was due."""
        async with self._alone:
            self._must_be_open()
            entries = await due(self.session)
            said = next((entry for entry in entries if isinstance(entry, UserSaid)), None)
            await self._append(*(self._given_up(said) if said else ()), *entries)
        if said is not None:
            self._start()
        elif entries or (self._is_pursued and not (self.busy or self._hooks.busy)):
            self._hooks.begin(None, self._take_step)
            return True
        return bool(entries)

    @property
    def _is_pursued(self) -> bool:
        """Whether there is a goal that the agent goes on with by itself."""
        return self.state.goal is not None and self.state.goal.doing == "active"

    async def halt(self, facts: tuple[Entry, ...], note: str = "") -> bool:
        """Write facts that stop what is done by itself, before all that waits, then stop the turn; whether one ran."""
        self._must_be_open()
        self._hooks.close()
        await shielded(self._append(*facts))
        return await self.cancel(note)

    async def go_on(self) -> None:
        """Ask what comes next, where the agent may go on by itself; what comes of it is seen as it happens."""
        self._must_be_open()
        if not self.busy:  # after the turn that runs it is asked anyway
            self._hooks.begin(None, self._take_step)

    async def resume(self) -> bool:
        """Go on with a turn that was broken off; whether there was one."""
        async with self._alone:
            self._must_be_open()
            if self.busy or not self.state.in_turn:
                return False
            self.unfinished = None
            self._start()
            return True

    async def cancel(self, note: str = "") -> bool:
        """Stop the turn that runs, or a compaction, now; whether one ran. What waits for its end is then begun with.

        The end of the turn has the note: who stops it and why, for whoever comes back to it.
        """
        if self._turn is None:
            return False
        turn = self._turn
        await asyncio.sleep(0)  # a turn that has not begun could not write down its end
        self._having.stopped = note
        turn.cancel()
        await asyncio.wait([turn])
        return True

    async def idle(self) -> TurnEnded | None:
        """Wait until nothing runs; gives how the last turn of this process ended, if there was one."""
        while self._running is not None:
            await asyncio.wait([self._running])
        return self._ended

    async def finish(self, seconds: float) -> None:
        """Wait for the end of what runs, but no longer than so many seconds, and stop it then."""
        try:
            async with asyncio.timeout(seconds):
                await self.idle()
        except TimeoutError:
            await self.cancel(f"not done within {seconds:g} s of being told to stop")
            await self.idle()

    def answer(self, question: str, answer: Answer, by: Source | None = None) -> bool:
        """Answer a question that the turn waits on; whether it was still open. `by` says who answers, and where."""
        return self._questions.answer(question, answer, by)

    async def chat_model(self) -> ChatModel:
        """The model that answers in this session."""
        name = self._asked or self.state.model
        return await (self.setup.models.named(name) if name else self.setup.models.usual())

    async def use_model(self, name: str) -> ChatModel:
        """Let another model answer from the next step on, also in the turn that runs."""
        chat_model = await self.setup.models.named(name)
        await self._append(Described(model=chat_model.name))
        self._asked = ""
        return chat_model

    async def compact(self, focus: str = "") -> Compaction:
        """Make what the model sees smaller, because somebody asked."""
        async with self._idle():
            work = self._turn = asyncio.create_task(self._compact(focus))
            try:
                await asyncio.wait([work])
            except asyncio.CancelledError:
                # What it is just writing down is written before anybody else has the session.
                work.cancel()
                await shielded(asyncio.wait([work]))
                raise
            finally:
                self._turn = None
            if work.cancelled():
                raise ContextError("The compaction was stopped.", hint="The conversation is as it was.")
            return work.result()

    async def _compact(self, focus: str) -> Compaction:
        await self._hooks.before_compaction()
        window = await self._windows.of(await self.chat_model())
        return await window.compact(Trigger(focus=focus))

    async def shares(self) -> tuple[Share, ...]:
        """What fills the window of the model that answers."""
        return await (await self._windows.of(await self.chat_model())).shares()

    async def undo_compaction(self) -> Position | None:
        """Take the last compaction back; where it stands, or None."""
        async with self._idle():
            return await undo_compaction(self.session)

    async def rewind(self, to: int, *changes: FileChanged) -> Position:
        """Go on from an earlier position; `changes` say which files are about to be taken back with it."""
        async with self._idle():
            position = await self.session.rewind(to, *changes)
            self.unfinished = None
            return position

    async def undo_rewind(self, *changes: FileChanged) -> Position:
        """Take the last rewind back, and say which files are about to be taken back with it."""
        async with self._idle():
            return await self.session.undo_rewind(*changes)

    async def ran(self, command: str, output: str) -> None:
        """Write down a command of a host and what it showed."""
        await self._append(CommandRan(command=command, output=output))

    async def write(self, *facts: Entry) -> Position:
        """Write down facts about the session, such as a change of its goal."""
        return await self._append(*facts)

    async def describe(self, described: Described) -> None:
        """Write down a title, tags, a model."""
        await self._append(described)

    async def taken_over(self) -> bool:
        """Whether another process took the session over."""
        try:
            await self.session.check()
        except Fenced:
            return True
        return False

    async def close(self, why: ConversationClosed | None = None) -> None:
        """Stop what runs, commit, and give the session back; who watches is told why. Closing twice is once."""
        if not self._closing:
            self.counts_to = None if why is None else why.last
            self._emit(why or ConversationClosed(why="left"))  # first: what follows waits for what runs to stop
        self._closing = True
        self._hooks.close()
        await self.cancel()
        async with self._alone:
            await self.idle()
            try:
                await self._user_hooks.session_end()
            finally:
                try:
                    await self.session.close()
                finally:
                    self._broadcast.close()

    def _must_be_open(self) -> None:
        if self._closing:
            raise Closed("The conversation is closed.", hint="Open it again.")

    @asynccontextmanager
    async def _idle(self) -> AsyncIterator[None]:
        """For what must not happen while a turn runs: none begins meanwhile, and what was written is shown."""
        async with self._alone:
            self._must_be_open()
            if self.busy:
                raise BadInput("A turn runs.", hint="Stop it first, or wait for its end.")
            try:
                yield
            finally:
                self._publish()

    def _start(self) -> None:
        if self._running is None and not self._closing:
            # The turn is there at once, so that a stop finds it.
            turn = asyncio.create_task(self._have_turn())
            self._turn, self._running = turn, asyncio.create_task(self._run(turn))

    async def _run(self, turn: asyncio.Task[TurnEnded]) -> None:
        """Have turns until nothing is left to answer; however one ends, whoever watches is told."""
        try:
            self._over(await turn)
            while self.state.in_turn and not self._closing:
                self._turn = turn = asyncio.create_task(self._have_turn())
                self._over(await turn)
        except HoldfastError as error:
            # The log takes no more, so nothing can be written about it.
            self._over(TurnEnded(why="failed", note=str(error)))
        except Exception as error:  # boundary: a fault of ours, of which whoever watches is told as well
            self._over(TurnEnded(why="failed", note=f"{type(error).__name__}: {error}"))
            raise
        finally:
            self._turn = self._running = None

    def _over(self, ended: TurnEnded) -> None:
        self._ended = ended
        if not self._closing:
            self._hooks.begin(ended, self._take_step)
        self._emit(TurnOver(ended=ended, denied=self._having.denied))

    def _new_turn(self) -> Turn:
        compacting = self._hooks.before_compaction
        return Turn(self._questions, self.setup, self._windows, self._dispatcher, self.chat_model, compacting)

    async def _have_turn(self) -> TurnEnded:
        self._having = self._new_turn()
        return await run_turn(self._having)

    async def _take_step(self, step: Next, known: int) -> None:
        """Go on by ourselves, unless something was said since: that comes first, and this is asked again after it."""
        self._publish()
        async with self._alone:
            if step is None or self._closing or self.busy or self._moved_on(known):
                return
            match step:
                case AnotherStep():
                    await self._append(*step.facts, step.said)
                    self._start()
                case ResumeTurn():
                    await self._append(*step.facts)
                    self.unfinished = None
                    self._start()
                case WaitUntil():
                    await self._append(WakeSet(due=step.at, why=step.why))
                case _:
                    assert_never(step)

    def _moved_on(self, known: int) -> bool:
        """Whether something happened since that decides anew what comes next; a title, or a fact, does not."""
        since = self.session.recent(known)
        return since is None or any(isinstance(record.entry, DECIDING) for record in since)

    async def _titler(self) -> ChatModel:
        name = self.setup.title_model
        return await self.setup.models.named(name) if name else self._having.chat_model

    async def _append(self, *entries: Entry) -> Position:
        position = await self.session.append(*entries)
        await self.session.commit()
        self._publish()
        return position

    def _emit(self, event: Event) -> None:
        if self._unseen:
            self._publish()
        self._present.take(event)
        self._broadcast.publish(event)

    def _publish(self) -> None:
        """Show what was appended since the last look, by whomever."""
        while self._unseen:
            appended = Appended(record=self._unseen.popleft())
            self._present.take(appended)
            self._broadcast.publish(appended)

    async def __aenter__(self) -> Self:
        """Use it for a block of code."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.close()


async def open_conversation(session: Session, setup: AgentSetup) -> Conversation:
    """Settle what was broken off in an open session, and put an agent to it."""
    try:
        unfinished = await unfinished_turn(session)
        owed = interrupted_calls(session.state.open_calls)
        if owed:
            await session.append(*owed)
            await session.commit()
        return Conversation(session, setup, unfinished)
    except BaseException:  # whatever it is, nobody else would give the session back
        await session.close()
        raise
