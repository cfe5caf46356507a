"""The words in what a server sent, by what it says it is.

The name of the character set comes from the header, the page itself or its first bytes, in that
order; what does not fit it becomes a replacement character, never an error.
"""

import codecs
import io
import re
from email.message import Message

from holdfast.errors import ToolFailed
from holdfast.tools.readable import readable

MOST_PDF_PAGES = 300
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXT = re.compile(
    r"text/.*|application/(json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|x-sh|sql)|.*\+(json|xml|yaml)"
)
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_META = re.compile(rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]{1,40})""", re.IGNORECASE)


def words(body: bytes, content_type: str, url: str) -> str:
    """The text of a page. Raises `ToolFailed` if it is of a kind that has none."""
    header = Message()
    header["content-type"] = content_type
    kind = header.get_content_type() if content_type else _guessed(body)
    if kind == "application/pdf":
        return _pdf_words(body)
    if not _TEXT.fullmatch(kind) and kind not in _HTML:
        raise ToolFailed(f"It is {kind} ({len(body):,} bytes), which has no text to read.")
    charset = header.get_param("charset")
    text = decoded(body, charset if isinstance(charset, str) else "")
    return readable(text, url) if kind in _HTML else text


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
        return isinstance(b"".decode(charset), str) and codecs.lookup(charset).name not in {"idna", "punycode"}
    except (LookupError, UnicodeError, ValueError):
        return False


def _guessed(body: bytes) -> str:
    head = body[:1024]
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    if b"\0" in head:
        return "application/octet-stream"
    return "text/html" if re.match(rb"\s*<(!doctype html|html|head|body)\b", head, re.IGNORECASE) else "text/plain"


def _pdf_words(body: bytes) -> str:
    try:
        import pypdf  # noqa: PLC0415 - an extra, and slow to load
    except ImportError as error:
        raise ToolFailed(
            "It is a PDF, and nothing here reads PDF files.", hint="The person can install `holdfast[pdf]`."
        ) from error
    try:
        pages = pypdf.PdfReader(io.BytesIO(body)).pages
        found = [f"[page {number}]\n{page.extract_text()}" for number, page in enumerate(pages[:MOST_PDF_PAGES], 1)]
    except Exception as error:  # boundary: a broken PDF can make the reader fail in any way
        raise ToolFailed(f"The PDF cannot be read: {type(error).__name__}: {error}.") from error
    more = f"\n\n[pages after {MOST_PDF_PAGES} are left out]" if len(pages) > MOST_PDF_PAGES else ""
    return "\n\n".join(found) + more
