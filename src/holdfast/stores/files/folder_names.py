"""Session keys ↔ folder names.

Bytes that are not lower-case letters, digits or one of ``._-`` are percent-encoded,
so that no two keys share a folder, also where a file system folds case or
normalises Unicode, and none climbs out of the store. Keys too long for a folder,
or whose name some system reserves, end in a hash instead; `~` marks those.
"""

import re
from hashlib import sha256
from urllib.parse import unquote_to_bytes

from holdfast.ids import SessionKey

LONGEST = 200
_UNSAFE = re.compile(rb"[^a-z0-9._-]")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def folder_name(key: SessionKey) -> str:
    """The folder of a session, without its parents."""
    raw = key.encode("utf-8", "surrogatepass")
    name = _UNSAFE.sub(lambda found: b"%%%02x" % found[0][0], raw).decode()
    if name.startswith("."):
        name = "%2e" + name[1:]
    if name.endswith("."):
        name = name[:-1] + "%2e"
    if len(name) > LONGEST or _RESERVED.fullmatch(name):
        return f"{name[:120]}~{sha256(raw).hexdigest()[:40]}"
    return name


def key_of(name: str) -> SessionKey | None:
    """The key of a folder; None where only the log itself can tell."""
    if "~" in name or not name:
        return None
    try:
        key = SessionKey(unquote_to_bytes(name).decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        return None
    return key if folder_name(key) == name else None
