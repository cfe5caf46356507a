"""Markdown as it streams: finished blocks for the scrollback, and the unfinished one for the lines above the input.

What was given out is never changed, and is the same however the text was cut into pieces: only whole lines decide.
Every text is made safe before anything else looks at it. Parsers and lexers are loaded with the first words;
`warm` loads them ahead.
"""

from typing import assert_never

from holdfast.commands.text.blocks import (
    BlockParser,
    CodeBlock,
    HeadingBlock,
    ParagraphBlock,
    PlacedBlock,
    RawBlock,
    RuleBlock,
    TableBlock,
)
from holdfast.commands.text.width import width as cells
from holdfast.hosts.terminal.draw.highlight import highlighted
from holdfast.hosts.terminal.draw.inline import spans_of
from holdfast.hosts.terminal.draw.spans import Span, drawn, folded, wrapped
from holdfast.hosts.terminal.draw.tables import table_lines
from holdfast.hosts.terminal.draw.theme import Role, Theme
from holdfast.records.printable import printable

NARROWEST = 10
"""Columns that a text has at least, however deep it is nested."""
LIVE = 2_000
"""Characters of an unfinished line that are shown while it streams."""


class MarkdownStream:
    """One reply, while it comes."""

    def __init__(self, width: int, theme: Theme) -> None:
        """Draw for a width, in colours."""
        self._width, self._theme = width, theme
        self._blocks = BlockParser()
        self._partial: list[str] = []
        self._held = ""
        self._tail: list[str] | None = None

    def resize(self, width: int) -> None:
        """Draw for another width from now on."""
        if width != self._width:
            self._width, self._tail = width, None

    def feed(self, text: str) -> str:
        """Take more of the text; gives the lines that are finished now, each with its end."""
        self._tail = None
        *lines, rest = self._whole(text).split("\n")
        out: list[PlacedBlock] = []
        for line in lines:
            out += self._blocks.line(_clean("".join((*self._partial, line))))
            self._partial = []
        if rest:
            self._partial.append(rest)
        return self._drawn(out)

    def end(self) -> str:
        """There is no more text; gives the rest."""
        last = "".join(self._partial) + self._held.rstrip("\r")
        self._partial, self._held, self._tail = [], "", []
        out = self._blocks.line(_clean(last)) if last else []
        return self._drawn([*out, *self._blocks.end()])

    def tail(self, rows: int) -> list[str]:
        """The last lines of the unfinished block, as they would be if the text ended here."""
        if self._tail is None:  # a spinner draws it again and again while nothing comes
            self._tail = self._looked_ahead()
        return self._tail[-rows:] if rows > 0 else []

    @property
    def newest(self) -> str:
        """The line that has no end yet."""
        return "".join(self._partial)

    def ahead(self, newest: str) -> list[PlacedBlock]:
        """The blocks that are unfinished, as they would be if the text ended with this line."""
        ahead = self._blocks.copy()
        out = ahead.line(_clean(newest)) if newest else []
        return out + ahead.end()

    def _looked_ahead(self) -> list[str]:
        blocks = self.ahead(self._end_of_newest())
        return [line for each in blocks for line in rendered(each, self._width, self._theme, live=True)]

    def _end_of_newest(self) -> str:
        taken, size = [self._held.rstrip("\r")], 0
        for piece in reversed(self._partial):
            taken.append(piece)
            size += len(piece)
            if size > LIVE:
                break
        return "".join(reversed(taken))[-LIVE:]

    def _whole(self, text: str) -> str:
        """The text without what the next piece decides: half of a pair, or of a line's end."""
        text = self._held + text
        self._held = ""
        if text and (text[-1] == "\r" or "\ud800" <= text[-1] <= "\udbff"):
            text, self._held = text[:-1], text[-1]
        return text.replace("\r\n", "\n")

    def _drawn(self, out: list[PlacedBlock]) -> str:
        return "".join(f"{line}\n" for each in out for line in rendered(each, self._width, self._theme))


def markdown_lines(text: str, width: int, theme: Theme) -> list[str]:
    """A whole text at once."""
    stream = MarkdownStream(width, theme)
    return (stream.feed(text) + stream.end()).splitlines()


def warm() -> None:
    """Load what the first words would have to wait for; may run in a thread."""
    spans_of("*warm*")
    highlighted(("pass",), (), "python")


def _clean(line: str) -> str:
    """A line made safe, with the halves of pairs joined, and tabs as spaces."""
    if not line.isascii():
        line = line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return printable(line).expandtabs(4)


def rendered(placed: PlacedBlock, width: int, theme: Theme, *, live: bool = False) -> list[str]:
    """The lines of a block. A live one is drawn again and again, so its code stays plain."""
    first = _fitted([frame.first for frame in placed.frames], width)
    rest = _fitted([frame.rest for frame in placed.frames], width)
    room = width - max(sum(cells(span.text) for span in each) for each in (first, rest))
    out = [drawn(_stripped(rest[: placed.gap]), theme)] if placed.gap >= 0 else []
    for index, line in enumerate(_lines(placed.block, room, theme, live=live)):
        out.append(drawn(_stripped([*(rest if index else first), *line]), theme))
    return out


def _fitted(frames: list[str], width: int) -> list[Span]:
    """The innermost frames, as far as they leave room for the text."""
    kept: list[Span] = []
    for frame in reversed(frames):
        if sum(cells(each.text) for each in kept) + cells(frame) > width - NARROWEST:
            break
        kept.insert(0, Span(frame, ("mark",) if frame.strip() else ()))
    return kept


def _stripped(line: list[Span]) -> list[Span]:
    """A line without spaces at its end."""
    while line and not line[-1].text.rstrip():
        line = line[:-1]
    return [*line[:-1], line[-1]._replace(text=line[-1].text.rstrip())] if line else []


def _lines(
    block: ParagraphBlock | HeadingBlock | CodeBlock | RawBlock | RuleBlock | TableBlock,
    width: int,
    theme: Theme,
    *,
    live: bool,
) -> list[list[Span]]:
    match block:
        case ParagraphBlock():
            return wrapped(_shown(spans_of(block.text), theme), width)
        case HeadingBlock():
            marks = [Span("#" * block.level + " ", ("mark",))] if theme.plain else []
            role: Role = "title" if block.level == 1 else "heading"
            return wrapped([*marks, *_shown(spans_of(block.text, role), theme)], width)
        case CodeBlock():
            return _code(block, width, plain=live or theme.plain)
        case RawBlock():
            return [each for line in block.lines for each in folded([Span(line)], width)]
        case RuleBlock():
            return [[Span("─" * min(width, 40), ("mark",))]]
        case TableBlock():
            return table_lines(block, width, lambda text: _shown(spans_of(text), theme))
        case _:
            assert_never(block)


def _shown(spans: list[Span], theme: Theme) -> list[Span]:
    """Where nothing is coloured, code keeps its marks."""
    if not theme.plain:
        return spans
    return [Span(f"`{span.text}`", span.roles) if "code" in span.roles else span for span in spans]


def _code(code: CodeBlock, width: int, *, plain: bool) -> list[list[Span]]:
    """Code between its fences, with nothing in front of its lines, so that it can be copied."""
    body = [[Span(line)] for line in code.lines] if plain else highlighted(code.lines, code.before, code.language)
    lines = [each for line in body for each in folded(line, width)]
    opening = folded([Span(f"{code.marks}{code.language}", ("mark",))], width)[:1] if code.opens else []
    closing = folded([Span(code.marks, ("mark",))], width)[:1] if code.closes else []
    return [*opening, *lines, *closing]
