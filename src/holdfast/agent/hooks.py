"""What others do around the turns of a conversation: a failure is told, and ends nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from holdfast.agent.events import Event, Noticed
from holdfast.agent.setup import AgentSetup
from holdfast.agent.tasks import let_go
from holdfast.agent.user_hooks import UserHooks
from holdfast.errors import HoldfastError
from holdfast.records.codec import Record
from holdfast.records.entries import TurnEnded
from holdfast.records.facts import Consolidated, new_facts
from holdfast.session.hooks import AfterTurn, Next
from holdfast.session.writer import Session

T = TypeVar("T")

Take = Callable[[Next, int], Awaitable[None]]
"""Takes what comes next, as it was decided when the log ended at a position."""


class Hooks:
    """The hooks of one conversation."""

    def __init__(
        self, session: Session, setup: AgentSetup, emit: Callable[[Event], None], user: UserHooks, *own: AfterTurn
    ) -> None:
        """`own` are done after a turn before those of the setup, and those of the user last."""
        self._session, self._setup, self._emit = session, setup, emit
        self._after = (*own, *setup.after_turn, *([user] if user.wanted("turn_end") else []))
        self._before = (*setup.before_compaction, user)
        self._running: set[asyncio.Task[None]] = set()
        session.listen(self._remembered)

    @property
    def busy(self) -> bool:
        """Whether something is done that has not ended yet."""
        return bool(self._running)

    def begin(self, ended: TurnEnded | None, take: Take) -> None:
        """Begin what is done after a turn, and ask what comes next; without a turn, only that. Nobody waits for it."""
        if self._after or self._setup.next_step is not None:
            task = asyncio.create_task(self._run(ended, take))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def _run(self, ended: TurnEnded | None, take: Take) -> None:
        if ended is not None:
            for hook in self._after:
                await self._told(hook.after_turn(self._session, ended))
        known, step = self._session.state.last, None
        if self._setup.next_step is not None:
            step = await self._told(self._setup.next_step.next_step(self._session, ended))
        await take(step, known)  # also without a step: what the hooks wrote is shown with it

    def _remembered(self, record: Record) -> None:
        """Tell of facts that were drawn: they come by themselves, when nobody shows anything else."""
        entry = record.entry
        texts = new_facts(entry) if isinstance(entry, Consolidated) and entry.made == "consolidated" else ()
        if texts:
            text = f"Remembered: {' '.join(texts)} (/memory undo takes it back)"
            asyncio.get_running_loop().call_soon(self._emit, Noticed(text=text))

    async def before_compaction(self) -> None:
        """Do what is to be done before the model sees less."""
        for hook in self._before:
            await self._told(hook.before_compaction(self._session))

    async def _told(self, work: Awaitable[T]) -> T | None:
        """What a hook gives; None if it failed, which whoever watches is told."""
        try:
            return await _foreign(work)
        except HoldfastError as error:
            self._emit(Noticed(text=str(error)))
            return None

    def close(self) -> None:
        """Stop what is done."""
        for task in tuple(self._running):
            let_go(task)


async def _foreign(work: Awaitable[T]) -> T:
    try:
        return await work
    except HoldfastError:
        raise
    except Exception as error:  # boundary: a hook may be anybody's
        raise HoldfastError(f"What is done around a turn failed: {type(error).__name__}: {error}.") from error
