"""A conversation for somebody who was not there: what was said, and in one line each what the agent did.

The other renderers give every entry with its position. These leave out what only the program needs. Nothing that was
said can pass for a heading of the document: text whose headings and code blocks cannot be told for sure is a quote.
"""

import re
from collections.abc import Callable
from html import escape

from holdfast.ids import CallId
from holdfast.records.codec import Record
from holdfast.records.entries import Delivered, ModelReplied, ToolFinished, UserSaid
from holdfast.records.parts import Blob, Part, Text, ToolCall
from holdfast.records.printable import printable, printable_line
from holdfast.session.export.content import Content
from holdfast.session.export.to_html import Html
from holdfast.session.export.to_html import attachment as html_attachment
from holdfast.session.export.to_markdown import Markdown, closes, inline, quoted, without_html
from holdfast.session.export.to_markdown import attachment as markdown_attachment
from holdfast.session.state import SessionState

CallTitle = Callable[[ToolCall], str]
"""What a call did, in one line."""
RenderedMarkdown = Callable[[str], str]
"""Markdown as HTML that holds no markup of its own, runs nothing and fetches nothing."""

_MARGIN_FENCE = re.compile(r"(`{3,})[^`]*|(~{3,}).*")
_ANY_FENCE = re.compile(r"[ \t>*+\-0-9.)]*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_DEEPEST_OF_OURS = 2
_DEEPEST = 6


def _speaker(entry: UserSaid | ModelReplied | Delivered) -> str:
    if isinstance(entry, UserSaid):
        return (entry.source.sender if entry.source else "") or "User"
    return "Assistant"


def in_place(text: str) -> list[str]:
    """Markdown whose headings stand below those of the document; a quote where that is not certain."""
    lines, fence = printable(text).split("\n"), ""
    kept: list[str] = []
    for line in lines:
        if fence:
            fence = "" if closes(line, fence) else fence
        elif opened := _MARGIN_FENCE.fullmatch(line):
            fence = opened[1] or opened[2]
        elif _ANY_FENCE.match(line) or _UNDERLINE.fullmatch(line):
            return quoted(text)
        else:
            line = _HEADING.sub(lambda marks: "#" * min(_DEEPEST, len(marks[1]) + _DEEPEST_OF_OURS), line)  # noqa: PLW2901
        kept.append(line)
    return quoted(text) if fence else without_html(kept)


class MarkdownForPeople(Markdown):
    """Renders Markdown that can be sent to somebody."""

    def __init__(self, title: CallTitle) -> None:
        """Say what calls did in the words of `title`."""
        self._title, self._last = title, ""

    def begin(self, state: SessionState) -> bytes:
        """A heading, and when it was."""
        when = f"{state.created:%Y-%m-%d}" if state.created else ""
        return "\n".join([f"# {inline(state.title or state.key)}", *(["", f"*{when}*"] if when else []), ""]).encode()

    def record(self, record: Record, content: Content) -> bytes:
        """What was said, below the name of who said it."""
        entry = record.entry
        if not isinstance(entry, UserSaid | ModelReplied | Delivered):
            return b""
        lines = [line for part in entry.parts for line in self._part(part, content)]
        if not lines:
            return b""
        heading = [] if self._last == _speaker(entry) == "Assistant" else ["", f"## {inline(_speaker(entry))}"]
        self._last = _speaker(entry)
        return "\n".join([*heading, *lines, ""]).encode()

    def _part(self, part: Part, content: Content) -> list[str]:
        if isinstance(part, Text) and part.text.strip():
            return ["", *in_place(part.text.strip("\n"))]
        if isinstance(part, ToolCall):
            return ["", f"*{inline(self._title(part))}*"]
        return ["", *markdown_attachment(part, content)] if isinstance(part, Blob) else []


class HtmlForPeople(Html):
    """Renders a page with rendered Markdown; what tools gave is folded."""

    def __init__(self, title: CallTitle, rendered: RenderedMarkdown) -> None:
        """Say what calls did in the words of `title`; `rendered` gives HTML for Markdown."""
        self._title, self._rendered = title, rendered
        self._calls: dict[CallId, str] = {}

    def record(self, record: Record, content: Content) -> bytes:
        """A message, or what a tool gave."""
        entry = record.entry
        if isinstance(entry, ToolFinished):
            pieces = [self._result(entry, content)]
        elif isinstance(entry, UserSaid | ModelReplied | Delivered):
            pieces = [shown for part in entry.parts if (shown := self._part(part, content))]
        else:
            return b""
        if not pieces:
            return b""
        heading = "" if isinstance(entry, ToolFinished) else f"<h2>{_escaped(_speaker(entry))}</h2>\n"
        inside = "\n".join(pieces)
        return f'<article id="p{record.pos}">\n{heading}{inside}\n</article>\n'.encode()

    def _part(self, part: Part, content: Content) -> str:
        if isinstance(part, ToolCall):
            self._calls[part.id] = self._title(part)
        if isinstance(part, Text) and part.text.strip():
            return f'<div class="rendered" dir="auto">{self._rendered(part.text)}</div>'
        return html_attachment(part, content) if isinstance(part, Blob) else ""

    def _result(self, entry: ToolFinished, content: Content) -> str:
        title = self._calls.pop(entry.call, entry.name)
        note = "" if entry.outcome == "ok" else f" ({entry.outcome})"
        texts = "\n".join(_escaped(part.text) for part in entry.parts if isinstance(part, Text))
        beside = "".join(html_attachment(part, content) for part in entry.parts if isinstance(part, Blob))
        inside = f'<pre dir="auto">\n{texts}</pre>' if texts else ""
        return f"<details><summary>{_escaped(printable_line(title, 200))}{note}</summary>{inside}{beside}</details>"


def _escaped(text: str) -> str:
    return escape(printable(text))
