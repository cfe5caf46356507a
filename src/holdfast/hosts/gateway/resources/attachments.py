"""Files of messages: taken in as a stream, and shown through links that are signed and end by themselves.

A link needs no login, so that a page can show it as a picture; whoever asked for it could see the session. What a file
is, its bytes say, never its name or its sender. Pictures are shown, everything else is downloaded, and nothing runs.
"""

import hmac
import secrets
import tempfile
import time
from hashlib import sha256
from urllib.parse import quote

from starlette.responses import Response

from holdfast.errors import BadInput
from holdfast.hosts.gateway.failures import refused
from holdfast.hosts.gateway.guard import HttpRefusal
from holdfast.hosts.gateway.resource import Call, Resource, json
from holdfast.records.images import image_type
from holdfast.records.parts import Blob, Value
from holdfast.records.printable import printable

UPLOAD_BYTES = 32_000_000
"""The longest file."""
IN_MEMORY = 1_000_000
"""A longer one lies on the disk while it comes."""
NAME_LENGTH = 120
LINK_SECONDS = 3_600
"""How long a link to a file works."""
_KEY = secrets.token_bytes(32)
"""Signs links; those of an earlier process do not count."""
_SVG = "image/svg+xml"
_SHOWN = {
    "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    "cache-control": "private, max-age=3600",
    "cross-origin-resource-policy": "same-origin",
}


class FileLink(Value, frozen=True, kw_only=True, omit_defaults=False):
    """An address that shows a file for a while."""

    url: str


class FileKept(Value, frozen=True, kw_only=True, omit_defaults=False):
    """A file that was taken in; a message names it by this."""

    blob: str
    media_type: str
    size: int
    name: str


def type_of(data: bytes) -> str:
    """What bytes are."""
    if found := image_type(data):
        return found
    if data.startswith(b"%PDF-"):
        return "application/pdf"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return "application/octet-stream"
    if "\0" in text:
        return "application/octet-stream"
    head = text[:2_000].lower()
    return _SVG if "<svg" in head and head.lstrip().startswith(("<svg", "<?xml", "<!--")) else "text/plain"


def name_of(given: str) -> str:
    """A file's name without folders, and without what would change how it is shown."""
    return printable(given.replace("\\", "/").rpartition("/")[2]).replace("\n", " ").strip()[:NAME_LENGTH]


async def _upload(call: Call) -> Response:
    key = call.path["key"]
    await call.sessions.must_own(key)
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as kept:
        size = 0
        async for piece in call.request.stream():
            size += len(piece)
            if size > UPLOAD_BYTES:
                return refused(HttpRefusal(413, "too_long", f"A file has at most {UPLOAD_BYTES:,} bytes."))
            kept.write(piece)
        kept.seek(0)
        data = kept.read()
    if not data:
        raise BadInput("The file is empty.")
    conversation = await call.sessions.use(key, call.source)
    name = name_of(call.request.query_params.get("name", ""))
    blob: Blob = await conversation.session.attach(data, media_type=type_of(data), name=name)
    return json(FileKept(blob=blob.blob, media_type=blob.media_type, size=blob.size, name=blob.name), 201)


def _signature(key: str, blob: str, until: str) -> str:
    return hmac.new(_KEY, f"{len(key)}:{key}{blob}:{until}".encode(), sha256).hexdigest()


async def _link(call: Call) -> Response:
    key, blob = call.path["key"], call.path["blob"]
    await call.sessions.must_own(key)
    until = str(int(time.time()) + LINK_SECONDS)
    named = f"{quote(key, safe='')}/{quote(blob, safe='')}"
    return json(FileLink(url=f"/files/{named}/{until}/{_signature(key, blob, until)}"))


async def _file(call: Call) -> Response:
    key, blob, until, signature = (call.path[name] for name in ("key", "blob", "until", "signature"))
    expected = _signature(key, blob, until)
    if not hmac.compare_digest(expected.encode(), signature.encode()) or int(until) < time.time():
        return refused(HttpRefusal(403, "bad_link", "This link is not right, or too old.", "Load the page again."))
    data = await call.service.engine.store.get_blob(key, blob)
    media_type = type_of(data)
    if media_type.startswith("image/"):
        return Response(data, media_type=media_type, headers=_SHOWN)
    disposition = {"content-disposition": "attachment"}
    return Response(data, media_type="application/octet-stream", headers=_SHOWN | disposition)


RESOURCES = (
    Resource("POST", "/sessions/{key}/attachments", _upload, "Keep a file for a message.", answer=FileKept, raw=True),
    Resource("POST", "/sessions/{key}/attachments/{blob}/link", _link, "An address for a file.", answer=FileLink),
    Resource("GET", "/files/{key}/{blob}/{until}/{signature}", _file, "A file, by its link.", open=True),
)
