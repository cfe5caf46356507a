"""Hooks of the user: programs that are told what the agent does, and may have a say in some of it.

A hook before a tool may stop the call or give it other arguments, which are checked like new ones; if it fails, the
call is stopped. Any other hook that fails is told, and ends nothing. None permits anything. What a hook did is in the
log before it takes effect; one that had nothing to say leaves no entry.
"""

import asyncio
from collections.abc import Sequence
from typing import Protocol

import msgspec

from holdfast.agent.events import Noticed
from holdfast.agent.questions import Questions
from holdfast.agent.redact import Redactor
from holdfast.errors import HoldfastError
from holdfast.ids import CallId
from holdfast.records.entries import HookRan, TurnEnded, UserSaid
from holdfast.records.parts import Source, Text, plain_text
from holdfast.session.hooks import Occasion
from holdfast.session.writer import Session

HOST = "hook"
"""The source of what a hook tells the model."""
LONGEST = 20_000
"""Characters of a hook's words that count."""


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """What a hook is told, as one JSON object; a field that says nothing is empty."""

    on: Occasion
    session: str = ""
    """The key of the session."""
    said: str = ""
    """At the start of a turn: what the person said."""
    call: str = ""
    tool: str = ""
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    """What the tool is given: an object."""
    title: str = ""
    """What the call would do, in one line."""
    subjects: tuple[str, ...] = ()
    """What the call is about, as rules match it."""
    outcome: str = ""
    """After a tool: `ok` or `error`."""
    output: str = ""
    """After a tool: what it gave, without what looks like a secret."""
    why: str = ""
    """At the end of a turn: how it ended, as `turn_ended` has it."""
    note: str = ""
    """At the end of a turn: what failed, or which limit."""


class HookAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a hook says."""

    deny: str = ""
    """Why the call, or the turn, is not to be; before a tool and at the start of a turn."""
    context: str = ""
    """What the model is told; before and after a tool, and at the start of a session and of a turn."""
    arguments: msgspec.Raw = msgspec.Raw(b"")
    """What the tool is given instead, an object; before a tool."""


class UserHook(Protocol):
    """A program of the user, or a part of one."""

    @property
    def name(self) -> str:
        """What it is called in the log and in messages."""
        ...

    def wants(self, on: Occasion, tool: str) -> bool:
        """Whether it is to be told; `tool` is '' where there is none."""
        ...

    async def run(self, happening: Happening) -> HookAnswer:
        """Tell it, and wait for what it says. Raises `HoldfastError` if it fails or takes too long."""
        ...


class UserHooks:
    """The user's hooks in one conversation."""

    def __init__(self, hooks: Sequence[UserHook], questions: Questions, redactor: Redactor) -> None:
        """Write down and show through `questions`, without what looks like a secret."""
        self._hooks, self._questions, self._redactor = hooks, questions, redactor
        self._begun = False

    def wanted(self, on: Occasion, tool: str = "") -> list[UserHook]:
        """The hooks for an occasion, in the order of the settings."""
        return [hook for hook in self._hooks if hook.wants(on, tool)]

    async def ask(self, hook: UserHook, happening: Happening) -> HookAnswer:
        """Run one hook and write down what it did; one before a tool that fails denies the call."""
        began = asyncio.get_running_loop().time()
        happening = msgspec.structs.replace(happening, session=self._questions.session.key)
        failed = ""
        try:
            answer = _bounded(await hook.run(happening))
        except HoldfastError as error:
            failed, answer = str(error), HookAnswer()
            if happening.on == "before_tool":  # the result of the call says it
                answer = HookAnswer(deny=f"The hook {hook.name} failed: {failed}")
            else:
                self._questions.emit(Noticed(text=f"The hook {hook.name} ({happening.on}) failed: {failed}"))
        arguments = bytes(answer.arguments).decode()
        if failed or answer.deny or answer.context or arguments:
            spent = asyncio.get_running_loop().time() - began
            await self._questions.write(
                HookRan(
                    on=happening.on,
                    hook=hook.name,
                    call=CallId(happening.call) if happening.call else None,
                    outcome="failed" if failed else "denied" if answer.deny else "ok",
                    text=self._clean(failed or answer.deny or answer.context),
                    arguments=self._clean(arguments),
                    milliseconds=round(spent * 1000),
                )
            )
            await self._questions.session.commit()
        return answer

    def _clean(self, text: str) -> str:
        return self._redactor.redacted(text)[0]

    async def turn_start(self) -> str:
        """Run what is to be run before a turn, and before the first turn of this process; why it is not to be, or ''.

        What hooks tell the model enters as said by them, so that the log has all that the model is sent.
        """
        if not self._hooks:
            return ""
        if not self._begun:
            self._begun = True
            await self._told(Happening(on="session_start"))
        if not self.wanted("turn_start"):
            return ""
        return await self._told(Happening(on="turn_start", said=await self._said()))

    async def _told(self, happening: Happening) -> str:
        """Run the hooks of an occasion and tell the model what they say; the first denial ends it."""
        for hook in self.wanted(happening.on):
            answer = await self.ask(hook, happening)
            if answer.deny and happening.on == "turn_start":
                return f"The hook {hook.name} stopped the turn: {answer.deny}"
            if answer.context:
                parts = (Text(text=f"[hook {hook.name}] {self._clean(answer.context)}"),)
                source = Source(host=HOST, sender=hook.name)
                await self._questions.write(UserSaid(parts=parts, source=source, enters="step"))
        return ""

    async def session_end(self) -> None:
        """Run what is to be run when a conversation is closed in which a turn began."""
        if self._begun:
            self._begun = False
            for hook in self.wanted("session_end"):
                await self.ask(hook, Happening(on="session_end"))

    async def _said(self) -> str:
        async for record in self._questions.session.read_back():
            if isinstance(record.entry, UserSaid) and (record.entry.source is None or record.entry.source.host != HOST):
                return self._clean(plain_text(record.entry.parts))
        return ""

    async def after_turn(self, session: Session, ended: TurnEnded) -> None:
        """Tell of the end of a turn."""
        del session
        for hook in self.wanted("turn_end"):
            await self.ask(hook, Happening(on="turn_end", why=ended.why, note=ended.note))

    async def before_compaction(self, session: Session) -> None:
        """Tell that the model is about to see less."""
        del session
        for hook in self.wanted("before_compaction"):
            await self.ask(hook, Happening(on="before_compaction"))


def _bounded(answer: HookAnswer) -> HookAnswer:
    """What a hook said, not endless."""
    return msgspec.structs.replace(answer, deny=answer.deny[:LONGEST], context=answer.context[:LONGEST])
