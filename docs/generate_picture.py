#!/usr/bin/env python3
"""Writes docs/terminal.svg: a screen that a test keeps, drawn as a picture for README.

The text is that of `tests/journeys/terminal/screens`, so the picture shows what a person sees. `make docs` runs it; a
test fails while the picture is out of date.
"""

from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCREEN = ROOT / "tests" / "journeys" / "terminal" / "screens" / "output-folded-80.txt"
PICTURE = ROOT / "docs" / "terminal.svg"
COLUMNS, WIDE, HIGH = 80, 8.4, 19
MARGIN = 14


def _colour(line: str) -> str:
    if line.startswith("\u203a"):
        return "#9ece6a"
    return "#8a8fa3" if line.startswith(("  ", "Model:", "scripted:", "…")) else "#d5d8e4"


def picture() -> str:
    """The whole picture."""
    # The kept screen has signs for what differs from run to run; above the first message stands which script answers.
    _, _, shown = SCREEN.read_text().replace("Nk", "2k").partition("\u203a")
    lines = f"\u203a{shown}".rstrip("\n").split("\n")
    width, height = round(COLUMNS * WIDE + 2 * MARGIN), round(len(lines) * HIGH + 2 * MARGIN)
    texts = [
        f'<text x="{MARGIN}" y="{MARGIN + HIGH * number + 14}" fill="{_colour(line)}" xml:space="preserve">'
        f"{escape(line)}</text>"
        for number, line in enumerate(lines)
        if line
    ]
    font = 'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14"'
    size = f'width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}" {font}>'
    return "\n".join([head, f'<rect {size} rx="8" fill="#1a1b26"/>', *texts, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture())
