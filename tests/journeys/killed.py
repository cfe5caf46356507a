"""An agent in a process of its own that dies at one append of its turn, by SIGKILL.

Its tool adds a line to a file: a side effect that can be counted. Its model asks for three of them, one
after the other, and never again for one that may have run.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from holdfast import Scripted, SystemClock, Text, ToolCall
from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.permissions import Permissions, Rule
from holdfast.agent.tool import ToolContext
from holdfast.ids import CallId, Position, SessionKey
from holdfast.model.protocol import AssistantMessage, Request, ToolMessage
from holdfast.providers.scripted.model import Line
from holdfast.records.codec import Record
from holdfast.records.entries import Entry
from holdfast.records.parts import plain_text
from holdfast.session.writer import open_session
from holdfast.stores.files.store import FileStore
from tests.agent.troupe import PlainTool, scripted, setup
from tests.journeys.camera import Camera, Watched

KEY = "errand"
STEPS = ("buy bread", "post the letter", "lock the door")
EFFECTS = "effects.txt"


class Doomed(Watched):
    """A writer whose process dies at one append: right before its bytes are written, or right after."""

    def __init__(self, writer: "object", camera: Camera, *, at: int, before: bool) -> None:
        super().__init__(writer, camera)  # type: ignore[arg-type]
        self._left, self._before = at, before

    async def append(self, entries: Sequence[Entry], *, expect: Position) -> Sequence[Record]:
        self._left -= 1
        if self._left == 0 and self._before:
            os.kill(os.getpid(), signal.SIGKILL)
        records = await super().append(entries, expect=expect)
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return records


def errand(request: Request) -> Line:
    """The next step that nobody has asked for yet, or the end."""
    asked = [
        part.arguments
        for message in request.messages
        if isinstance(message, AssistantMessage)
        for part in message.parts
        if isinstance(part, ToolCall)
    ]
    done = {_step(arguments) for arguments in asked if _step(arguments) not in _not_begun(request)}
    left = [step for step in STEPS if step not in done]
    if not left:
        return "All done."
    call = ToolCall(id=CallId("again and again"), name="do", arguments=f'{{"text":"{left[0]}"}}')
    return Scripted(parts=(Text(text=f"Now I {left[0]}."), call))


def _step(arguments: str) -> str:
    return next((step for step in STEPS if step in arguments), "")


def _not_begun(request: Request) -> set[str]:
    """Steps whose call, the model was told, had not begun."""
    said = {m.call for m in request.messages if isinstance(m, ToolMessage) and "was not begun" in plain_text(m.parts)}
    calls = [p for m in request.messages if isinstance(m, AssistantMessage) for p in m.parts if isinstance(p, ToolCall)]
    last = {_step(call.arguments): call.id for call in calls}
    return {step for step, call in last.items() if call in said}


async def open_errand(root: Path, *, at: int = 0, before: bool = False) -> tuple[FileStore, Conversation]:
    """The conversation in files below `root`; with `at`, its process dies at that append."""

    async def do(text: str, _: ToolContext) -> str:
        with (root / EFFECTS).open("a") as effects:
            effects.write(f"{text}\n")
        return f"did {text}"

    logs = FileStore(root / "store", clock=SystemClock(), durability="os")
    name = SessionKey(KEY)
    writer = Doomed(await logs.acquire(name), Camera(root, KEY, root), at=at, before=before)
    session = await open_session(logs, writer, name)
    made = setup(
        scripted(*[errand] * 9),
        tools=[PlainTool("do", do, reads_only=False)],
        permissions=lambda: Permissions([Rule(tool="*", decision="allow")]),
        clock=SystemClock(),
    )
    return logs, await open_conversation(session, made)


async def _die(root: Path, at: int, *, before: bool) -> None:
    _, conversation = await open_errand(root, at=at, before=before)
    await conversation.send("Run my errands.", client_id="errands")
    await conversation.idle()


if __name__ == "__main__":
    asyncio.run(_die(Path(sys.argv[1]), int(sys.argv[2]), before=sys.argv[3] == "before"))
