"""The last replies: `/copy` takes one, or a block of code, and `/thinking` shows what the model thought before it."""

from collections.abc import AsyncIterator

from holdfast.commands.answers import Answers, Copied, Prose
from holdfast.commands.context import ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.past import newest_first
from holdfast.commands.text.blocks import BlockParser, CodeBlock
from holdfast.errors import NotThere
from holdfast.records.entries import Delivered, ModelReplied
from holdfast.records.parts import Thinking, plain_text


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
