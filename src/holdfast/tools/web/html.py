"""HTML to text that reads well.

Headings, lists, links, code and tables become Markdown; scripts, styles and what is hidden is left
out. Where a page says which part is its main one, only that is kept. The page is a stranger's: it
is read in pieces and never to the bitter end of something unfinished, because the parser would go
over such a rest once for each `<` in it.
"""

import re
from html.parser import HTMLParser
from urllib.parse import urljoin

_PIECE = 65_536
_MOST_UNFINISHED = 2 * _PIECE
_MOST_NESTED = 200
_LEAST_MAIN = 200
"""How many characters the main part has at least, before the rest is left out."""

_LEFT_OUT = frozenset(
    "script style noscript template svg math iframe object canvas audio video select datalist dialog".split()
)
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_NEVER_HIDDEN = _VOID | {"html", "body"}
"""What holds nothing, and what a script shows when all of the page is there."""
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary"
    " table tbody td tfoot th thead tr ul".split()
)
_ENDED_BY_NEXT = {"p": _BLOCKS, "li": {"li"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "tr": {"tr"}, "td": {"td", "tr"}}
_CLOSE = frozenset("li tr dd dt div tbody thead tfoot".split())
"""Blocks that are lines of a larger one, or say nothing."""
_LISTS = frozenset({"ul", "ol", "menu"})
_HEADINGS = {f"h{depth}": "#" * depth for depth in range(1, 7)}
_HIDING = re.compile(
    r"(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|opacity\s*:\s*0*\.?0+\s*(;|$))", re.IGNORECASE
)
_BLANKS = re.compile(r"\s+")

Attributes = dict[str, str]


def readable(html: str, url: str) -> str:
    """The text of a page that was found at an address."""
    reader = _Reader(url)
    for start in range(0, len(html), _PIECE):
        reader.feed(html[start : start + _PIECE])
        reader.give_up_on_the_endless()
    reader.feed("<br>")  # makes the parser give out the words it still held
    return reader.result()


class _Reader(HTMLParser):
    """Turns tags into lines as they come."""

    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self._base = url
        self._title = ""
        self._in_title = False
        self._hidden = ""
        self._hidden_depth = 0
        self._lists: list[int] = []
        self._links: list[tuple[str, int]] = []
        self._row: list[str] | None = None
        self._pre = 0
        self._main = 0
        self._line: list[str] = []
        self._opening = ""
        self._blocks: list[tuple[str, bool]] = []

    def give_up_on_the_endless(self) -> None:
        """Let go of what was begun long ago and is not finished; the parser would go over it with each piece."""
        if len(self.rawdata) > _MOST_UNFINISHED:
            comment = "<!--" if self.rawdata.startswith("<!--") else ""
            self.rawdata = comment + self.rawdata[-100:]

    def result(self) -> str:
        """Everything that was read, as Markdown."""
        self._end_line()
        main = [text for text, inside in self._blocks if inside]
        kept = main if sum(map(len, main)) >= _LEAST_MAIN else [text for text, _ in self._blocks]
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")
        title = _BLANKS.sub(" ", self._title).strip()
        return f"# {title}\n\n{text}" if title and not text.startswith(f"# {title}\n") else text

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an element, or go on leaving out."""
        if self._hidden and not self._ends_hiding(tag):
            self._hidden_depth += tag == self._hidden
            return
        found = {name: value or "" for name, value in attrs}
        if tag in _LEFT_OUT or (tag not in _NEVER_HIDDEN and _is_hidden(found)):
            self._hidden, self._hidden_depth = tag, 1
        elif tag in _BLOCKS:
            self._begin_block(tag)
        else:
            self._begin_inline(tag, found)

    def handle_endtag(self, tag: str) -> None:
        """End an element."""
        if self._hidden:
            self._hidden_depth -= tag == self._hidden
            self._hidden = self._hidden if self._hidden_depth else ""
        elif tag == "title":
            self._in_title = False
        elif tag == "a" and self._links:
            self._end_link()
        elif tag == "code" and not self._pre:
            self._line.append("`")
        elif tag in _BLOCKS:
            self._end_block(tag)

    def handle_data(self, data: str) -> None:
        """Words."""
        if self._in_title and len(self._title) < 1000:  # noqa: PLR2004
            self._title += data
        elif not self._hidden and not self._in_title:
            self._line.append(data if self._pre else _BLANKS.sub(" ", data))

    def _ends_hiding(self, tag: str) -> bool:
        """Whether a tag ends what is left out without saying so, as the next `<li>` ends a `<li>`."""
        if self._hidden_depth == 1 and tag in _ENDED_BY_NEXT.get(self._hidden, ()):
            self._hidden = ""
        return not self._hidden

    def _begin_block(self, tag: str) -> None:
        if tag in {"td", "th"} and self._row is not None:
            self._end_cell()
            return
        self._end_line(blank=self._stands_apart(tag))
        if tag in _HEADINGS:
            self._opening = f"{_HEADINGS[tag]} "
        elif tag in _LISTS and len(self._lists) < _MOST_NESTED:
            self._lists.append(0 if tag == "ol" else -1)
        elif tag == "li":
            self._opening = self._bullet()
        elif tag == "blockquote":
            self._opening = "> "
        elif tag == "tr":
            self._row = []
        elif tag == "pre":
            self._pre += 1
            self._add("```")
        elif tag == "hr":
            self._add("---")
        elif tag == "main":
            self._main += 1

    def _end_block(self, tag: str) -> None:
        if tag in {"td", "th"} and self._row is not None:
            self._end_cell()
            return
        if tag in _LISTS and self._lists:
            self._end_line()
            self._lists.pop()
        self._end_line(blank=self._stands_apart(tag))
        if tag == "pre" and self._pre:
            self._pre -= 1
            self._add("```\n")
        elif tag == "main" and self._main:
            self._main -= 1

    def _stands_apart(self, tag: str) -> bool:
        return tag not in _CLOSE and not (tag in _LISTS and self._lists)

    def _begin_inline(self, tag: str, found: Attributes) -> None:
        if tag == "br":
            self._line.append("\n")
        elif tag == "a" and len(self._links) < _MOST_NESTED:
            self._links.append((self._link(found.get("href", "")), len(self._line)))
        elif tag == "img" and found.get("alt", "").strip():
            self._line.append(f"[image: {_BLANKS.sub(' ', found['alt']).strip()}]")
        elif tag == "code" and not self._pre:
            self._line.append("`")
        elif tag == "title" and not self._title:
            self._in_title = True
        elif tag == "base" and found.get("href"):
            self._base = _joined(self._base, found["href"])

    def _end_link(self) -> None:
        target, start = self._links.pop()
        text = "".join(self._line[start:])
        if target and text.strip() and start <= len(self._line):
            self._line[start:] = [f"[{text.strip()}]({target})"]

    def _link(self, href: str) -> str:
        """Where a link leads, or nothing where that is not a page of the web."""
        target = _joined(self._base, href) if href and not href.startswith("#") else ""
        if not target.startswith(("http://", "https://")):
            return ""
        return target.replace(" ", "%20").replace(")", "%29")

    def _bullet(self) -> str:
        if not self._lists:
            return "- "
        indent = "  " * (len(self._lists) - 1)
        if self._lists[-1] < 0:
            return f"{indent}- "
        self._lists[-1] += 1
        return f"{indent}{self._lists[-1]}. "

    def _end_cell(self) -> None:
        cell = _BLANKS.sub(" ", "".join(self._line)).strip()
        self._line.clear()
        self._links.clear()
        if self._row is not None and cell:
            self._row.append(cell.replace("|", "\\|"))

    def _end_line(self, *, blank: bool = False) -> None:
        """Give out what was gathered, and an empty line where one belongs."""
        if self._row is not None:
            self._end_cell()
            text, self._row = " | ".join(self._row), None
        else:
            text = "".join(self._line)
        self._line.clear()
        self._links.clear()
        if self._pre:
            self._add(text.strip("\n"))
            return
        lines = [_BLANKS.sub(" ", each).strip() for each in text.split("\n")]
        if any(lines):
            self._add(self._opening + "\n".join(lines).strip("\n"))
            self._opening = ""
        if blank:
            self._add("")

    def _add(self, text: str) -> None:
        if text or (self._blocks and self._blocks[-1][0]):
            self._blocks.append((text, self._main > 0))


def _is_hidden(found: Attributes) -> bool:
    return "hidden" in found or found.get("aria-hidden") == "true" or bool(_HIDING.search(found.get("style", "")))


def _joined(base: str, href: str) -> str:
    try:
        return urljoin(base, href.strip())
    except ValueError:  # brackets that are no address
        return ""
