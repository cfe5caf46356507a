#!/usr/bin/env python3
"""Writes docs/reference/odd-servers.md: what becomes of each odd thing that a server does.

The cases are those of the tests, which play each of them over HTTP. `make docs` runs it; a test
fails while the page is out of date.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "providers" / "odd_servers"
PAGE = ROOT / "docs" / "reference" / "odd-servers.md"

HEAD = """\
# Odd servers

Many services and programs speak "as OpenAI does", and each in its own way. This page lists what they are known to do
in chat completions, and what happens then. Each line is a test that plays it over HTTP, {count} in all; the page is
generated from them.
"""


def families() -> Iterator[dict[str, Any]]:
    """The families of oddness with their cases, in the order of their files."""
    for path in sorted(CASES.glob("*.toml")):
        yield tomllib.loads(path.read_text(encoding="utf-8"))


def page() -> str:
    """The whole page."""
    found = list(families())
    parts = [HEAD.format(count=sum(len(each["case"]) for each in found))]
    for each in found:
        parts += [f"## {each['family']}\n", f"{each['about'].rstrip()}\n", "| a server | what happens |\n|---|---|"]
        parts[-1] += "".join(f"\n| {_cell(case['name'])} | {_cell(case['happens'])} |" for case in each["case"]) + "\n"
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
