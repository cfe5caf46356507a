"""`/shell`, and `!` for short: runs a line that a person typed, and puts its output in front of the model.

It runs as a command of the model would: in the sandbox, in the workspace, for as long, and not at all if a rule denies
it. Nobody is asked, because the person typed it. That it was typed is in the log before it runs.
"""

import json
import re
from collections.abc import Sequence

from holdfast.agent.conversation import Conversation
from holdfast.agent.tool import Tool
from holdfast.commands.answers import Answers
from holdfast.commands.context import ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.errors import BadInput, NotThere, ToolFailed
from holdfast.ids import Position
from holdfast.records.entries import Entry
from holdfast.records.parts import Blob, Text, plain_text
from holdfast.session.state import SessionState

LONGEST = 30_000
"""Characters of the output that the model is shown: the beginning and the end."""
TOOL = "shell"
_FENCES = re.compile(r"`+")


class _TypedCall:
    """What the tool may use of the session: a command needs next to nothing of it."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self.key = conversation.key

    @property
    def state(self) -> SessionState:
        """What the log of the session means so far."""
        return self._conversation.state

    async def write(self, *facts: Entry) -> Position:
        """Nothing is written by it: the line and its output are what a person said."""
        raise ToolFailed(f"A typed command cannot write {len(facts)} entries.")

    async def attach(self, data: bytes, *, media_type: str, name: str = "") -> Blob:
        """Keep content beside the log."""
        return await self._conversation.session.attach(data, media_type=media_type, name=name)

    async def keep_before(self, path: str, before: bytes | None, after: bytes | None, mode: int = 0) -> None:
        """A command says of no file beforehand that it changes it."""
        del before, after, mode
        raise ToolFailed(f"A typed command cannot take back {path!r}.")

    async def kept(self, prefix: str) -> bytes:
        """Nothing is kept for it."""
        raise ToolFailed(f"Nothing is kept as {prefix!r} here.")

    async def question(self, text: str, options: Sequence[str] = ()) -> str:
        """Nobody is asked."""
        raise ToolFailed(f"A typed command cannot ask {text!r}.", hint=f"Options were: {', '.join(options) or 'none'}.")

    def tell(self, text: str) -> None:
        """The chat shows how long it runs."""


async def run_typed(given: Inputs, context: ConversationContext) -> Answers:
    """Run a line in the sandbox, and say to the model what it wrote."""
    line, conversation = given.text("line"), context.conversation
    if not line:
        raise given.refuse("No command is given.")
    tool = await _tool(conversation)
    action = await tool.understand(json.dumps({"command": line}), _TypedCall(conversation))
    if conversation.permissions.denies(action.ask):
        raise BadInput("A rule denies this command.", hint="/permissions lists the rules.")
    redacted = conversation.setup.redactor.redacted
    await conversation.session.create()  # that it ran is in the log before it runs, also in a new conversation
    await conversation.ran(redacted(f"!{line}")[0], "")
    output = await action.run()
    text = _said(redacted(line)[0], redacted(plain_text(output.parts))[0])
    await conversation.send((Text(text=text, given="piped"),))
    return ()


async def _tool(conversation: Conversation) -> Tool:
    for tool in await conversation.setup.toolbox.tools():
        if tool.spec.name == TOOL:
            return tool
    raise NotThere("This agent runs no commands: it has no tool `shell`.")


def _said(line: str, output: str) -> str:
    """What the model is told, in a fence that no line of the output closes."""
    if len(output) > LONGEST:
        half = LONGEST // 2
        output = f"{output[:half]}\n[… {len(output) - LONGEST:,} characters left out …]\n{output[-half:]}"
    fence = "`" * max(3, 1 + max(map(len, _FENCES.findall(output)), default=0))
    return f"I ran a command:\n\n{fence}\n$ {line}\n{output}\n{fence}"
