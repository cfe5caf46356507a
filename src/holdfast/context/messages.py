"""Messages from entries: what a model is shown of each, one rule a function.

A model copies what it sees. So what we add to a person's words (a time, a note about an
image) is taken out of the model's own words before it reads them again, or it
would begin to write them itself.
"""

import re
from datetime import datetime

import msgspec

from holdfast.ids import CallId
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall

TIME = "[%Y-%m-%d %H:%M UTC]"
"""How a time stamp in front of a person's words looks."""

_STAMPS = re.compile(r"^[ \t]*\[\d{4}-\d\d-\d\d \d\d:\d\d UTC\][ \t]*", re.MULTILINE)
_BREADCRUMBS = re.compile(r"[ \t]*\[(?:image|file|audio|video): [^\]\n]*, not shown\]")
_ECHOES = re.compile(r"^[ \t]*\[(?:called|result of) \w[^\]\n]*\].*\n?", re.MULTILINE)


def stamped(parts: tuple[Part, ...], at: datetime) -> tuple[Part, ...]:
    """A person's words with the time they were said at in front."""
    time = at.strftime(TIME)
    for index, part in enumerate(parts):
        if isinstance(part, Text):
            return (*parts[:index], Text(text=f"{time} {part.text}"), *parts[index + 1 :])
    return (Text(text=time), *parts)


def without_echoes(text: str) -> str:
    """A model's words without what it copied from ours: time stamps, notes about images, notes about calls."""
    if "[" not in text:
        return text
    return _ECHOES.sub("", _BREADCRUMBS.sub("", _STAMPS.sub("", text)))


def called(call: ToolCall) -> str:
    """A call in words, for readers who are shown no calls."""
    return f"[called {call.name}] {call.arguments}"


def breadcrumb(blob: Blob) -> str:
    """What stands in the place of content that is not shown."""
    kind = blob.media_type.partition("/")[0]
    kind = kind if kind in {"image", "audio", "video"} else "file"
    return f"[{kind}: {blob.name or blob.blob[:12]}, {blob.size:,} bytes, not shown]"


def said(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """A person's parts as the model is shown them; what says nothing vanishes."""
    return tuple(shown for part in parts if (shown := _said(part)) is not None)


def _said(part: Part) -> Part | None:
    if isinstance(part, Blob):
        return _spilled(part)
    if isinstance(part, Text) and part.text and not part.text.isspace():
        return part
    return None


def _spilled(blob: Blob) -> Part:
    """Text that was too long for its line is shown by its first words; other content as it is."""
    if not blob.media_type.startswith("text/"):
        return blob
    rest = f"[shortened; all of its {blob.size:,} bytes are kept as {blob.blob[:12]}]"
    return Text(text=f"{blob.preview}\n{rest}")


def replied(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """A model's parts as it is shown them again: thinking and calls pass, copied notes do not, nothing is empty."""
    shown: list[Part] = []
    for part in parts:
        if isinstance(part, Text):
            text = without_echoes(part.text)
            if text.strip():
                shown.append(part if text == part.text else Text(text=text))
        elif isinstance(part, Thinking):
            shown += [part] if part.text.strip() or part.signature else []
        else:
            shown.append(_spilled(part) if isinstance(part, Blob) else part)
    return tuple(shown)


def returned(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """What a tool gave as the model is shown it; a tool that said nothing is said to have said nothing."""
    return said(parts) or (Text(text="(no output)"),)


def numbered(parts: tuple[Part, ...], pos: int) -> tuple[Part, ...]:
    """The same parts with call ids that are unique in every request, whatever the provider called them."""
    shown: list[Part] = []
    calls = 0
    for part in parts:
        if isinstance(part, ToolCall):
            shown.append(msgspec.structs.replace(part, id=call_id(pos, calls)))
            calls += 1
        else:
            shown.append(part)
    return tuple(shown)


def call_id(pos: int, index: int) -> CallId:
    """The id of a reply's call in every request; it depends on nothing but where the call stands in the log."""
    return CallId(f"call_{pos}_{index}")
