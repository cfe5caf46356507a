"""`/copy`: the last reply, or a block of code from the last replies."""

from collections.abc import AsyncIterator

from holdfast.commands.text.blocks import BlockParser, CodeBlock
from holdfast.errors import NotThere
from holdfast.hosts.slash.answer import Answers, Copied
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.past import newest_first
from holdfast.hosts.slash.run import misused, number
from holdfast.records.entries import Delivered, ModelReplied
from holdfast.records.parts import plain_text


async def copy(rest: str, desk: SlashDesk) -> Answers:
    """Give text for the clipboard."""
    if not rest:
        async for words in _replies(desk):
            return (Copied(text=words, what="the last reply"),)
        raise NotThere("There is no reply to copy yet.")
    wanted, seen = number(rest), 0
    if not wanted:
        raise misused("copy", f"{rest!r} is no number of a block of code; the last one is 1.")
    async for words in _replies(desk):
        for code in reversed(blocks(words)):
            seen += 1
            if seen == wanted:
                return (Copied(text=code, what=f"block of code {wanted}, counted from the last"),)
    raise NotThere(f"There is no block of code {wanted}; the replies here have {seen}.")


async def _replies(desk: SlashDesk) -> AsyncIterator[str]:
    """The words of the replies, the last first; those that only call tools have none."""
    async for record in newest_first(desk.session):
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
