"""The last replies: `/copy` takes one, or a block of code; `/thinking` and `/output` show what led to it."""

from collections.abc import AsyncIterator

from holdfast.commands.answers import Answers, Copied, PlainLines, Prose
from holdfast.commands.context import ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.past import newest_first
from holdfast.commands.text.blocks import BlockParser, CodeBlock
from holdfast.errors import NotThere
from holdfast.records.entries import Delivered, ModelReplied, ToolFinished
from holdfast.records.parts import Blob, Text, Thinking, ToolCall, plain_text
from holdfast.tools.titles import call_title


async def copy(given: Inputs, context: ConversationContext) -> Answers:
    """Give text for the clipboard."""
    wanted, seen = given.number("number"), 0
    if wanted is None:
        async for words in _replies(context):
            return (Copied(text=words, what="the last reply"),)
        raise NotThere("There is no reply to copy yet.")
    if not wanted:
        raise given.refuse("There is no block of code 0; the last one is 1.")
    async for words in _replies(context):
        for code in reversed(blocks(words)):
            seen += 1
            if seen == wanted:
                return (Copied(text=code, what=f"block of code {wanted}, counted from the last"),)
    raise NotThere(f"There is no block of code {wanted}; the replies here have {seen}.")


async def _replies(context: ConversationContext) -> AsyncIterator[str]:
    """The words of the replies, the last first; those that only call tools have none."""
    async for record in newest_first(context.session):
        if isinstance(record.entry, ModelReplied | Delivered) and (words := plain_text(record.entry.parts)).strip():
            yield words


def blocks(markdown: str) -> list[str]:
    """The blocks of code in a text as they are shown, without fences, and without what lists and quotes put before."""
    reader, found = BlockParser(), list[str]()
    lines = markdown.removesuffix("\n").replace("\r\n", "\n").split("\n")
    placed = [each for line in lines for each in reader.line(line)]
    for block in (each.block for each in (*placed, *reader.end())):
        if isinstance(block, CodeBlock):
            # A long block comes in stretches.
            found += [""] if block.opens else []
            found[-1] += "".join(f"{line}\n" for line in block.lines)
    return found


async def thinking(_: Inputs, context: ConversationContext) -> Answers:
    """Give all of the newest thinking there is."""
    async for record in newest_first(context.session):
        if isinstance(record.entry, ModelReplied):
            thoughts = [part.text for part in record.entry.parts if isinstance(part, Thinking) and part.text.strip()]
            if thoughts:
                return (Prose(markdown="\n\n".join(thoughts)),)
    raise NotThere("No model has shown its thinking here yet.", hint="Not every model does.")


async def output(given: Inputs, context: ConversationContext) -> Answers:
    """Give all that a call returned: the last one, or the NUMBERth, counted from the last."""
    wanted, seen = given.number("number"), 0
    wanted = 1 if wanted is None else wanted
    if not wanted:
        raise given.refuse("There is no output 0; the last one is 1.")
    found: ToolFinished | None = None
    async for record in newest_first(context.session):
        entry = record.entry
        if found is None and isinstance(entry, ToolFinished):
            seen += 1
            found = entry if seen == wanted else None
        elif found is not None and isinstance(entry, ModelReplied):
            calls = (part for part in entry.parts if isinstance(part, ToolCall) and part.id == found.call)
            title = next((call_title(call) for call in calls), found.name)
            return (PlainLines(lines=(f"{title}:", *await _lines(found, context))),)
    if not seen:
        raise NotThere("No tool has returned anything here yet.")
    raise NotThere(f"There is no output {wanted}; the calls here have {seen}.")


async def _lines(finished: ToolFinished, context: ConversationContext) -> list[str]:
    """Every line that a call returned, also of what is kept beside the log."""
    lines: list[str] = []
    for part in finished.parts:
        if isinstance(part, Text):
            lines += part.text.splitlines()
        elif isinstance(part, Blob):
            is_text = part.preview or part.media_type.startswith("text/")
            data = await context.session.get_blob(part.blob) if is_text else b""
            lines += data.decode("utf-8", "replace").splitlines() or [f"{part.name} ({part.media_type})"]
    return lines
