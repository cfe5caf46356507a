"""Pastes and mentions: long texts that were pasted, and files that are named with an `@`.

A long paste stands in the input as one label, and goes out whole. A file is attached when the message is
sent: its text goes into the message, a picture or a PDF beside the log.
"""

import asyncio
import re
import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from holdfast.context.legal.attachments import media_type_of
from holdfast.errors import BadInput
from holdfast.records.images import is_half
from holdfast.records.parts import Blob, Part, Text

LONG_LINES, LONG_CHARACTERS = 20, 4_000
"""A paste that is longer stands in the input as a label."""
LARGEST_TEXT = 400_000
LARGEST_MEDIA = 30_000_000
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".heif", ".pdf"})

NAMED = re.compile(r"""(?<!\S)@(?:"(?P<quoted>[^"\n]+)"|(?P<plain>\S+))""")
"""A file in a message: `@notes.md` or `@"my notes.md"`."""

Attach = Callable[[bytes, str, str], Awaitable[Blob]]
"""Keeps bytes of a type and a name beside the log."""


class Pastes:
    """Long texts of one message, each behind a label."""

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        """Begin with those of a draft."""
        self.texts = dict(known or {})

    def put(self, pasted: str) -> str:
        """What is inserted for a paste: itself, or a label."""
        text = pasted.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines <= LONG_LINES and len(text) <= LONG_CHARACTERS:
            return _as_file(text) or text
        size = f"{lines} lines" if lines > 1 else f"{len(text)} characters"
        label, number = f"[pasted {size}]", 1
        while self.texts.get(label, text) != text:
            number += 1
            label = f"[pasted {size} #{number}]"
        self.texts[label] = text
        return label

    def ending(self, text: str) -> str:
        """The label that a text ends with; '' if it ends with none."""
        return next((label for label in self.texts if text.endswith(label)), "")

    def whole(self, text: str) -> str:
        """A message with each paste in the place of its label."""
        return "".join(self.split(text))

    def split(self, text: str) -> list[str]:
        """The pieces of a message, each paste one of its own."""
        used = [label for label in self.texts if label in text]
        if not used:
            return [text]
        pieces = re.split("(" + "|".join(map(re.escape, used)) + ")", text)
        return [self.texts.get(piece, piece) for piece in pieces if piece]


def _as_file(text: str) -> str:
    """A path to a picture that was dropped or pasted, as a file to attach; '' for anything else."""
    word = text.strip()
    if "\n" in word or Path(word.strip("'\"")).suffix.lower() not in PICTURES:
        return ""
    if word.startswith("file://"):
        word = unquote(urlsplit(word).path)
    else:
        try:
            word = next(iter(shlex.split(word)), "") if word[0] in "'\"" or "\\ " in word else word
        except ValueError:
            return ""
    return mention(word) + " " if Path(word).expanduser().is_file() else ""


def mention(path: str) -> str:
    """A path as it is named in a message."""
    return f'@"{path}"' if re.search(r"\s", path) else f"@{path}"


async def parts_of(text: str, pastes: Pastes, roots: Sequence[Path], attach: Attach) -> tuple[Part, ...]:
    """A message, with the files of some folders that it names. Raises `BadInput` for one that cannot be attached."""
    pasted = set(pastes.texts.values())
    parts: list[Part] = [Text(text=piece, given="pasted" if piece in pasted else "") for piece in pastes.split(text)]
    for found in NAMED.finditer(text):
        name = found["quoted"] or found["plain"]
        named = next((there for root in roots if (there := _found(name, root))), None)
        if named is not None:
            parts.append(await _attached(*named, attach))
    return tuple(parts)


def _found(name: str, root: Path) -> tuple[str, Path] | None:
    """The file that is meant; None if the words only look like one: `@alice` is no file."""
    for each in (name, name.rstrip(".,:;!?)")):
        try:
            file = root / Path(each).expanduser()
            if file.is_file():
                return each, file
        except (OSError, RuntimeError, ValueError):
            continue
    return None


async def _attached(name: str, file: Path, attach: Attach) -> Part:
    data = await asyncio.to_thread(_read, name, file)
    media_type = media_type_of(data)
    if is_half(data):
        raise BadInput(
            f"{name} begins as {media_type} does, and is cut off or damaged.",
            hint="Get it once more, or take the @ away.",
        )
    if media_type:
        return await attach(data, media_type, file.name)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{name} is neither text nor a picture nor a PDF.", hint="Take the @ away, and name it only."
        ) from error
    if len(text) > LARGEST_TEXT:
        raise BadInput(f"{name} has {len(text):,} characters, which is too long.", hint="Ask for a part of it.")
    return Text(text=f"{name}:\n{text}", given="file")


def _read(name: str, file: Path) -> bytes:
    try:
        size = file.stat().st_size
        if size > LARGEST_MEDIA:
            raise BadInput(f"{name} is {size:,} bytes, which is too large to attach.", hint="Ask for a part of it.")
        return file.read_bytes()
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error.strerror}.", hint="Take the @ away, or name another.") from error
