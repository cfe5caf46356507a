"""`--input stream-json`: a program drives a conversation, with one JSON object a line on standard input.

A line is a message, the answer to a question, or a cancel. What happens is printed as with `--output stream-json`.
Where the input ends, open questions are answered with no, because nobody is there, and the last turn ends by itself.
"""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable
from typing import BinaryIO, TypeAlias, assert_never

import msgspec

from holdfast.agent.broadcast import Subscription
from holdfast.agent.conversation import Conversation
from holdfast.agent.events import Asked, Event, TurnOver
from holdfast.agent.permissions import Always, Answer
from holdfast.errors import BadInput
from holdfast.hosts.signals import leaving
from holdfast.records.parts import Source, Value
from holdfast.session.catalog import SCRIPT

LONGEST = 16 * 1024 * 1024
"""The most bytes of one line."""
NOBODY = "The input has ended, so there is nobody to ask."


class MessageInput(Value, frozen=True, kw_only=True, tag_field="type", tag="message"):
    """Something to say; while a turn runs, it enters at the next step."""

    text: str
    id: str | None = None
    """The same id a second time says it once."""


class AnswerInput(Value, frozen=True, kw_only=True, tag_field="type", tag="answer"):
    """The answer to a question, by the id that its `asked` event has."""

    question: str
    allowed: bool = False
    always: Always = ""
    text: str = ""


class CancelInput(Value, frozen=True, kw_only=True, tag_field="type", tag="cancel"):
    """Stop the turn that runs."""


InputLine: TypeAlias = MessageInput | AnswerInput | CancelInput
_LINES: msgspec.json.Decoder[InputLine] = msgspec.json.Decoder(InputLine)


class DrivenConversation:
    """A conversation that is driven by lines."""

    def __init__(self, conversation: Conversation, show: Callable[[Event], None]) -> None:
        """Show every event as it happens."""
        self._conversation, self._show = conversation, show
        self._ended = False
        self.over: TurnOver | None = None
        """How the last turn ended."""

    async def run(self, lines: AsyncIterator[bytes], first: str = "") -> int | None:
        """Take lines to their end; gives the exit code that a signal asks for, if one came."""
        with leaving() as told, self._conversation.watch() as watch:
            showing = asyncio.create_task(self._showing(watch))
            working = asyncio.create_task(self._work(lines, first))
            signalled = asyncio.create_task(told.wait())
            await asyncio.wait([working, signalled, showing], return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                await self._conversation.cancel(told.note)
                working.cancel()
            signalled.cancel()
            await asyncio.wait([working])
            await self._conversation.close()  # its end is the last event
            await showing
            if not working.cancelled():
                working.result()
        return None if told.code is None else int(told.code)

    async def _work(self, lines: AsyncIterator[bytes], first: str) -> None:
        if first:
            await self._conversation.send(first, source=Source(host=SCRIPT))
        number = 0
        async for line in lines:
            number += 1
            if line.strip():
                await self._do(_read(line, number))
        self._ended = True
        for question in self._conversation.snapshot().questions:
            self._conversation.answer(question.id, Answer(text=NOBODY))
        await self._conversation.idle()

    async def _do(self, line: InputLine) -> None:
        match line:
            case MessageInput():
                await self._conversation.send(line.text, client_id=line.id, source=Source(host=SCRIPT))
            case AnswerInput():
                given = Answer(allowed=line.allowed, always=line.always, text=line.text)
                if not self._conversation.answer(line.question, given):
                    raise BadInput(
                        f"No question {line.question!r} is open.", hint="`asked` events name open questions."
                    )
            case CancelInput():
                await self._conversation.cancel("cancelled by the program that drives it")
            case _:
                assert_never(line)

    async def _showing(self, watch: Subscription) -> None:
        async for event in watch:
            self._show(event)
            if isinstance(event, TurnOver):
                self.over = event
            elif isinstance(event, Asked) and self._ended:
                self._conversation.answer(event.question.id, Answer(text=NOBODY))


def _read(line: bytes, number: int) -> InputLine:
    try:
        return _LINES.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadInput(
            f"Line {number} of the input is not a message, an answer or a cancel: {error}.",
            hint='A line is an object such as {"type": "message", "text": "hello"}.',
        ) from error


async def lines_of(stream: BinaryIO | None = None) -> AsyncIterator[bytes]:
    """The lines of standard input, read in a thread: a file, a pipe or a terminal."""
    source, loop = sys.stdin.buffer if stream is None else stream, asyncio.get_running_loop()
    read: asyncio.Queue[bytes] = asyncio.Queue()

    def work() -> None:
        line = b"x"
        while line:
            line = source.readline(LONGEST)
            loop.call_soon_threadsafe(read.put_nowait, line)

    threading.Thread(target=work, daemon=True).start()
    while line := await read.get():
        yield line
