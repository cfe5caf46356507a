"""Repairs arguments of a call that are nearly a JSON object.

Some servers encode arguments twice, and some models end a list with a comma. Both have one meaning only. Nothing
else is mended: what could mean two things stays as it was sent, and the tool says what is wrong with it.
"""

import re

import msgspec

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
"""A string, which is passed over, or a comma with nothing after it."""
_TIMES = 3
"""How often arguments are unwrapped."""


def is_object(arguments: str) -> bool:
    """Whether the arguments are a whole object, of which no part could be missing."""
    try:
        msgspec.json.decode(arguments, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False
    return True


def mended(arguments: str) -> str:
    """The arguments as an object, if they are one that was encoded twice or has a comma too many; else unchanged."""
    text = arguments
    for _ in range(_TIMES):
        if is_object(text):
            return text
        found = _inside(text)
        if found == text:
            break
        text = found
    return arguments


def _inside(text: str) -> str:
    """The text that a JSON string holds, or else the text without commas that nothing follows."""
    if text.lstrip().startswith('"'):
        try:
            return msgspec.json.decode(text, type=str)
        except (msgspec.DecodeError, UnicodeEncodeError):
            return text
    return _PIECE.sub(lambda found: "" if found[0] == "," else found[0], text)
