"""The lines of `key: value` between two `---` at the beginning of a Markdown file.

Such lines look like YAML and are nearly always this simple: a word, a colon, a text that may be
quoted or go on over indented lines. What is nested deeper is left out, not guessed at.
"""

import re

_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:(?:\s+(.*)|\s*)")
_SCALAR = re.compile(r"[>|][+-]?\d?[+-]?")
_MOST_LINES = 200


def front_matter(text: str) -> dict[str, str]:
    """The values by their keys in lower case, with `-` as `_`; nothing if the file does not begin with them."""
    lines = text.removeprefix("\ufeff").splitlines()[:_MOST_LINES]
    if not lines or lines[0].rstrip() != "---":
        return {}
    ends = [number for number, line in enumerate(lines[1:], 1) if line.rstrip() in {"---", "..."}]
    return _values(lines[1 : ends[0]]) if ends else {}


def _values(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    index = 0
    while index < len(lines):
        key = _KEY.fullmatch(lines[index].rstrip())
        index += 1
        start = index
        while index < len(lines) and (not lines[index].strip() or lines[index][0] in " \t"):
            index += 1
        if key:
            found[key[1].lower().replace("-", "_")] = _value((key[2] or "").strip(), lines[start:index])
    return found


def _value(first: str, more: list[str]) -> str:
    """The text that begins after a colon and goes on over indented lines."""
    words = [line.strip() for line in more]
    if _SCALAR.fullmatch(first):
        return ("\n" if first.startswith("|") else " ").join(words).strip()
    if not first and any(_KEY.fullmatch(word) or word.startswith("- ") for word in words):
        return ""  # values of its own
    return _unquoted(" ".join([first, *filter(None, words)]).strip())


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text[1:-1])
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    # Not from within a run of spaces: a file may be made of them, and each would be gone through to the end of all.
    return re.split(r"(?<!\s)\s+#", text, maxsplit=1)[0]
