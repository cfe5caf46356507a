"""The difference between two texts, as a person and a model read it."""

import re
from difflib import unified_diff
from itertools import takewhile

from holdfast.tools.files.text import visible

AROUND = 3
"""Unchanged lines shown around a change."""
MOST_COMPARED = 4_000_000
"""Where lines before times lines after are more than this, a change is shown as one piece."""

_HEAD = re.compile(r"^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


def diff(before: str | None, after: str, path: str) -> str:
    """A unified diff; None stands for a file that was not there. Empty where nothing changes."""
    old, new = _lines(before or ""), _lines(after)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    rest = zip(reversed(old[same:]), reversed(new[same:]), strict=False)
    end = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], rest))
    skipped, kept = max(0, same - AROUND), max(0, end - AROUND)
    old, new = old[skipped : len(old) - kept], new[skipped : len(new) - kept]
    if len(old) * len(new) > MOST_COMPARED:
        body = _in_one_piece(old, new, min(AROUND, same), min(AROUND, end))
    else:
        body = list(unified_diff(old, new, n=AROUND))[2:]
    if not body:
        return ""
    path = visible(path)  # a line feed in it would forge a line of the difference
    names = f"--- {'/dev/null' if before is None else f'a/{path}'}\n+++ b/{path}\n"
    return names + "".join(_line(each, skipped) for each in body)


def _lines(text: str) -> list[str]:
    """Lines with their ends."""
    pieces = text.split("\n")
    return [f"{each}\n" for each in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def _in_one_piece(old: list[str], new: list[str], head: int, tail: int) -> list[str]:
    return [
        f"@@ -1,{len(old)} +1,{len(new)} @@\n",
        *(f" {each}" for each in old[:head]),
        *(f"-{each}" for each in old[head : len(old) - tail]),
        *(f"+{each}" for each in new[head : len(new) - tail]),
        *(f" {each}" for each in old[len(old) - tail :]),
    ]


def _line(line: str, skipped: int) -> str:
    """A line of the difference with its number in the whole text."""
    if found := _HEAD.match(line):
        first, second = int(found[1]) + skipped, int(found[3]) + skipped
        return f"@@ -{first}{found[2] or ''} +{second}{found[4] or ''} @@\n"
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
