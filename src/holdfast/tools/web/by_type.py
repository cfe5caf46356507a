"""Text from what a server sent, by its content type.

The name of the character set comes from the header, the page itself or its first bytes, in that
order; what does not fit it becomes a replacement character, never an error.
"""

import codecs
import re
from email.message import Message
from importlib.util import find_spec
from tempfile import TemporaryFile

from holdfast.agent.tasks import aside
from holdfast.errors import ToolFailed
from holdfast.installation import command_to_add
from holdfast.tools.shell.child import child
from holdfast.tools.web.html import readable

MOST_PDF_PAGES = 300
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXT = re.compile(
    r"text/.*|application/(json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|x-sh|sql)|.*\+(json|xml|yaml)"
)
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_META = re.compile(rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]{1,40})""", re.IGNORECASE)


async def words(body: bytes, content_type: str, url: str) -> str:
    """The text of a page. Raises `ToolFailed` if it is of a kind that has none."""
    header = Message()
    header["content-type"] = content_type
    kind = header.get_content_type() if content_type else _guessed(body)
    if kind == "application/pdf":
        return await _pdf_words(body)
    if not _TEXT.fullmatch(kind):
        raise ToolFailed(f"It is {kind} ({len(body):,} bytes), which has no text to read.")
    charset = header.get_param("charset")
    text = decoded(body, charset if isinstance(charset, str) else "")
    return await aside(readable, text, url) if kind in _HTML else text


def decoded(body: bytes, charset: str) -> str:
    """Bytes as text, by the name of their character set if it is known and right."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body.decode(name, errors="replace")
    stated = _META.search(body[:2048])
    for name in (charset, stated[1].decode("ascii") if stated else "", "utf-8"):
        if name and _is_known(name):
            return body.decode(name, errors="replace")
    return body.decode("utf-8", errors="replace")


def _is_known(charset: str) -> bool:
    """Whether bytes can be read with it as text; some codecs make something else of them."""
    try:
        b"a".decode(charset, errors="replace")
        return codecs.lookup(charset).name not in {"idna", "punycode"}
    except (LookupError, UnicodeError, ValueError):
        return False


def _guessed(body: bytes) -> str:
    head = body[:1024]
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    if b"\0" in head:
        return "application/octet-stream"
    return "text/html" if re.match(rb"\s*<(!doctype html|html|head|body)\b", head, re.IGNORECASE) else "text/plain"


async def _pdf_words(body: bytes) -> str:
    if find_spec("pypdf") is None:
        hint = f"To install it, type: `{command_to_add('pdf')}`"
        raise ToolFailed("It is a PDF, and the reader for PDF files is not installed.", hint=hint)
    with TemporaryFile() as file:
        file.write(body)
        file.seek(0)
        async with child("holdfast.tools.web.pdf", {"start": 1, "count": MOST_PDF_PAGES}, stdin=file) as answers:
            found = [each async for each in answers]
    if not found or "failed" in found[-1]:
        raise ToolFailed(f"The PDF cannot be read: {found[-1]['failed'] if found else 'its reader broke down'}.")
    total, *pages = found
    texts = [f"[page {number} of {total['total']}]\n{page['text']}" for number, page in enumerate(pages, 1)]
    return "\n\n".join(texts)
