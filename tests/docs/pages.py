"""The pages people read, and the blocks of code on them.

A comment on the line before a block says how it is run:
`<!-- prints -->`: a block that is exactly what the one before it prints; `/path/to` is the folder where that runs.
`<!-- installs -->`: a shell block that is typed in the project's folder and installs something, before the rest.
`<!-- exits 3 -->`: the last command of a shell block ends with this code.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]
REFERENCE = ROOT / "docs" / "reference"

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[a-z0-9 ]+) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


class Block(NamedTuple):
    """One block of code, and where it stands."""

    page: Path
    line: int
    language: str
    mark: str
    text: str

    @property
    def place(self) -> str:
        """Where to look when it fails."""
        named = self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page
        return f"{named}:{self.line}"


class Program(NamedTuple):
    """What is run together, and what it prints, if the page says so."""

    place: str
    text: str
    prints: str | None


def blocks(page: Path) -> Iterator[Block]:
    """Every block of a page, in order."""
    text = page.read_text()
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(page, line, found["language"], found["mark"] or "", found["text"])


def programs(page: Path) -> Iterator[Program]:
    """Every Python example of a page, as it is run."""
    found = [block for block in blocks(page) if block.language == "python" or block.mark == "prints"]
    for index, block in enumerate(found):
        if block.language == "python":
            printed = [after.text for after in found[index + 1 : index + 2] if after.mark == "prints"]
            yield Program(block.place, block.text, printed[0] if printed else None)


def headings(text: str) -> list[str]:
    """The headings of a page, as they are written."""
    return _HEADING.findall(re.sub(_BLOCK, "", text))


def anchors(page: Path) -> set[str]:
    """What a link to a place on a page may end in."""
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings(page.read_text()))
    return {each.strip().replace(" ", "-") for each in plain}


def sections(page: Path, depth: int) -> dict[str, str]:
    """The text below each heading of a depth that is one name in code, by that name."""
    found = {}
    for piece in re.split(rf"^(?=#{{2,{depth}}} )", page.read_text(), flags=re.MULTILINE):
        named = re.match(rf"#{{{depth}}} `(\w+)`\n", piece)
        if named:
            found[named[1]] = piece
    return found
