"""Screens that are kept as text, so that a change of what people see shows as a change of a file.

Times, identifiers and paths differ from run to run and are named instead. `UPDATE_SCREENS=1` writes the
files anew; whoever does that reads them as a person would.
"""

import os
import re
from pathlib import Path

from tests.journeys.terminal.house import House

SCREENS = Path(__file__).with_name("screens")
_CHANGING = (
    (re.compile(r"work-\d{8}-\d{6}-[0-9a-f]{4}"), "work-DATE-TIME-ID"),
    (re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2})?(\.\d+)?Z?"), "DATE TIME"),
    (re.compile(r"\bfrom (just now|\d+ s ago)"), "from just now"),
    (re.compile(r"  \d+(\.\d)? s$", re.MULTILINE), ""),  # behind what took a tenth of a second or more
    (re.compile(r"\b\d+(\.\d)? s\b"), "N s"),
    # The model is told the path of the workspace, so what it sees is as long as that is.
    (re.compile(r"\b\d+(\.\d)?k(?=/192k| tokens)"), "Nk"),
    (re.compile(r"(?<=192k )\d+ %|(?<=jsonl · )\d+ %"), "N %"),  # of the window, which every tool fills a little
    (re.compile(r"\b(sees|system text|free) +[\d,]+"), r"\1 N"),
    (re.compile(r"\bprocess \d+\b"), "process PID"),
    (re.compile(r"\bprocess PID on \S+ since"), "process PID on HOST since"),
)


def named(screen: str, house: House) -> str:
    """A screen with a name for everything that differs from run to run."""
    for path, name in ((house.workspace, "WORKSPACE"), (house.store, "STORE"), (house.home, "HOME")):
        screen = screen.replace(str(path), name)
    for pattern, name in _CHANGING:
        screen = pattern.sub(name, screen)
    return "\n".join(line.rstrip() for line in screen.rstrip().splitlines()) + "\n"


def kept(name: str, screen: str, house: House) -> tuple[str, str]:
    """The kept screen and this one, to be compared."""
    file, now = SCREENS / f"{name}.txt", named(screen, house)
    if os.environ.get("UPDATE_SCREENS"):
        file.write_text(now)
    return (file.read_text() if file.exists() else ""), now
