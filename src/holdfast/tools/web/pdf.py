"""The words of a PDF, read by `pypdf` in a process that can be killed: such files can be made to keep a reader busy."""

import asyncio
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import BinaryIO

from holdfast.errors import ToolFailed
from holdfast.installation import command_to_add
from holdfast.tools.pages import MOST_BYTES, cut_to
from holdfast.tools.shell.child import answer, child, job_of

MOST_PAGES = 20
"""Pages of one answer."""
MOST_SECONDS = 20.0
MOST_MEMORY = 1 << 30

_LOOKED_AT = 1024


def is_pdf(data: bytes) -> bool:
    """Whether a file is a PDF, whatever its name."""
    return b"%PDF-" in data[:_LOOKED_AT]


async def words_of(opened: BinaryIO, path: str, *, start: int, count: int) -> str:
    """The words of some pages, counted from one. Raises `ToolFailed` if they cannot be read."""
    if find_spec("pypdf") is None:
        hint = f"To install it, type: `{command_to_add('pdf')}`"
        raise ToolFailed(f"{path} is a PDF, and the reader for PDF files is not installed.", hint=hint)
    job = {"start": start, "count": min(count, MOST_PAGES)}
    try:
        async with asyncio.timeout(MOST_SECONDS), child("holdfast.tools.web.pdf", job, stdin=opened) as answers:
            pages = [each async for each in answers]
    except TimeoutError as error:
        raise ToolFailed(
            f"{path} took longer than {MOST_SECONDS:g} seconds to read.", hint="Ask for fewer pages."
        ) from error
    if not pages or "failed" in pages[-1]:
        why = pages[-1]["failed"] if pages else "its reader broke down"
        raise ToolFailed(f"The PDF {path} cannot be read: {why}.")
    return _shown(pages, path, start)


def _shown(pages: list[dict[str, object]], path: str, start: int) -> str:
    total = int(str(pages[0]["total"]))
    if start > total:
        raise ToolFailed(f"{path} has {total:,} pages.", hint=f"Give a `start` from 1 to {total}.")
    texts: list[str] = []
    room, number = MOST_BYTES, start
    for page in pages[1:]:
        text = str(page["text"]).strip() or "[no text: the page may be a picture]"
        shown = cut_to(text, room)
        if texts and shown != text:
            break
        texts.append(f"[page {number} of {total}]\n{shown}")
        texts += [f"[page {number} is cut after {len(shown):,} characters]"] if shown != text else []
        room -= len(shown.encode(errors="replace"))
        number += 1
    if number <= total:
        texts.append(f"[go on with start={number}]")
    return "\n".join(texts)


def _main() -> None:
    job = job_of(sys.argv, seconds=MOST_SECONDS, memory=MOST_MEMORY)
    try:
        reader = import_module("pypdf").PdfReader(sys.stdin.buffer)
        if reader.is_encrypted and not reader.decrypt(""):
            answer(failed="it needs a password")
            return
        answer(total=len(reader.pages))
        first = job["start"] - 1
        for index in range(first, min(first + job["count"], len(reader.pages))):
            answer(text=reader.pages[index].extract_text()[: MOST_BYTES + 1])
    except Exception as error:  # noqa: BLE001 - boundary: what a broken file makes the reader raise is no list of ours
        answer(failed=f"{type(error).__name__}: {error}"[:300])


if __name__ == "__main__":
    _main()
