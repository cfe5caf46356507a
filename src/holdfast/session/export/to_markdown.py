"""A conversation as Markdown.

What was said stays Markdown, but cannot leave its place: each message is a quote,
so a heading, an open code block or a comment in it ends with it. What a tool gave
stands in a fence longer than any it holds. HTML in a message is shown as what it
is, never handed on; code is left alone where every reader agrees that it is code.
"""

import re
from typing import assert_never

from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.parts import Blob
from holdfast.records.printable import printable, printable_line
from holdfast.session.export.content import Content, name_of, text_of
from holdfast.session.export.readable import Attached, Piece, ReadableDetail, ReadableText, shown
from holdfast.session.export.renderer import spoken
from holdfast.session.state import SessionState

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_RUN = re.compile(r"`+")
_FENCE = re.compile(r"(`{3,})([^`]*)|(~{3,})(.*)")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!])")
TITLE = 200


class Markdown:
    """Renders Markdown."""

    def begin(self, state: SessionState) -> bytes:
        """A heading, and what is known about the session."""
        lines = [f"# {inline(state.title or state.key)}", "", f"- session: {inline(state.key)}"]
        if state.created:
            lines.append(f"- since: {state.created:%Y-%m-%d %H:%M} UTC")
        if state.tags:
            lines.append(f"- tags: {inline(', '.join(state.tags))}")
        return _bytes([*lines, f"- messages: {state.messages}"])

    def record(self, record: Record, content: Content) -> bytes:
        """A message under a heading, or a remark."""
        seen = shown(record.entry)
        if seen is None:
            return b""
        place = f"{record.pos} · {record.when:%Y-%m-%d %H:%M} UTC"
        note = f" ({inline(seen.note)})" if seen.note else ""
        if not seen.pieces:
            return _bytes(["", f"*{inline(seen.who)}{note} · {place}*"])
        lines = ["", f"## {inline(seen.who)}{note} · {place}"]
        for piece in seen.pieces:
            lines += ["", *_piece(piece, content)]
        return _bytes(lines)

    def gap(self, first: Position, last: Position) -> bytes:
        """A remark that says what is missing."""
        return _bytes(["", f"**Damaged here: {spoken(first, last)} cannot be read.**"])

    def end(self) -> bytes:
        """Nothing."""
        return b""


def _bytes(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def inline(text: str) -> str:
    """Text on one line that means nothing in Markdown."""
    return _SPECIAL.sub(r"\\\1", printable_line(text, TITLE))


def _piece(piece: Piece, content: Content) -> list[str]:
    match piece:
        case ReadableText():
            return quoted(piece.text)
        case ReadableDetail():
            return [f"*{inline(piece.title)}*", "", *fenced(piece.text)]
        case Attached():
            return attachment(piece.blob, content)
        case _:
            assert_never(piece)


def attachment(blob: Blob, content: Content) -> list[str]:
    """The name of content beside the log, and what it says if it is text."""
    text = text_of(blob, content)
    name = f"*{inline(name_of(blob, content))}*"
    return [name, "", *fenced(text)] if text else [name]


def fenced(text: str) -> list[str]:
    """A code block that nothing in the text can end."""
    clean = printable(text)
    longest = max((len(run) for run in _RUN.findall(clean)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *clean.split("\n"), fence]


def quoted(text: str) -> list[str]:
    """Markdown as a quote, with the HTML in it made visible."""
    return [f"> {line}".rstrip() for line in without_html(printable(text).split("\n"))]


def without_html(lines: list[str]) -> list[str]:
    """Lines of Markdown with the HTML in them made visible."""
    clean: list[str] = []
    fence = ""  # the fence of the code block we are in
    sure = True  # whether every line since the last empty one has its code spans whole
    for line in lines:
        if fence:
            fence = "" if closes(line, fence) else fence
            clean.append(line)
            continue
        # An indented fence may belong to a list and end with it, so only one at the margin counts.
        match = _FENCE.fullmatch(line)
        if match:
            fence, sure = match[1] or match[3], True
            clean.append(line)
            continue
        sure = (sure or not line.strip()) and _plain_spans(line)
        clean.append(_outside_spans(line) if sure else _TAG.sub(r"\\<", line))
    return clean


def closes(line: str, fence: str) -> bool:
    """Whether a line ends the code block that a fence began."""
    end = line.strip(" ")
    return len(end) >= len(fence) and end == fence[0] * len(end) and len(line) - len(line.lstrip(" ")) <= 3  # noqa: PLR2004


def _plain_spans(line: str) -> bool:
    """Whether all readers of Markdown agree on which stretches of a line are code."""
    if "\\" in line or "|" in line:
        return False
    runs = [len(run) for run in _RUN.findall(line)]
    return len(runs) % 2 == 0 and all(a == b for a, b in zip(runs[::2], runs[1::2], strict=True))


def _outside_spans(line: str) -> str:
    """A line with its HTML made visible, but for its code."""
    spans = re.split(r"(`+)", line)  # text, run, code, run, text, run, …
    for index in range(0, len(spans), 4):
        spans[index] = _TAG.sub(r"\\<", spans[index])
    return "".join(spans)
