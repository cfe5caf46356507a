"""Questions and events between a turn and its hosts: events out, questions out and answers in.

A question waits until somebody who watches answers it, or the turn ends. Where nobody can, it is
answered at once, with no.
"""

import asyncio
import itertools
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from holdfast.agent.events import Answered, Asked, Event, Noticed, ToolTold
from holdfast.agent.permissions import Always, Answer, Question, Rule, question_of
from holdfast.agent.tasks import shielded
from holdfast.agent.tool import Ask
from holdfast.errors import HoldfastError, NoBlob, ToolFailed
from holdfast.ids import CallId, Position, SessionKey
from holdfast.log.blobs import blob_id
from holdfast.records.entries import (
    Entry,
    ModelReplied,
    PermissionAsked,
    PermissionDecided,
    QuestionAnswered,
    QuestionAsked,
    ToolFinished,
    UserSaid,
)
from holdfast.records.parts import Blob, Source
from holdfast.session.file_history import file_changed
from holdfast.session.state import SessionState
from holdfast.session.writer import Session

SHORTEST_PREFIX = 8
FAR = 20_000
"""How many entries back kept content is looked for."""

NOBODY = "Nobody is there to ask. Allow it in the settings, or with --allow."

Keeper = Callable[[Sequence[Rule]], object]
"""Keeps rules for the workspace, beyond this process."""


class Questions:
    """Events and questions of one session, for its hosts."""

    def __init__(
        self,
        session: Session,
        emit: Callable[[Event], None],
        publish: Callable[[], None],
        *,
        attended: bool = True,
        keep: Keeper | None = None,
    ) -> None:
        """Emit events, and publish what was appended; with `attended`, somebody answers questions.

        `keep` keeps what is allowed for the workspace.
        """
        self.session, self.emit, self._publish = session, emit, publish
        self._attended, self._keep = attended, keep
        self._waiting: dict[str, asyncio.Future[tuple[Answer, Source | None]]] = {}
        self._noticed: set[str] = set()

    async def write(self, *facts: Entry) -> Position:
        """Write something down, also while the turn is stopped, and show it: what runs beside it may take long."""
        position = await shielded(self.session.append(*facts))
        self._publish()
        return position

    def notice(self, notes: Sequence[str]) -> None:
        """Show what a person should know; each once in a conversation."""
        for note in notes:
            if note not in self._noticed:
                self._noticed.add(note)
                self.emit(Noticed(text=note))

    async def permission(self, call: CallId, place: str, ask: Ask, detail: str) -> Answer:
        """Ask a person whether the call at a place (`POSITION.NUMBER`) may run.

        The question is durable before it is asked, with the detail that may be written down; so is the decision,
        before anything is done with it.
        """
        if not self._attended:
            return Answer(text=NOBODY)
        asked = PermissionAsked(
            call=call,
            question=place,
            tool=ask.tool,
            title=ask.title,
            subjects=ask.subjects,
            detail=detail,
            form=ask.form,
        )
        await self.write(asked)
        await self.session.commit()
        answer, by = await self._ask(Question(id=place, ask=ask))
        text = "" if answer.allowed else answer.text
        decided = PermissionDecided(
            call=call, question=place, allowed=answer.allowed, always=answer.always, text=text, by=by
        )
        await self.write(decided)
        return answer

    async def question(self, asked: QuestionAsked, clean: Callable[[str], str]) -> str:
        """Ask a person what a tool wants to know; question and answer are written down as they may be."""
        if not self._attended:
            raise ToolFailed("Nobody is there to answer.", hint="Go on with what you know, and say what you assumed.")
        written = replace(asked, text=clean(asked.text), options=tuple(map(clean, asked.options)))
        await self.write(written)
        await self.session.commit()
        answer, by = await self._ask(question_of(asked))
        text = clean(answer.text)
        await self.write(QuestionAnswered(call=asked.call, question=asked.question, text=text, by=by))
        return answer.text

    def answer(self, number: str, answer: Answer, by: Source | None = None) -> bool:
        """Answer a question; whether it was still open. `by` says who answers, and where."""
        waiting = self._waiting.get(number)
        if waiting is None or waiting.done():
            return False
        waiting.set_result((answer, by))
        return True

    def remember(self, rules: Sequence[Rule], how_long: Always) -> None:
        """Keep what was allowed for longer than this process, if that was said."""
        if how_long == "workspace" and self._keep is not None:
            try:
                self._keep(rules)
            except (HoldfastError, OSError) as error:
                # The answer still counts, and a turn does not end for a file that cannot be written.
                self.emit(Noticed(text=f"It is allowed for this session only: {error}"))

    async def _ask(self, question: Question) -> tuple[Answer, Source | None]:
        waiting: asyncio.Future[tuple[Answer, Source | None]] = asyncio.get_running_loop().create_future()
        self._waiting[question.id] = waiting
        self.emit(Asked(question=question))
        try:
            return await waiting
        finally:
            del self._waiting[question.id]
            self.emit(Answered(id=question.id))


class CallContext:
    """What one call may use of its session: the `ToolContext` of tools."""

    def __init__(
        self, questions: Questions, call: CallId, place: str, clean: Callable[[str], str] = lambda text: text
    ) -> None:
        """Work for a call; its place is `POSITION.NUMBER`: of its reply in the log, and its own in the reply.

        `clean` takes out what looks like a secret.
        """
        self._questions, self._call, self._place, self._clean = questions, call, place, clean
        self._asked, self._one = itertools.count(1), asyncio.Lock()
        self._spent = 0.0
        self._since: float | None = None

    @property
    def waited(self) -> float:
        """How many seconds the call has waited for a person."""
        return self._spent + (0.0 if self._since is None else asyncio.get_running_loop().time() - self._since)

    @property
    def key(self) -> SessionKey:
        """What the session is called by."""
        return self._questions.session.key

    @property
    def state(self) -> SessionState:
        """What the log of the session means so far."""
        return self._questions.session.state

    async def write(self, *facts: Entry) -> Position:
        """Write facts into the log of the session, and show them; durable when this returns."""
        position = await self._questions.write(*facts)
        await self._questions.session.commit()
        return position

    async def attach(self, data: bytes, *, media_type: str, name: str = "") -> Blob:
        """Keep content beside the log, and give the part that names it."""
        return await self._questions.session.attach(data, media_type=media_type, name=name)

    async def keep_before(self, path: str, before: bytes | None, after: bytes | None, mode: int = 0) -> None:
        """Write down that a file of the workspace is about to change, and keep what it holds."""
        session, hashed = self._questions.session, None if after is None else blob_id(after)
        await self._questions.write(await file_changed(session, path, before, hashed, call=self._call, mode=mode))
        await session.commit()

    async def kept(self, prefix: str) -> bytes:
        """Content that an entry of this session names, by the beginning of its hash."""
        if len(prefix) < SHORTEST_PREFIX:
            raise ToolFailed(f"{prefix!r} is too short.", hint="Give the id as it stands behind `kept as`.")
        seen = 0
        async for record in self._questions.session.read_back():
            for part in record.entry.parts if isinstance(record.entry, UserSaid | ModelReplied | ToolFinished) else ():
                if isinstance(part, Blob) and part.blob.startswith(prefix):
                    return await self._content(part)
            seen += 1
            if seen >= FAR:
                break
        raise ToolFailed(f"Nothing is kept as {prefix!r} in this session.", hint="Give the id as it was shown.")

    async def _content(self, blob: Blob) -> bytes:
        try:
            return await self._questions.session.get_blob(blob.blob)
        except NoBlob as error:
            raise ToolFailed(f"{error}", hint="Run the tool again.") from error

    async def question(self, text: str, options: Sequence[str] = ()) -> str:
        """Ask the person, and wait for the answer; one question after the other."""
        async with self._one:
            self._since = asyncio.get_running_loop().time()
            try:
                # The log never gives a place twice: an answer to a question from before a restart fits no other one.
                name = f"{self._place}.{next(self._asked)}"
                asked = QuestionAsked(call=self._call, question=name, text=text, options=tuple(options))
                return await self._questions.question(asked, self._clean)
            finally:
                self._spent, self._since = self.waited, None

    def tell(self, text: str) -> None:
        """Show one line of what is going on."""
        self._questions.emit(ToolTold(call=self._call, text=self._clean(text)))
