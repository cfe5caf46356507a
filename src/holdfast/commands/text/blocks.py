"""The blocks of a Markdown text, found line by line while it streams.

A block is given out when it is finished, and never changes again. What depends on a width is decided where
blocks are drawn, so that a window may be resized in between. What would take long to finish (code, tables,
paragraphs without end) is given out in stretches. The spacing is that of the text: a gap where it has one.
"""

import re
from copy import copy
from typing import Literal, NamedTuple, TypeAlias

STRETCH = 16
"""Lines of code that are given out at once."""
BEFORE = 64
"""Lines of code before a stretch that are looked at for its colours."""
ROWS = 60
"""Rows of a table that are given out at once."""
LINES, CHARACTERS = 64, 8_000
"""How much of a paragraph is given out at once, to the end of a line."""
DEEPEST = 8
"""How deep lists and quotes nest; what is deeper is shown as it is written."""

_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<info>.*)$")
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<text>.*?))?(?:[ \t]+#+)?[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(={2,}|-{2,})[ \t]*$")
_QUOTE = re.compile(r" {0,3}>[ ]?")
_ITEM = re.compile(r"(?P<indent> *)(?P<mark>[-*+]|\d{1,9}[.)])(?P<space> {1,4}|$)(?P<rest>.*)$")
_TASK = re.compile(r"\[([ xX])\] (.*)$")
_DELIMITERS = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_MATH = {"$$": "$$", "\\[": "\\]"}


class ParagraphBlock(NamedTuple):
    """Words."""

    text: str


class HeadingBlock(NamedTuple):
    """A title."""

    level: int
    text: str


class CodeBlock(NamedTuple):
    """A stretch of code."""

    language: str
    lines: tuple[str, ...]
    before: tuple[str, ...] = ()
    """Lines of the same code that were given out already."""
    opens: bool = True
    closes: bool = True
    marks: str = "```"
    """Its fence, as it is written: what is inside may have a shorter one."""


class RawBlock(NamedTuple):
    """Lines that are shown as they are."""

    lines: tuple[str, ...]


class RuleBlock(NamedTuple):
    """A line across."""


class TableBlock(NamedTuple):
    """Rows of cells; the first is the head."""

    rows: tuple[str, ...]
    """As they are written."""
    delimiters: str


Block: TypeAlias = ParagraphBlock | HeadingBlock | CodeBlock | RawBlock | RuleBlock | TableBlock


class BlockFrame(NamedTuple):
    """What stands before the lines of a block inside a list or a quote."""

    first: str
    rest: str


class PlacedBlock(NamedTuple):
    """A block where it stands."""

    block: Block
    frames: tuple[BlockFrame, ...] = ()
    """From the outside in."""
    gap: int = -1
    """An empty line before it, inside so many frames; -1 for none."""


class _Words(NamedTuple):
    lines: tuple[str, ...]


class _Fence(NamedTuple):
    closing: str
    indent: int
    language: str
    lines: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    given: bool = False


class _Math(NamedTuple):
    closing: str
    lines: tuple[str, ...]


class _Rows(NamedTuple):
    rows: tuple[str, ...]
    delimiters: str


class _Nested(NamedTuple):
    inside: "BlockParser"
    kind: Literal["quote", "item"]
    frame: BlockFrame
    outer: int = 0
    """Where the mark of an item stands."""
    inner: int = 0
    """Where its text begins."""
    shown: bool = False


_Open: TypeAlias = _Words | _Fence | _Math | _Rows | _Nested | None


class BlockParser:
    """Takes whole lines, gives finished blocks."""

    def __init__(self, depth: int = 0) -> None:
        """Begin with nothing open, inside so many others."""
        self._depth = depth
        self._open: _Open = None
        self._blank = self._any = False

    def copy(self) -> "BlockParser":
        """The same state, to look ahead with."""
        ahead = copy(self)
        if isinstance(self._open, _Nested):
            ahead._open = self._open._replace(inside=self._open.inside.copy())  # noqa: SLF001 # its own kind
        return ahead

    @property
    def lazy(self) -> bool:
        """Whether a plain line would go on with a paragraph."""
        return isinstance(self._open, _Words) or (isinstance(self._open, _Nested) and self._open.inside.lazy)

    @property
    def verbatim(self) -> bool:
        """Whether lines are taken as they are."""
        if isinstance(self._open, _Nested):
            return self._open.inside.verbatim
        return isinstance(self._open, _Fence | _Math)

    def line(self, text: str) -> list[PlacedBlock]:
        """Take one line, without its end."""
        match self._open:
            case _Fence():
                return self._in_fence(self._open, text)
            case _Math():
                return self._in_math(self._open, text)
            case _Nested() if (inner := _inner(self._open, text, blank=self._blank)) is not None:
                return self._in_nested(self._open, inner)
            case _:
                pass
        if not text.strip():
            out = self.end()
            self._blank = True
            return out
        return self._begin(text)

    def end(self) -> list[PlacedBlock]:
        """Finish what is open."""
        was, self._open = self._open, None
        match was:
            case None:
                return []
            case _Words():
                return [self._place(ParagraphBlock("\n".join(was.lines)))]
            case _Fence():
                return [self._place(_stretch(was, closes=True))]
            case _Math():
                return [self._place(RawBlock(was.lines))]
            case _Rows():
                return [self._place(TableBlock(was.rows, was.delimiters))]
            case _Nested():
                out = self._framed(was, was.inside.end())
                if not out and not was.shown:
                    out = [self._place(ParagraphBlock(""))._replace(frames=(was.frame,))]
                return out

    def _place(self, block: Block) -> PlacedBlock:
        gap = 0 if self._blank and self._any else -1
        self._blank, self._any = False, True
        return PlacedBlock(block, gap=gap)

    def _framed(self, nested: _Nested, placed: list[PlacedBlock]) -> list[PlacedBlock]:
        """Blocks from inside, with what stands before their lines."""
        out, frame = [], nested.frame
        if nested.shown:
            frame = frame._replace(first=frame.rest)
        for each in placed:
            own = self._place(each.block)
            gap = each.gap + 1 if each.gap >= 0 else own.gap
            out.append(PlacedBlock(each.block, (frame, *each.frames), gap))
            frame = frame._replace(first=frame.rest)
        return out

    def _in_fence(self, fence: _Fence, text: str) -> list[PlacedBlock]:
        bare = text.strip()
        closed = bare.startswith(fence.closing) and not bare.strip(fence.closing[0]) and _indent(text) < 4  # noqa: PLR2004
        if closed:
            return self.end()
        fence = fence._replace(lines=(*fence.lines, text[min(fence.indent, _indent(text)) :]))
        out = []
        if len(fence.lines) >= STRETCH:
            out = [self._place(_stretch(fence, closes=False))]
            before = (*fence.before, *fence.lines)[-BEFORE:]
            fence = fence._replace(lines=(), before=before, given=True)
        self._open = fence
        return out

    def _in_math(self, math: _Math, text: str) -> list[PlacedBlock]:
        self._open = math._replace(lines=(*math.lines, text))
        return self.end() if text.strip().endswith(math.closing) or len(math.lines) >= LINES else []

    def _in_nested(self, nested: _Nested, inner: str) -> list[PlacedBlock]:
        blank = not inner.strip() and nested.kind == "item" and not nested.inside.verbatim
        out = self._framed(nested, nested.inside.line(inner))
        self._open = nested._replace(shown=nested.shown or bool(out))
        self._blank = self._blank or blank
        return out

    def _begin(self, text: str) -> list[PlacedBlock]:
        """A line that may begin a block, go on with one, or end one."""
        was = self._open
        if isinstance(was, _Rows) and "|" in text and not _starts(text, inside=True):
            return self._row(was, text)
        if isinstance(was, _Words):
            if _UNDERLINE.match(text):
                return self._underlined(was, text)
            if not _starts(text, inside=True):
                return self._word_line(was, text)
        return [*self.end(), *self._fresh(text)]

    def _fresh(self, text: str) -> list[PlacedBlock]:
        if found := _FENCE.match(text):
            if found["marks"][0] == "~" or "`" not in found["info"]:
                self._open = _Fence(found["marks"], _indent(text), found["info"].strip())
                return []
        elif found := _HEADING.match(text):
            return [self._place(HeadingBlock(len(found["marks"]), (found["text"] or "").strip()))]
        elif _RULE.match(text):
            return [self._place(RuleBlock())]
        elif self._depth < DEEPEST and (found := _QUOTE.match(text)):
            return self._nest(
                _Nested(BlockParser(self._depth + 1), "quote", BlockFrame("│ ", "│ ")), text[found.end() :]
            )
        elif self._depth < DEEPEST and (found := _ITEM.match(text)):
            return self._nest(*_item(found, BlockParser(self._depth + 1)))
        elif text.strip() in _MATH:
            self._open = _Math(_MATH[text.strip()], (text,))
            return []
        elif _indent(text) >= 4:  # noqa: PLR2004
            return [self._place(RawBlock((text,)))]
        self._open = _Words((text,))
        return []

    def _nest(self, nested: _Nested, first: str) -> list[PlacedBlock]:
        out = self._framed(nested, nested.inside.line(first))
        self._open = nested._replace(shown=bool(out))
        return out

    def _underlined(self, words: _Words, text: str) -> list[PlacedBlock]:
        self._open = None
        return [self._place(HeadingBlock(1 if "=" in text else 2, " ".join(words.lines)))]

    def _word_line(self, words: _Words, text: str) -> list[PlacedBlock]:
        if "|" in words.lines[-1] and _DELIMITERS.match(text):
            *lines, head = words.lines
            out = [self._place(ParagraphBlock("\n".join(lines)))] if lines else []
            self._open = _Rows((head,), text)
            return out
        words = _Words((*words.lines, text))
        self._open = words
        return self.end() if len(words.lines) >= LINES or sum(map(len, words.lines)) > CHARACTERS else []

    def _row(self, table: _Rows, text: str) -> list[PlacedBlock]:
        rows = (*table.rows, text)
        if len(rows) <= ROWS:
            self._open = table._replace(rows=rows)
            return []
        self._open = table._replace(rows=rows[:1])
        return [self._place(TableBlock(rows, table.delimiters))]


def _stretch(fence: _Fence, *, closes: bool) -> CodeBlock:
    return CodeBlock(
        fence.language, fence.lines, fence.before, opens=not fence.given, closes=closes, marks=fence.closing
    )


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _starts(text: str, *, inside: bool) -> bool:
    """Whether a line begins a block of its own, even inside a paragraph."""
    found = _ITEM.match(text)
    # A line that happens to begin with a number is no list, unless it could be the first of one.
    item = found is not None and (not inside or (bool(found["rest"]) and found["mark"].rstrip(".)") in "-*+1"))
    fence = _FENCE.match(text)
    fenced = fence is not None and (fence["marks"][0] == "~" or "`" not in fence["info"])
    return item or fenced or text.strip() in _MATH or any(each.match(text) for each in (_HEADING, _RULE, _QUOTE))


def _inner(nested: _Nested, text: str, *, blank: bool) -> str | None:
    """What a line says inside a list or a quote; None if it stands outside."""
    if nested.kind == "quote":
        if found := _QUOTE.match(text):
            return text[found.end() :]
    elif not text.strip():
        return text[nested.inner :]
    else:
        indent = _indent(text)
        # Lists are often indented by two where the text of a numbered item begins after three.
        if indent >= nested.inner or (indent >= nested.outer + 2 and _ITEM.match(text) and not nested.inside.verbatim):
            return text[min(indent, nested.inner) :]
    goes_on = bool(text.strip()) and not blank and nested.inside.lazy and not _starts(text, inside=False)
    return text.strip() if goes_on else None


def _item(found: re.Match[str], inside: BlockParser) -> tuple[_Nested, str]:
    rest, mark = found["rest"], found["mark"]
    space = found["space"] if rest else " "
    outer = len(found["indent"])
    drawn = "•" if mark in "-*+" else mark
    if task := _TASK.match(rest):
        drawn, rest = ("☐" if task[1] == " " else "☑"), task[2]
    frame = BlockFrame(f"{drawn} ", " " * (len(drawn) + 1))
    return _Nested(inside, "item", frame, outer, outer + len(mark) + len(space)), rest
