"""Running what a reply calls: each start in the log before it runs, each result before the model sees it.

Calls that only read run at the same time, all others one after the other, in the order the model
gave them. Whatever goes wrong in a tool is a result that the model sees, never a broken turn.
"""

import asyncio
import math
from collections.abc import Awaitable, Sequence
from typing import Literal, NamedTuple, TypeVar

import msgspec

from holdfast.agent.events import ToolBegan
from holdfast.agent.permissions import PLANNING, Answer, Permissions
from holdfast.agent.questions import NOBODY, CallContext, Questions
from holdfast.agent.redact import Redactor
from holdfast.agent.tasks import bounded, shielded
from holdfast.agent.tool import Action, Interruptible, Output, Toolbox, said
from holdfast.agent.user_hooks import Happening, UserHooks
from holdfast.errors import HoldfastError, ToolFailed
from holdfast.ids import Position
from holdfast.records.entries import ToolFinished, ToolStarted
from holdfast.records.parts import Part, Text, ToolCall, plain_text
from holdfast.session.hooks import Occasion
from holdfast.session.recovery import MAY_HAVE_RUN

TOGETHER = 8
"""So many calls that only read run at the same time."""
LONGEST = 4_100_000
"""More characters of a result are not kept. What a command writes is cut to less before, in its middle, and stays whole
here: how it went stands at the end."""
LONGEST_DETAIL = 16_000
"""More characters of what a person was asked about are not written down: the call itself stands in the log."""
TOLD = 100_000
"""Characters of a result that a hook is told."""
LONG = 50_000
"""More characters are looked through in a thread: megabytes take seconds, which the loop has not."""

T = TypeVar("T")
Outcome = Literal["ok", "error", "denied", "interrupted"]


class Dispatcher:
    """Runs the calls of one session's replies."""

    def __init__(
        self,
        questions: Questions,
        toolbox: Toolbox,
        permissions: Permissions,
        redactor: Redactor,
        *,
        longest: float = math.inf,
        hooks: UserHooks | None = None,
    ) -> None:
        """Take tools from a box; none runs for more than `longest` seconds."""
        self._questions, self._permissions, self._redactor = questions, permissions, redactor
        self._toolbox, self.hooks = toolbox, hooks or UserHooks((), questions, redactor)
        self._longest = longest or math.inf
        self.ends = False
        """Whether a call that was run last ends the turn."""

    @property
    def note(self) -> str:
        """What the model is told of what it may do now; '' for nothing special."""
        return PLANNING if self._permissions.mode == "plan" else ""

    async def run(self, calls: Sequence[ToolCall], reply: Position) -> bool:
        """Run the calls of the reply at a position; whether none was denied.

        Cancelling stops what runs; calls that then have no result are the turn's to settle.
        """
        allowed, self.ends = True, False
        together: list[_Running] = []
        for number, call in enumerate(calls):
            made = await self._checked(call, f"{reply}.{number}")
            if isinstance(made, _NotRun):
                await self._questions.write(_result(call, said(made.why), made.outcome))
                allowed &= made.outcome != "denied"
            elif made.action.ask.reads_only:
                together.append(made)
                if len(together) == TOGETHER:
                    allowed &= await self._run(together)
                    together = []
            else:
                allowed &= await self._run(together) & await self._run([made])
                together = []
        return await self._run(together) and allowed

    async def _checked(self, call: ToolCall, place: str) -> "_Running | _NotRun":
        """The call after the hooks before it, each of which may stop it or give it other arguments."""
        made = await self._understood(call, place)
        told: list[str] = []
        for hook in self.hooks.wanted("before_tool", call.name):
            if isinstance(made, _NotRun) or self._permissions.decide(made.action.ask) == "deny":
                break
            answer = await self.hooks.ask(hook, _happening("before_tool", made))
            if answer.deny:
                return _NotRun(f"[not run] {answer.deny}", "denied")
            if changed := bytes(answer.arguments).decode():
                told.append(f"[the hook {hook.name} changed the arguments to {changed}]")
                made = await self._understood(msgspec.structs.replace(made.call, arguments=changed), place)
            if answer.context:
                told.append(f"[hook {hook.name}] {answer.context}")
        if isinstance(made, _Running):
            made.told = told
        return made

    async def _understood(self, call: ToolCall, place: str) -> "_Running | _NotRun":
        """The call, ready to be run, or what the model is told instead."""
        tools = {tool.spec.name: tool for tool in await self._toolbox.tools()}
        tool = tools.get(call.name)
        if tool is None:
            return _NotRun(f"There is no tool {call.name!r}. There are: {', '.join(sorted(tools)) or 'none'}.")
        context = CallContext(self._questions, call.id, place, lambda text: self._redactor.redacted(text)[0])
        seconds = min(tool.seconds, self._longest)
        try:
            action = await bounded(_foreign(tool.understand(call.arguments, context)), seconds, lambda: context.waited)
        except TimeoutError:
            return _NotRun(f"[not run: it took more than {seconds:g} s to understand the call]")
        except HoldfastError as error:
            return _NotRun(str(error))
        return _Running(call, place, action, seconds, context)

    async def _run(self, running: Sequence["_Running"]) -> bool:
        """Run calls at the same time, those that may; whether all might."""
        permitted = [each for each in running if await self._permitted(each)]
        if not permitted:
            return not running
        # Durable before anything runs: of a call that may have done something nobody may read that it had not begun.
        starts = [ToolStarted(call=each.call.id, name=each.call.name, rule=each.rule) for each in permitted]
        await self._questions.session.append(*starts)
        await self._questions.session.commit()
        if len(permitted) == 1:
            await self._one(permitted[0])
            return len(running) == 1
        tasks = [asyncio.create_task(self._one(each)) for each in permitted]
        try:
            await asyncio.gather(*tasks)
        except BaseException:  # a stop, or a log that takes no more: what runs beside ends too
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        return len(permitted) == len(running)

    async def _permitted(self, running: "_Running") -> bool:
        """Whether a call may run; if not, its result says why."""
        ask = running.action.ask
        decision = self._permissions.decide(ask)
        if decision == "allow":
            by_mode = ask.edits and self._permissions.mode == "edits"
            running.rule = self._permissions.allowing(ask) or ("mode edits" if by_mode else "")
            return True
        why = PLANNING if self._permissions.must_wait(ask) else "The settings forbid it."
        if decision == "ask":
            await self._questions.session.commit()
            detail = self._redactor.redacted(ask.detail[:LONGEST_DETAIL])[0]
            answer = await self._questions.permission(running.call.id, running.place, ask, detail)
            if answer.allowed:
                if answer.always:
                    self._questions.remember(self._permissions.grant(ask), answer.always)
                return True
            why = _refusal(answer)
        await self._questions.write(_result(running.call, said(f"[not run] {why}"), "denied"))
        return False

    async def _one(self, running: "_Running") -> None:
        """Run one call and write down its result, whatever it is."""
        ask, began = running.action.ask, asyncio.get_running_loop().time()
        self._questions.emit(
            ToolBegan(call=running.call.id, name=ask.tool, title=ask.title, detail=ask.detail, form=ask.form)
        )
        outcome: Outcome = "error"
        try:
            output = await bounded(_foreign(running.action.run()), running.seconds, lambda: running.context.waited)
            outcome = "ok" if output.ok else "error"
            self.ends |= output.ends
        except TimeoutError:
            output = said(f"[stopped: it ran for more than {running.seconds:g} s, and may have done something]")
        except HoldfastError as error:
            output = said(str(error))
        except asyncio.CancelledError:
            action = running.action
            if isinstance(action, Interruptible) and (text := action.so_far()):
                stopped = said(f"{MAY_HAVE_RUN}\nUntil then it wrote:\n{text}")
                await shielded(self._finish(running, stopped, "interrupted", began))
            raise
        await self._finish(running, output, outcome, began)

    async def _finish(self, running: "_Running", output: Output, outcome: Outcome, began: float) -> None:
        """Write down what came of a call."""
        spent = asyncio.get_running_loop().time() - began
        if sum(len(part.text) for part in output.parts if isinstance(part, Text)) > LONG:
            output = await asyncio.to_thread(self._clean, output)
        else:
            output = self._clean(output)
        told = list(running.told)
        try:
            if outcome != "interrupted":
                told += await self._after(running, output, outcome)
        finally:  # stopped or not, the result is known and must not be lost
            if told:
                added = Text(text=self._redactor.redacted("\n".join(told))[0])
                output = msgspec.structs.replace(output, parts=(*output.parts, added))
            await self._questions.write(_result(running.call, output, outcome, spent))

    async def _after(self, running: "_Running", output: Output, outcome: Outcome) -> list[str]:
        """What the hooks after a call tell the model."""
        told: list[str] = []
        for hook in self.hooks.wanted("after_tool", running.call.name):
            happening = _happening("after_tool", running, outcome=outcome, output=plain_text(output.parts)[:TOLD])
            answer = await self.hooks.ask(hook, happening)
            if answer.context:
                told.append(f"[hook {hook.name}] {answer.context}")
        return told

    def _clean(self, output: Output) -> Output:
        """The output without what looks like a secret, and not endless."""
        return msgspec.structs.replace(output, parts=tuple(self._clean_part(part) for part in output.parts))

    def _clean_part(self, part: Part) -> Part:
        if not isinstance(part, Text):
            return part
        text = part.text
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}\n[cut: {len(text) - LONGEST:,} more characters were not kept]"
        return Text(text=self._redactor.redacted(text)[0])


class _Running:
    """A call that was understood."""

    def __init__(self, call: ToolCall, place: str, action: Action, seconds: float, context: CallContext) -> None:
        self.call, self.place, self.action, self.seconds, self.context = call, place, action, seconds, context
        self.rule = ""
        self.told: list[str] = []
        """What hooks before it tell the model, with the result."""


class _NotRun(NamedTuple):
    """A call that is not run, and what the model is told."""

    why: str
    outcome: Outcome = "error"


def _happening(on: Occasion, running: _Running, outcome: str = "", output: str = "") -> Happening:
    """What a hook is told of a call."""
    ask = running.action.ask
    return Happening(
        on=on,
        call=running.call.id,
        tool=running.call.name,
        arguments=_as_json(running.call.arguments),
        title=ask.title,
        subjects=ask.subjects,
        outcome=outcome,
        output=output,
    )


def _as_json(arguments: str) -> msgspec.Raw:
    """Arguments as the JSON that they are; as a text, if a model sent something that only looks like it."""
    try:
        msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeError):
        return msgspec.Raw(msgspec.json.encode(arguments))
    return msgspec.Raw(arguments.encode())


async def _foreign(work: Awaitable[T]) -> T:
    """What a tool does; whatever goes wrong in it is a failure that the model is told."""
    task = asyncio.current_task()
    try:
        return await work
    except HoldfastError:
        raise
    except asyncio.CancelledError:
        if task is None or task.cancelling():
            raise
        raise ToolFailed("The tool gave itself up.") from None
    except Exception as error:  # boundary: a tool may be anybody's
        raise ToolFailed(f"The tool failed: {type(error).__name__}: {error}.") from error


def _refusal(answer: Answer) -> str:
    """Why a call is not run, for the model."""
    if not answer.text or answer.text == NOBODY:
        return answer.text or "The person did not allow it."
    return f"The person said: {answer.text}"


def _result(call: ToolCall, output: Output, outcome: Outcome, seconds: float = 0.0) -> ToolFinished:
    return ToolFinished(
        call=call.id, name=call.name, outcome=outcome, parts=output.parts, milliseconds=round(seconds * 1000)
    )
