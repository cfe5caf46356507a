"""One message, one turn, and out: for scripts and pipes.

The answer goes to standard output and nothing else does; what happens on the way is told on standard error.
However it ends, everything said and done is in the log, and the exit code says how it ended.
"""

import asyncio
import gc
import json
import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal, Self, assert_never, get_args

from msgspec.structs import asdict, replace

from holdfast.agent.broadcast import Subscription
from holdfast.agent.conversation import Conversation
from holdfast.agent.events import (
    Appended,
    Event,
    FellBack,
    Noticed,
    Retrying,
    StepBegan,
    TextStreamed,
    ToolBegan,
    TurnOver,
    WindowCompacted,
)
from holdfast.agent.unfinished import unanswered_turn
from holdfast.assembly.agent import AgentRuntime, Wishes, open_runtime, parsed_rules
from holdfast.commands.workspace_sessions import latest_key, new_key, open_in
from holdfast.errors import BadInput, Closed
from holdfast.hosts.console import Console
from holdfast.hosts.exits import Exit
from holdfast.hosts.json_events import frame
from holdfast.hosts.signals import leaving
from holdfast.hosts.start import Start
from holdfast.records.entries import ModelReplied, ToolFinished, TurnEnded
from holdfast.records.parts import Part, Source, Text, Value, plain_text
from holdfast.records.printable import printable, printable_line
from holdfast.session.catalog import SCRIPT

_MEGA = 1_000_000


class Download:
    """Shows how far the download is, on standard error."""

    def __init__(self, console: Console) -> None:
        """Nothing is downloaded yet."""
        self._console = console
        self._told = False

    def progress(self, done: int, total: int) -> None:
        """So many bytes are here."""
        if self._console.shows_progress:
            share = f"{done // _MEGA} of {total // _MEGA} MB" if total else f"{done // _MEGA} MB"
            self._console.redraw(f"fetching the built-in demo model, once: {share}")
        elif not self._told:
            self._console.note(f"Fetching the built-in demo model, once ({total // _MEGA or 98} MB) …")
        self._told = True

    def __enter__(self) -> Self:
        """Show it for a block of code."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave no half line behind."""
        if self._told and self._console.shows_progress:
            self._console.redraw("")


Form = Literal["text", "json", "stream-json"]
"""What is printed: the answer, one object about the turn, or every event as it happens."""


class Told(Value, frozen=True, kw_only=True):
    """How a turn went, as one JSON object."""

    session: str
    answer: str
    why: str
    note: str
    cause: str
    """`refused`, `cut`, `limit` or '': what is known beyond `why`."""
    model: str
    denied: bool
    milliseconds: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float
    """US dollars, where the price is known."""
    noticed: tuple[str, ...] = ()
    """What a person should know, such as how the turn before it ended."""


class Printer:
    """Shows a turn in one of the forms."""

    def __init__(self, form: Form, write: Callable[[str], None], note: Callable[[str], None], *, live: bool) -> None:
        """Write answers and notes; with `live`, words are written as they stream."""
        self._form, self._write, self._note, self._live = form, write, note, live
        self._inside = False
        self._noticed: list[str] = []

    def show(self, event: Event) -> None:
        """Show what happened."""
        if isinstance(event, Noticed):
            self._noticed.append(event.text)
        if isinstance(event, StepBegan):
            self._not_sent(event)
        if self._form == "stream-json":
            self._write(json.dumps(frame(event), ensure_ascii=False) + "\n")
        elif isinstance(event, TextStreamed) and self._form == "text" and self._live:
            self._write(printable(event.text))
            self._inside = not event.text.endswith("\n")
        elif (line := _noted(event)) is not None:
            self._break()
            self._note(line)

    def end(self, conversation: Conversation, answer: Sequence[ModelReplied], over: TurnOver) -> None:
        """Show how it ended; the last reply comes with those before it that broke off, because it goes on from them."""
        words = "\n".join(text for each in answer if (text := plain_text(each.parts)))
        if self._form == "json":
            told = asdict(replace(_told(conversation, words, answer, over), noticed=tuple(self._noticed)))
            self._write(f"{json.dumps(told, ensure_ascii=False)}\n")
        elif self._form == "text" and not self._live and words:
            self._write(f"{printable(words)}\n")
        self._break()
        if over.ended.note:
            self._note(f"{over.ended.why}: {over.ended.note}")

    def _not_sent(self, event: StepBegan) -> None:
        """Tell what the model is not shown, once: an answer about half of what was piped in looks like any other."""
        for text in (f"not sent: {note}" for note in event.notes):
            if text not in self._noticed:
                self._noticed.append(text)
                if self._form != "stream-json":
                    self._break()
                    self._note(printable(text))

    def _break(self) -> None:
        if self._inside:
            self._write("\n")
            self._inside = False


def _noted(event: Event) -> str | None:
    """What a person at the terminal is told of an event, in one line."""
    match event:
        case Retrying():
            seconds = f"{event.seconds:.1f}".removesuffix(".0")
            return f"retrying in {seconds} s: {event.why}"
        case FellBack():
            return f"asking {event.model} instead: {event.why}"
        case WindowCompacted():
            if not event.stage:
                return f"nothing was compacted: {event.failure or 'there was nothing to be done'}"
            without = f"; nothing was summarized: {event.failure}" if event.failure else ""
            return f"compacted ({event.stage}): {event.before:,} to {event.after:,} tokens{without}"
        case ToolBegan():
            return printable_line(event.title, 200)
        case Noticed():
            return printable(event.text)
        case Appended():
            done = event.record.entry
            if isinstance(done, ToolFinished) and done.outcome == "denied":
                return printable_line(f"{done.name}: {plain_text(done.parts)}", 200)
            return None
        case _:
            return None


def _told(conversation: Conversation, words: str, answer: Sequence[ModelReplied], over: TurnOver) -> Told:
    ended, usage = over.ended, over.ended.usage
    return Told(
        session=conversation.key,
        answer=words,
        why=ended.why,
        note=ended.note,
        cause=ended.cause,
        model=answer[-1].model if answer else "",
        denied=over.denied,
        milliseconds=ended.milliseconds,
        input_tokens=usage.input_tokens if usage else 0,
        cached_tokens=usage.cached_tokens if usage else 0,
        output_tokens=usage.output_tokens if usage else 0,
        cost=(usage.cost_micros if usage else 0) / 1_000_000,
    )


async def answer(conversation: Conversation, said: str | tuple[Part, ...], printer: Printer) -> Exit:
    """Say something, show the turn, and tell how it ended."""
    with leaving() as told, conversation.watch() as watch:
        await conversation.send(said, source=Source(host=SCRIPT))
        shown = asyncio.create_task(_shown(watch, printer))
        signalled = asyncio.create_task(told.wait())
        await asyncio.wait([shown, signalled], return_when=asyncio.FIRST_COMPLETED)
        if not shown.done():
            await conversation.cancel(told.note)
        signalled.cancel()
        replies, over = await shown
        printer.end(conversation, replies, over)
    return _code(over.ended, denied=over.denied) if told.code is None else told.code


async def _shown(watch: Subscription, printer: Printer) -> tuple[list[ModelReplied], TurnOver]:
    """Show a turn to its end; gives its last reply behind those that broke off right before it, and how it ended."""
    replies: list[ModelReplied] = []
    async for event in watch:
        printer.show(event)
        if isinstance(event, Appended) and isinstance(event.record.entry, ModelReplied):
            if replies and replies[-1].stop != "interrupted":
                replies.clear()
            replies.append(event.record.entry)
        if isinstance(event, TurnOver):
            return replies, event
    raise Closed("The conversation was closed.", hint="Open it again.")


def _code(ended: TurnEnded, *, denied: bool) -> Exit:
    match ended.why:
        case "answered":
            return Exit.DENIED if denied else Exit.OK
        case "cancelled" | "interrupted":
            return Exit.INTERRUPTED
        case "limit":
            return Exit.LIMIT
        case "failed":
            return Exit.ERROR
        case _:
            assert_never(ended.why)


async def answer_once(start: Start, *, piped: bool) -> Exit:
    """Open the conversation that was asked for, say one message, and show its turn."""
    gc.freeze()  # what is loaded by now stays to the end, so neither the turn nor the exit need look through it
    said = () if start.driven else _said(start.prompt, sys.stdin.read() if piped else "")
    form = _form(start.output)
    wishes = Wishes(
        model=start.model,
        rules=parsed_rules(start.allow, start.deny),
        attended=start.driven,
        titles=False,  # a script pays for one answer, and is gone before a title could be drawn
    )
    with Download(start.console) as download:
        agent = open_runtime(start.loaded, wishes, progress=download.progress)
        async with agent.engine:
            conversation = await _opened(start, agent)
            conversation.permissions.mode = start.mode
            if start.loaded.passed_over:
                start.console.note(start.loaded.passed_over)
            if form == "text":
                choice = await agent.pool.choice(asked=wishes.model, session=conversation.state.model)
                start.console.note(choice.said)
            if form == "stream-json":
                _write(start, json.dumps(await _begun(agent, conversation, start.model), ensure_ascii=False) + "\n")
            live = sys.stdout.isatty()
            printer = Printer(form, lambda text: _write(start, text), start.console.note, live=live)
            if left := conversation.unfinished or await unanswered_turn(conversation.session):
                printer.show(Noticed(text=left.text))
            if conversation.state.jumps:
                from holdfast.commands.rewound_files import files_left

                if files := await files_left(conversation.session, agent, os.environ):
                    printer.show(Noticed(text=files))
            if start.driven:
                return await _driven(conversation, " ".join(start.prompt), printer)
            return await answer(conversation, said, printer)


async def _begun(agent: AgentRuntime, conversation: Conversation, model: str) -> dict[str, object]:
    """What a program is told first: where it is, who answers, with which tools, and in which mode."""
    choice = await agent.pool.choice(asked=model, session=conversation.state.model)
    tools = [tool.spec.name for tool in await conversation.setup.toolbox.tools()]
    mode = conversation.permissions.mode
    return {"event": "began", "session": conversation.key, "model": choice.name, "tools": tools, "mode": mode}


async def _driven(conversation: Conversation, first: str, printer: Printer) -> Exit:
    """Have turns as a program asks for them; the exit code is that of the last."""
    from holdfast.hosts.stream_input import DrivenConversation, lines_of

    driven = DrivenConversation(conversation, printer.show)
    code = await driven.run(lines_of(), first)
    if code is not None:
        return Exit(code)
    return _code(driven.over.ended, denied=driven.over.denied) if driven.over else Exit.OK


def _write(start: Start, text: str) -> None:
    start.console.data(text.encode("utf-8", "replace"))
    start.console.flush()


def _said(words: Sequence[str], piped: str) -> tuple[Text, ...]:
    """What is said: the prompt, and what was piped in after it, marked so that it is not taken for the person's own."""
    prompt, rest = " ".join(words).strip(), piped.strip()
    if not prompt and not rest:
        raise BadInput("There is nothing to say.", hint="Give a prompt after -p, or pipe one in.")
    parts = (Text(text=prompt), Text(text=f"\n\n{rest}" if prompt else rest, given="piped"))
    return tuple(part for part in parts if part.text.strip())


def _form(text: str) -> Form:
    for form in get_args(Form):
        if text == form:
            return form  # type: ignore[no-any-return]
    raise BadInput(f"{text!r} is not a form of output.", hint=f"There are: {', '.join(get_args(Form))}.")


async def _opened(start: Start, agent: AgentRuntime) -> Conversation:
    """The conversation that was asked for: by its key, the last one, or a new one."""
    store = agent.engine.store
    key = start.session
    if start.wants("continue"):
        key = await latest_key(store, agent.identity, scripts=True)
    if start.wants("resume"):
        raise BadInput("--resume cannot be used with -p, because there is nobody to ask.", hint="Use --session KEY.")
    fresh = new_key(agent.root, datetime.now(UTC))
    if start.fork:
        if not key:
            raise BadInput("--fork copies a session, and none is named.", hint="Add --session KEY, or --continue.")
        await store.fork(key, fresh)
        key = fresh
    doing = f"answering {os.environ.get('USER') or 'somebody'} once"
    return await open_in(agent.engine, key or fresh, agent.identity, doing=doing, take_over=start.take_over)
