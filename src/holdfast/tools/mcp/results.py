"""What came of a call, as parts of a message.

Words stay words, also those that come as bytes: secrets are looked for in words only. Pictures and other
bytes are kept beside the log. What is too much is cut, and the cut is said. A server's "error" is an
output like any other: the model reads it and does something else.
"""

import base64
import binascii
import re

import msgspec

from holdfast.agent.tool import Output, ToolContext
from holdfast.records.images import is_half
from holdfast.records.parts import Part, Text
from holdfast.records.printable import printable_line
from holdfast.tools.mcp.peer import understood

MOST_CHARACTERS = 400_000
MOST_BYTES = 10_000_000
MOST_PARTS = 100

_MEDIA_TYPE = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,60}")


class _Resource(msgspec.Struct, frozen=True):
    uri: str = ""
    text: str | None = None
    blob: str | None = None
    mimeType: str | None = None  # noqa: N815 - as the protocol writes it


class _Content(msgspec.Struct, frozen=True):
    type: str = ""
    text: str = ""
    data: str = ""
    mimeType: str | None = None  # noqa: N815 - as the protocol writes it
    resource: _Resource | None = None
    uri: str = ""
    name: str = ""


class _Result(msgspec.Struct, frozen=True):
    content: list[_Content] = []
    structuredContent: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815 - as the protocol writes it
    isError: bool = False  # noqa: N815 - as the protocol writes it
    resultType: str = ""  # noqa: N815 - as the protocol writes it


async def output(raw: msgspec.Raw, context: ToolContext) -> Output:
    """A result as an output; attachments are kept. Raises `McpFailed` if it is none."""
    result = understood(raw, _Result)
    if result.resultType == "input_required":
        return Output(
            parts=(Text(text="The server wants more than the arguments, which is not possible here."),), ok=False
        )
    parts = [await _part(content, context) for content in result.content[:MOST_PARTS]]
    if not parts and result.structuredContent:
        parts.append(Text(text=bytes(result.structuredContent).decode()))
    if len(result.content) > MOST_PARTS:
        parts.append(Text(text=f"[{len(result.content) - MOST_PARTS} more pieces are left out]"))
    return Output(parts=tuple(_bounded(parts)) or (Text(text="(no output)"),), ok=not result.isError)


async def _part(content: _Content, context: ToolContext) -> Part:
    match content.type:
        case "text":
            return Text(text=content.text)
        case "image" | "audio":
            return await _attached(content.data, content.mimeType, "", context)
        case "resource" if content.resource is not None:
            return await _resource(content.resource, context)
        case "resource_link":
            return Text(text=f"[{printable_line(content.name, 200)}]({printable_line(content.uri, 1000)})")
        case _:
            return Text(text=f"[content of the unknown kind {printable_line(content.type, 40)!r} is left out]")


async def _resource(resource: _Resource, context: ToolContext) -> Part:
    if resource.blob is not None:
        return await _attached(resource.blob, resource.mimeType, resource.uri.rpartition("/")[2], context)
    return Text(text=f"{printable_line(resource.uri, 1000)}:\n{resource.text or ''}")


async def _attached(data: str, media_type: str | None, name: str, context: ToolContext) -> Part:
    if len(data) > MOST_BYTES * 4 // 3:
        return Text(text=f"[an attachment of more than {MOST_BYTES // 1_000_000} MB is left out]")
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return Text(text="[an attachment that cannot be decoded is left out]")
    if is_half(content):
        return Text(text="[an image that is cut off or damaged is left out]")
    if (text := _words(content)) is not None:
        return Text(text=f"{printable_line(name, 100)}:\n{text}" if name else text)
    kind = media_type if media_type and _MEDIA_TYPE.fullmatch(media_type) else "application/octet-stream"
    return await context.attach(content, media_type=kind, name=printable_line(name, 100))


def _words(content: bytes) -> str | None:
    """What bytes say, if they are text."""
    if b"\0" in content or content.startswith(b"%PDF-"):
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _bounded(parts: list[Part]) -> list[Part]:
    """The parts with texts cut where there is too much of them in all."""
    left = MOST_CHARACTERS
    kept: list[Part] = []
    for part in parts:
        if isinstance(part, Text) and len(part.text) > left:
            kept.append(Text(text=f"{part.text[:left]}\n[{len(part.text) - left:,} more characters are left out]"))
            left = 0
        else:
            kept.append(part)
            left -= len(part.text) if isinstance(part, Text) else 0
    return kept
