"""Patterns for paths: `*` and `?` within a name, `**` over folders, `[a-z]`, `{one,other}`.

Each name is matched by itself, and what `**` stands for is found without trying combinations twice,
so that no pattern takes long.
"""

import re
from fnmatch import translate
from functools import lru_cache

MOST_BRANCHES = 64
"""Patterns that braces may stand for; those beyond are not tried."""

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def matches(pattern: str, path: str) -> bool:
    """Whether a path with slashes matches; a pattern without a slash is for the name, in any folder."""
    return any(_matches(tuple(each.split("/")), path) for each in _branches(pattern))


def _matches(pattern: tuple[str, ...], path: str) -> bool:
    names = path.split("/")
    if len(pattern) == 1 and pattern != ("**",):
        return _name(pattern[0]).fullmatch(names[-1]) is not None
    reached = {0}
    for piece in pattern:
        if piece == "**":
            reached = set(range(min(reached), len(names) + 1)) if reached else reached
        elif piece not in {"", "."}:
            name = _name(piece)
            reached = {at + 1 for at in reached if at < len(names) and name.fullmatch(names[at])}
    return len(names) in reached


@lru_cache(maxsize=256)
def _name(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


@lru_cache(maxsize=64)
def _branches(pattern: str) -> tuple[str, ...]:
    """The patterns that braces stand for."""
    done: list[str] = []
    ahead = [pattern]
    while ahead and len(done) + len(ahead) <= MOST_BRANCHES:
        each = ahead.pop(0)
        found = _BRACES.search(each)
        if found is None:
            done.append(each)
        else:
            ahead += [each[: found.start()] + choice + each[found.end() :] for choice in found[1].split(",")]
    return tuple(done + ahead)
