"""A chat: what a person does reaches the conversation, and what happens there reaches the surface.

Messages are sent one after the other, in the order in which they were typed. What is not sent is kept as a
draft, and an error is shown where it happened; the chat goes on.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress

from holdfast.agent.conversation import Conversation
from holdfast.agent.events import Answered, Appended, Asked, ConversationClosed, Event, Resync, TurnBegan, TurnOver
from holdfast.agent.permissions import NEXT_MODE, Answer, Question
from holdfast.agent.tool import Ask
from holdfast.commands.run import is_command
from holdfast.commands.typed_lines import FOLDER
from holdfast.engine.attach import Attachment
from holdfast.errors import Closed, Fenced, Held, HoldfastError, NoSession
from holdfast.hosts.exits import Exit
from holdfast.hosts.signals import leaving
from holdfast.hosts.terminal.chat.commands import run_line
from holdfast.hosts.terminal.chat.open import opened
from holdfast.hosts.terminal.chat.recap import found_here, kept, left_open, tidy, who_answers
from holdfast.hosts.terminal.chat.state import ChatState
from holdfast.hosts.terminal.chat.view import ChatView
from holdfast.hosts.terminal.dialogs.held import HeldChoice, offer
from holdfast.hosts.terminal.draw.activity import STOPPED
from holdfast.hosts.terminal.draw.markdown import warm
from holdfast.hosts.terminal.input.clipboard import keep_picture
from holdfast.hosts.terminal.input.paste import Pastes, parts_of
from holdfast.hosts.terminal.input.surface import Surface, UserActions
from holdfast.hosts.terminal.input.unsent import Draft, Unsent
from holdfast.records.parts import Blob, Source

TICK_SECONDS = 0.125
"""How often the time that a turn has taken is drawn."""
HERE = Source(host="terminal")
URGENT = frozenset({"/stop", "/cancel", "/goal pause", "/goal cancel"})
"""What stops something takes effect at once, whatever was typed before and waits."""
TAKEN_OVER = Fenced(
    "This session was taken over by another window; what was saved until then is there.",
    hint="Enter on an empty line asks for it back; /new begins another one here.",
)


class Chat:
    """A person at a surface, in a conversation."""

    def __init__(
        self, chat_state: ChatState, view: ChatView, unsent: Unsent, surface: Callable[[UserActions], Surface]
    ) -> None:
        """Join them; `run` begins."""
        self.chat_state, self._view, self._unsent = chat_state, view, unsent
        self.surface = surface(self)
        self._messages: asyncio.Queue[tuple[Draft, bool]] = asyncio.Queue()
        self._watches: asyncio.Queue[Attachment | None] = asyncio.Queue()
        self._asides: set[asyncio.Task[None]] = set()
        self._confirming: dict[str, asyncio.Future[bool]] = {}
        self._command: asyncio.Task[None] | None = None
        self._left = asyncio.Event()
        self._ticking = self._saving = False
        self._handling, self._introduced = True, False
        self._turning = False
        """Whether a turn was seen to begin, and not to end yet: its last events come after it."""

    @property
    def busy(self) -> bool:
        """Whether a turn or a command runs."""
        return self.chat_state.conversation.busy or self._command is not None

    @property
    def listening(self) -> bool:
        """Whether everything is said and done, and it is the person's turn."""
        waits = self._turning or self._handling or bool(self._messages.qsize())
        return self._introduced and not self.busy and not waits

    def said(self, message: Draft, *, after: bool = False) -> None:
        """A message was typed and sent."""
        if " ".join(message.text.split()) in URGENT:
            self._beside(run_line(message.text, self))
            return
        if not is_command(message.text):
            self._unsent.sending(message)
            self.chat_state.on_its_way += 1
        self._messages.put_nowait((message, after))

    def go_on(self) -> None:
        """Go on with what was broken off, or have back what was taken over."""
        if self.chat_state.lost and self._messages.empty():
            self._messages.put_nowait((Draft(text=f"/resume {self.chat_state.conversation.key}"), False))
        elif self.chat_state.conversation.unfinished is not None:
            self._beside(self._resume())

    def next_mode(self) -> None:
        """Switch to the next permission mode; the status line shows it."""
        permissions = self.chat_state.conversation.permissions
        permissions.mode = NEXT_MODE[permissions.mode]
        self.surface.refresh()

    def paste_picture(self) -> None:
        """Put the picture in the clipboard into the message, by its name."""
        self._beside(self._paste_picture())

    async def _paste_picture(self) -> None:
        self.surface.put(Draft(text=f"@{await keep_picture(os.environ, self.chat_state.folder)} "))

    def typed(self, draft: Draft) -> None:
        """What stands in the input has changed."""
        self._unsent.typed(draft)
        if draft.text and not is_command(draft.text) and not self.chat_state.conversation.session.exists:
            self._beside(self._create())  # what is typed and not sent is kept in the folder of the session

    def answered(self, question: Question, answer: Answer) -> None:
        """A question was answered."""
        confirming = self._confirming.pop(question.id, None)
        if confirming is not None:
            confirming.set_result(answer.allowed)
            return
        self.chat_state.conversation.answer(question.id, answer)
        if question.ask is None:
            self.say(self._view.reply(answer.text))

    def stop(self) -> None:
        """Stop the turn, or the command."""
        if self._command is not None:
            self._command.cancel()
        elif self.chat_state.conversation.busy:
            self._beside(self._cancel())

    def leave(self) -> None:
        """The person goes."""
        self._left.set()

    def say(self, lines: list[str]) -> None:
        """Print lines of our own, apart from what the conversation says."""
        if lines:
            self.surface.show(self._view.block(lines, "own"))

    def _complain(self, error: HoldfastError, *, beside: bool = False) -> None:
        """Show an error; that the session is lost is said once by what nobody asked for."""
        told = self.chat_state.lost
        if isinstance(error, Fenced) or (told and isinstance(error, Closed)):
            self.chat_state.lost, error = True, TAKEN_OVER
        if self.chat_state.lost and not told:
            self._beside(self._release())
        if not (beside and told and error is TAKEN_OVER):
            self.say(self.chat_state.said_of(error))

    async def _release(self) -> None:
        """Close a conversation that was taken over, so that it can be opened again."""
        with suppress(Fenced):  # there is nothing left to commit
            await self.chat_state.agent.engine.leave(self.chat_state.conversation.key)

    async def run(self, first: Draft | None = None) -> Exit:
        """Talk until somebody leaves; gives the exit code."""
        await self._attach_to(self.chat_state.conversation)
        with leaving(signal.SIGTERM, signal.SIGHUP) as told:
            watching, working = asyncio.create_task(self._watch()), asyncio.create_task(self._work())
            drawing = asyncio.create_task(self.surface.run())
            agent = self.chat_state.agent
            self._beside(agent.engine.run_wakes(agent.identity, goals=False))
            if agent.engine.setup.memory is not None:
                agent.engine.setup.memory.start()
            ends = [asyncio.create_task(told.wait()), asyncio.create_task(self._gone())]
            if first is not None:
                self.said(first)
            try:
                await asyncio.wait([watching, working, drawing, *ends], return_when=asyncio.FIRST_COMPLETED)
                await _let_go(working, *ends, *([self._command] if self._command else []))
                await self._close(watching)
            finally:
                self.surface.leave()
                await drawing
                await self._tidy()
                await _let_go(watching, *self._asides)
                self._unsent.save()
        for task in (working, watching):
            if not task.cancelled():
                task.result()
        return Exit.OK if told.code is None else told.code

    async def _gone(self) -> None:
        await self._left.wait()

    async def _close(self, watching: asyncio.Task[None]) -> None:
        """Stop the turn, commit, and show the last of it."""
        try:
            if not self._unsent.empty:
                await self._create()
            await self.chat_state.agent.engine.leave(self.chat_state.conversation.key)
        except HoldfastError as error:
            self._complain(error)
        self._watches.put_nowait(None)
        await asyncio.wait([watching])
        self.say(kept(self.chat_state))

    async def _watch(self) -> None:
        """Show what happens in the conversation, and in the one that takes its place."""
        while (attachment := await self._watches.get()) is not None:
            with suppress(NoSession):  # an empty session is removed when it is left
                async for event in attachment:
                    # It would go on with what another process does there, or with the session opened anew.
                    if isinstance(event, Resync):
                        break
                    self._see(event)
            attachment.close()

    async def _attach_to(self, conversation: Conversation) -> None:
        """Watch it before anything happens in it; without a bound, because words left out would be missing here."""
        attach = self.chat_state.agent.engine.attach
        self._watches.put_nowait(await attach(conversation.key, after=conversation.state.last, limit=0))

    def _see(self, event: Event) -> None:
        self._turning = self._turning or isinstance(event, TurnBegan)
        if isinstance(event, ConversationClosed) and event.why == "taken_over":
            self._complain(TAKEN_OVER, beside=True)
        if isinstance(event, TurnOver) and event.ended.why == "failed":
            self._beside(self._failed(event))
        else:
            self._tell(event)

    async def _failed(self, event: TurnOver) -> None:
        """Tell that a turn failed; if that is because the log takes no more, the log says it in better words."""
        try:
            await self.chat_state.conversation.session.commit()
        except HoldfastError:
            self._turning = False
            if text := self._view.broken_off():
                self.surface.show(text)
            raise
        self._tell(event)

    def _tell(self, event: Event) -> None:
        self._turning = self._turning and not isinstance(event, TurnOver)
        text = self._view.take(event)
        if text:
            self.surface.show(text)
        match event:
            case Asked():
                self.surface.ask(event.question)
                self._ring()
            case Answered():
                self.surface.withdraw(event.id)
            case TurnBegan():
                self._beside(self._tick())
            case TurnOver():
                self._ring()
            case Appended():
                self._beside(self._save())
            case _:
                pass
        self.surface.refresh()

    def _ring(self) -> None:
        if self.chat_state.agent.settings.ui.bell:
            self.surface.show("\a")

    async def _tick(self) -> None:
        """Draw the time that passes, for as long as a turn or a command runs."""
        if not self._ticking:
            self._ticking = True
            while self.busy:
                await asyncio.sleep(TICK_SECONDS)
                self.say(self.chat_state.download.news())
                self.surface.refresh()
            self._ticking = False

    async def _save(self) -> None:
        """See to it that what was appended is committed, and show that it is."""
        if not self._saving and not self.chat_state.lost:
            self._saving = True
            try:
                await self.chat_state.save()
            finally:
                self._saving = False
            self.surface.refresh()

    async def _cancel(self) -> None:
        await self.chat_state.conversation.cancel()

    def _beside(self, work: Coroutine[object, object, None]) -> None:
        """Do something without waiting for it; what goes wrong is shown."""
        task = asyncio.create_task(self._shown(work))
        self._asides.add(task)
        task.add_done_callback(self._asides.discard)

    async def _shown(self, work: Coroutine[object, object, None]) -> None:
        try:
            await work
        except HoldfastError as error:
            self._complain(error, beside=True)

    async def _work(self) -> None:
        """Send messages and run commands, one after the other."""
        await self._enter()
        self._beside(self._introduce())
        while True:
            self._handling = False
            self.surface.refresh()
            message, after = await self._messages.get()
            self._handling = True
            try:
                await self._handle(message, after=after)
            except HoldfastError as error:
                self._complain(error)
                if not is_command(message.text):
                    self.surface.put(message)
            self._unsent.sent(message)
            self.chat_state.on_its_way -= not is_command(message.text)

    async def _handle(self, message: Draft, *, after: bool) -> None:
        if is_command(message.text):
            self.surface.show(self._view.echo(message.text))
            self._view.runs(message.text)
            self._command = asyncio.create_task(run_line(Pastes(message.pasted).whole(message.text), self))
            self._beside(self._tick())
            await asyncio.wait([self._command])
            done, self._command = self._command, None
            self._view.runs("")
            if done.cancelled():
                self.say([self.chat_state.theme.painted(STOPPED, "warning")])
            else:
                done.result()
        else:
            conversation = self.chat_state.conversation
            roots = [each / FOLDER for each in [self.chat_state.folder] if each] + [self.chat_state.agent.root]
            parts = await parts_of(message.text, Pastes(message.pasted), roots, self._attach)
            await conversation.send(parts, enters="after" if after else "step", source=HERE)

    async def _attach(self, data: bytes, media_type: str, name: str) -> Blob:
        return await self.chat_state.conversation.session.attach(data, media_type=media_type, name=name)

    async def switch(self, key: str) -> None:
        """Go on in another session, if it can be had; else in this one."""
        before = self.chat_state.conversation
        if key == before.key and not before.closed:
            return
        conversation = await opened(self.chat_state.agent, key, self._offer)
        if conversation is None:
            return
        if conversation.key != before.key:
            await self._release()
            await self._tidy()
        self.chat_state.enter(conversation)
        await self._attach_to(conversation)
        await self._enter()
        self.say(await left_open(self.chat_state))

    async def _create(self) -> None:
        await self.chat_state.conversation.session.create()

    async def _tidy(self) -> None:
        if self._unsent.empty:
            await tidy(self.chat_state)

    async def _offer(self, key: str, held: Held) -> HeldChoice:
        return await self.surface.aside(lambda means: offer(self.chat_state.agent, key, held, means))

    async def _enter(self) -> None:
        """Show what the conversation is, and take up what was left in it."""
        self._turning = False
        self._view.enter()
        self.surface.forget()
        self.say(await found_here(self.chat_state))
        self.surface.put(self._unsent.enter(self.chat_state.conversation.key))
        self._beside(self._save())

    async def _introduce(self) -> None:
        """Say who answers; then, as the last thing, what the person is asked."""
        try:
            self.say(await who_answers(self.chat_state))
        except HoldfastError as error:
            self._complain(error)
        self.say(await left_open(self.chat_state))
        self._introduced = True
        self.surface.refresh()
        await asyncio.to_thread(warm)

    async def _resume(self) -> None:
        await self.chat_state.conversation.resume()

    async def confirm(self, question: str) -> bool:
        """Ask yes or no; the default is no."""
        asked = Question(id=f"confirm {question}", ask=Ask(tool="", subjects=(), title=question, opaque=True))
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._confirming[asked.id] = answer
        self._view.runs("")
        self.surface.ask(asked)
        try:
            return await answer
        finally:
            self._confirming.pop(asked.id, None)
            self.surface.withdraw(asked.id)


async def _let_go(*tasks: asyncio.Task[None]) -> None:
    """End tasks that are not needed any more."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
