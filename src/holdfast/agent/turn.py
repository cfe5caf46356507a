"""What one turn needs done: asking the model, acting on its reply, and a clean end.

A failure that may be over soon is waited out, visibly; a model that stays away is replaced by the next
one; a request that is too long is compacted and sent once more.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal, TypeVar

from msgspec.structs import replace

from holdfast.agent.dispatch import Dispatcher
from holdfast.agent.events import Compacting, FellBack, Noticed, Retrying, StepBegan, TurnBegan, WindowCompacted
from holdfast.agent.model_window import ModelWindow, ModelWindows
from holdfast.agent.models import ChatModel
from holdfast.agent.questions import Questions
from holdfast.agent.reply_recorder import BOUND, ReplyRecorder
from holdfast.agent.setup import AgentSetup
from holdfast.agent.tasks import shielded
from holdfast.context.compact.triggers import Trigger, overflowed
from holdfast.context.prepare import Assembled
from holdfast.errors import BadInput, CompactionStuck, ModelError, Overflow, Unavailable
from holdfast.ids import Position
from holdfast.model.protocol import AssistantMessage
from holdfast.model.stream import Reply
from holdfast.model.tokens import count_message, counter_for
from holdfast.records.entries import TurnEnded
from holdfast.records.parts import ToolCall
from holdfast.session.recovery import interrupted_calls

Why = Literal["answered", "cancelled", "failed", "limit"]
Cause = Literal["", "refused", "cut", "limit", "budget", "hook"]
"""What is known of an end beyond `Why`."""

NEVER = Position(2**63)
"""Behind every position."""
MOST_CUTS = 2
"""So many replies of one turn may have a call that was cut: each is paid for, and one told twice does not learn."""


class Turn:
    """One turn in the making."""

    def __init__(
        self,
        questions: Questions,
        setup: AgentSetup,
        windows: ModelWindows,
        dispatcher: Dispatcher,
        find: Callable[[], Awaitable[ChatModel]],
        before_compaction: Callable[[], Awaitable[None]],
    ) -> None:
        """A turn of a session; `find` gives the model that is to answer now."""
        self._questions, self._setup, self._windows, self._dispatcher = questions, setup, windows, dispatcher
        self._find, self._before_compaction = find, before_compaction
        self._session = questions.session
        self._fallbacks = list(setup.fallbacks)
        self._limits = setup.limits
        self._began, self._used = asyncio.get_running_loop().time(), self._session.state.usage
        self._steps = self._unreported = self._cut = 0
        self._replied = Position(-1)
        self.denied = False
        """Whether a call was not allowed."""
        self.heard = Position(-1)
        """The last entry that the model was told of: what waits behind it can be taken back."""
        self.stopped = ""
        """Who stops it and why, where that is known."""

    def time(self) -> asyncio.Timeout:
        """The time that the turn may take; what runs when it is over is stopped."""
        share = None if self._setup.account is None else self._setup.account.share(self._session)
        if share is not None:
            limits = self._limits
            self._limits = replace(
                limits, steps=_least(limits.steps, share.steps), seconds=_least(limits.seconds, share.seconds)
            )
        return asyncio.timeout(self._limits.seconds or None)

    async def begin(self) -> str:
        """Find the model that is to answer, and run the hooks of the user; why there is to be no turn, or ''."""
        self.chat_model = self._chosen = await self._find()
        self._questions.emit(TurnBegan(model=self.chat_model.name))
        return await self._dispatcher.hooks.turn_start()

    def limit(self) -> str:
        """Which limit is reached, in words; '' for none."""
        if self._cut >= MOST_CUTS:
            return (
                f"The model's tool calls were cut {self._cut} times by the limit of its reply. Ask for smaller pieces, "
                f"or for a model that gives longer replies ({BOUND})"
            )
        used = self._session.state.usage.less(self._used)
        used = replace(used, input_tokens=used.input_tokens + self._unreported)
        return self._limits.reached(steps=self._steps, used=used, seconds=self._seconds())

    @property
    def limit_cause(self) -> Cause:
        """Whether a limit of the settings is reached, or that of the model's reply, again and again."""
        return "cut" if self._cut >= MOST_CUTS else "limit"

    async def ask(self) -> Reply:
        """The model's next reply, in the log. Raises `ModelError` or `ContextError` when there is none to be had."""
        self._steps += 1
        attempt, compacted = 1, False
        while True:
            try:
                return await self._reply()
            except Overflow as error:
                if compacted:
                    await self._fall_back(error)
                else:
                    await self._compact(await self._windows.of(self.chat_model), overflowed(error))
                compacted = not compacted
            except Unavailable as error:
                wait = self._setup.retry.wait(attempt, error, self._setup.draw)
                if wait is None:
                    await self._fall_back(error)
                    attempt = 0
                else:
                    self._questions.emit(
                        Retrying(attempt=attempt, attempts=self._setup.retry.attempts, seconds=wait, why=error.message)
                    )
                    await self._setup.clock.sleep(wait)
                attempt += 1
            except ModelError as error:
                await self._fall_back(error)

    async def _reply(self) -> Reply:
        chosen = await self._find()
        if chosen.name != self._chosen.name:  # by somebody, since the last request
            self.chat_model = self._chosen = chosen
        chat_model, window = self.chat_model, await self._windows.of(self.chat_model)
        if chat_model.takes_tools:
            self._questions.notice(self._setup.toolbox.notes)
            window.plan(self._dispatcher.note)
        trigger = await window.due()
        if trigger is not None:
            await self._compact(window, trigger)
        self.heard = NEVER  # what comes now may be in the request or not
        made = self._reserved(chat_model, await window.request(), window)
        self.heard = max((each.pos for each in made.request.messages), default=Position(-1))
        tokens = window.as_provider_counts(made.tokens)
        self._questions.emit(
            StepBegan(step=self._steps, model=chat_model.name, tokens=tokens, room=window.room, notes=made.notes)
        )
        recorder = ReplyRecorder(self._session, chat_model.model, self._questions.emit, self._setup.retry.idle)
        reply = await recorder.record(made.request, made.tokens)
        self._replied = recorder.position
        if reply.usage is None and self._limits.tokens:  # a bound that a silent service lifts would be none
            said = count_message(AssistantMessage(parts=reply.parts), counter_for(chat_model.model.target.model))
            self._unreported += made.tokens + said
        return reply

    def _reserved(self, chat_model: ChatModel, made: Assembled, window: ModelWindow) -> Assembled:
        """The request with a reply that fits in what is left of an account. Raises `OverBudget`."""
        account, request = self._setup.account, made.request
        if account is None:
            return made
        bound = account.reserve(
            self._session,
            model=chat_model.model.target.model,
            asked=window.as_provider_counts(made.tokens),
            longest=request.max_output_tokens,
        )
        return (
            made
            if bound == request.max_output_tokens
            else replace(made, request=replace(request, max_output_tokens=bound))
        )

    async def _compact(self, window: ModelWindow, trigger: Trigger) -> None:
        self._questions.emit(Compacting(why=trigger.why))
        await self._before_compaction()
        try:
            done = await window.compact(trigger)
        except CompactionStuck as error:
            # The window still moves to fit, so the turn can go on; the person knows why it sees less.
            self._questions.emit(
                WindowCompacted(stage="", before=error.before, after=error.after, failure=error.message)
            )
            return
        self._questions.emit(
            WindowCompacted(stage=done.stage or "", before=done.before, after=done.after, failure=done.failure)
        )

    async def _fall_back(self, error: ModelError) -> None:
        """Go on with the next model; raises the error when there is none."""
        while self._fallbacks:
            name = self._fallbacks.pop(0)
            if name == self.chat_model.name:
                continue
            try:
                self.chat_model = await self._setup.models.named(name)
            except (BadInput, ModelError) as missing:
                self._questions.emit(Noticed(text=f"{name} cannot answer instead: {missing}"))
                continue
            self._questions.emit(FellBack(model=name, why=error.message))
            return
        raise error

    async def act(self, reply: Reply) -> bool:
        """Do what a reply asks for; whether there is more to do in this turn."""
        calls = [part for part in reply.parts if isinstance(part, ToolCall)]
        if calls:
            self.denied |= not await self._dispatcher.run(calls, self._replied)
        self._cut += bool(reply.cut)
        # A call that was cut is not run; its result says so, and the model is to say it again, shorter.
        goes_on = bool(calls or reply.cut) and not (calls and self._dispatcher.ends)
        return goes_on or any(each.enters == "step" for each in self._session.state.queued)

    async def end(self, why: Why, note: str = "", cause: Cause = "", *, retry_after: int = 0) -> TurnEnded:
        """Write down that the turn is over, with a result for every call that has none."""
        ended = TurnEnded(
            why=why,
            note=note,
            cause=cause,
            retry_after=retry_after,
            milliseconds=round(self._seconds() * 1000),
            usage=self._session.state.usage.less(self._used),
        )
        # A stop that comes now comes too late: the turn is over, and has one end.
        with suppress(asyncio.CancelledError):
            await shielded(self._finish(ended))
        return ended

    async def _finish(self, ended: TurnEnded) -> None:
        # One by one, so that whoever watches is shown each, however many there are.
        for result in interrupted_calls(self._session.state.open_calls):
            await self._questions.write(result)
        await self._session.append(ended)
        await self._session.commit()

    def _seconds(self) -> float:
        return asyncio.get_running_loop().time() - self._began


B = TypeVar("B", int, float)


def _least(one: B, other: B) -> B:
    """The lower of two bounds, of which 0 is none."""
    return min(one, other) if one and other else one or other
